import type { Database } from '../../../platform/database/connect.ts';
import { checkHold } from '../../../operations/hold/manage-hold.ts';
import { listQueuedData, MOST_QUEUED } from '../../contract/hold.ts';
import { nothing } from '../../contract/fields.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listQueuedOperation({ db }: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/admin/list_queued',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'See what is queued in a ledger that is held',
    description:
      'For administrators: by campaign, in the order they were accepted, 1,000 at most, and when each was last known to send. A 409 where the ledger is not held.',
    body: nothing,
    data: listQueuedData,
    errors: [409],
    async handle({ actor }) {
      const { since, reason, queued } = await checkHold(db, actor);
      return {
        held_since: since.toISOString(),
        reason,
        campaigns: queued.slice(0, MOST_QUEUED).map((one) => ({
          campaign_id: one.campaignId,
          name: one.name,
          user_name: one.userName,
          queued: one.queued,
          last_sent_at: one.lastSentAt?.toISOString() ?? null,
        })),
        left_out: Math.max(0, queued.length - MOST_QUEUED),
      };
    },
  });
}
