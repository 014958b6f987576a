import { readOverview, type OverviewSums, type OverviewTotals } from '../../../sending/analytics/read-overview.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { getOverviewBody, getOverviewData } from '../../contract/analytics.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { rate } from '../rate.ts';

export function getOverviewOperation(deps: { db: Database; timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/analytics/get-overview',
    access: 'bearer',
    scope: 'read',
    tag: 'Analytics',
    summary: 'Read what became of all your campaigns, day by day',
    description:
      'By days in your time zone. A run counts with all that came of it on the day it began, so that late receipts still count and the totals are the sums of the days; but for the groups, which count once.',
    body: getOverviewBody,
    data: getOverviewData,
    errors: [],
    async handle({ body, actor }) {
      const { totals, previous, daily } = await readOverview(deps, actor, body.days, {
        withPrevious: body.with_previous,
      });
      return {
        totals: toWireTotals(totals),
        ...(previous && { previous: toWireTotals(previous) }),
        daily: daily.map(({ date, ...sums }) => ({ date, ...toWireSums(sums) })),
      };
    },
  });
}

function toWireTotals({ campaigns, groups, ...sums }: OverviewTotals) {
  return { campaigns, groups, ...toWireSums(sums) };
}

function toWireSums({ acknowledging, ...sums }: OverviewSums) {
  return { ...sums, posts: sums.runs, read_rate: rate(sums.read, acknowledging) };
}
