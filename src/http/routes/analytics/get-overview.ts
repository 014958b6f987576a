import { readOverview } from '../../../analytics/read-overview.ts';
import type { Database } from '../../../database/connect.ts';
import { getOverviewBody, getOverviewData } from '../../contract/analytics.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function getOverviewOperation(deps: { db: Database; timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/analytics/get-overview',
    access: 'bearer',
    scope: 'read',
    tag: 'Analytics',
    summary: 'Read what became of all your campaigns, day by day',
    description:
      'By days in your time zone. A post counts with all that came of it on the day it began, so that late receipts still count and the totals are the sums of the days.',
    body: getOverviewBody,
    data: getOverviewData,
    errors: [],
    handle: ({ body, actor }) => readOverview(deps, actor, body.days),
  });
}
