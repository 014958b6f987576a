import { listRuns } from '../../../sending/campaigns/read/list-runs.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { listRunsBody, listRunsData } from '../../contract/list-runs.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listRunsOperation(deps: { db: Database; timeZone: string }): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-runs',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'List the runs of all your campaigns that are due on some days, for a calendar',
    description: 'In order of acceptance. A campaign that was sent at once has one run, due when it was accepted.',
    body: listRunsBody,
    data: listRunsData,
    errors: [404],
    async handle({ body, actor }) {
      const { start_date: startDate, end_date: endDate, limit, cursor } = body;
      const { runs, next } = await listRuns(deps, actor, {
        startDate,
        endDate,
        limit,
        after: readCursor(cursor) ?? 0,
        kind: body.kind,
        groupListId: body.group_list_id,
      });
      return {
        runs: runs.map((run) => ({
          run_id: run.runId,
          campaign_id: run.campaignId,
          name: run.name,
          campaign_status: run.campaignStatus,
          due_at: run.dueAt.toISOString(),
          status: run.status,
          ...(body.with_counts && {
            group_count: run.groupCount,
            queued: run.queued,
            sent: run.sent,
            failed: run.failed,
          }),
        })),
        next_cursor: writeCursor(next),
      };
    },
  });
}
