import { readGroupAnalytics } from '../../../sending/analytics/group-analytics.ts';
import { estimateFinish, type ExpectDeps } from '../../../sending/campaigns/read/estimate-finish.ts';
import { groupAnalyticsBody, groupAnalyticsData } from '../../contract/analytics.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toWireCounts, toWireGroup, toWireRevised } from './group-row.ts';
import { toWireHead } from '../campaigns/campaign-head.ts';
import { toWireRun } from '../campaigns/campaign-run.ts';

export function getCampaignGroupAnalyticsMasterOperation(deps: ExpectDeps): Operation {
  return defineOperation({
    path: '/api/v1/analytics/get-campaign-group-analytics-master',
    access: 'bearer',
    scope: 'read',
    tag: 'Analytics',
    summary: 'Read who received and read a campaign, per group, per run and over time',
    body: groupAnalyticsBody,
    data: groupAnalyticsData,
    shedFirst: true,
    longAnswer: 'whole',
    errors: [404],
    async handle({ body, actor }) {
      const { campaign, totals, groups, runs, isRevised, timeline } = await readGroupAnalytics(
        deps,
        actor,
        body.campaign_id,
      );
      const finishAt = body.with_estimate ? await estimateFinish(deps, actor, body.campaign_id) : undefined;
      return {
        campaign: toWireHead(campaign),
        totals: {
          groups: totals.groups,
          runs: totals.runs,
          runs_done: totals.runsDone,
          ...toWireCounts(totals),
          ...(isRevised && toWireRevised(totals)),
          ...(finishAt !== undefined && { expected_finish_at: finishAt?.toISOString() ?? null }),
        },
        groups: groups.map((group) => ({ ...toWireGroup(group), ...(isRevised && toWireRevised(group)) })),
        runs: runs.map(toWireRun),
        timeline: timeline.map(({ at, ...sums }) => ({ at: at.toISOString(), ...sums })),
      };
    },
  });
}
