import { readGroupAnalytics } from '../../analytics/group-analytics.ts';
import { readOverview } from '../../analytics/read-overview.ts';
import { expectFinish, type ExpectDeps } from '../../campaigns/expect-finish.ts';
import * as wire from '../contract/analytics.ts';
import { defineOperation, type Operation } from '../operation.ts';
import { toWireHead } from './campaign-head.ts';
import { toWireRun } from './campaigns.ts';
import { exportCampaignOperation } from './export-campaign.ts';
import { toWireCounts, toWireGroup, toWireRevised } from './group-row.ts';

export function analyticsOperations(deps: ExpectDeps): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/analytics/get-campaign-group-analytics-master',
      access: 'bearer',
      scope: 'read',
      tag: 'Analytics',
      summary: 'Read who received and read a campaign, per group, per run and over time',
      body: wire.groupAnalyticsBody,
      data: wire.groupAnalyticsData,
      isHeavy: true,
      errors: [404],
      async handle({ body, caller }) {
        const { campaign, totals, groups, runs, isRevised, timeline } = await readGroupAnalytics(
          deps,
          caller.userId,
          body.campaign_id,
        );
        const finishAt = body.with_estimate ? await expectFinish(deps, caller.userId, body.campaign_id) : undefined;
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
    }),
    defineOperation({
      path: '/api/v1/analytics/get-overview',
      access: 'bearer',
      scope: 'read',
      tag: 'Analytics',
      summary: 'Read what became of all your campaigns, day by day',
      description:
        'By days in your time zone. A post counts with all that came of it on the day it began, so that late receipts still count and the totals are the sums of the days.',
      body: wire.getOverviewBody,
      data: wire.getOverviewData,
      errors: [],
      handle: ({ body, caller }) => readOverview(deps, caller.userId, body.days),
    }),
    exportCampaignOperation(deps),
  ];
}
