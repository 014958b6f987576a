import { sql } from 'kysely';
import { readSendWindows, type RestReason } from '../../accounts/send-window-rules.ts';
import { isWaitedFor } from '../../accounts/is-waited-for.ts';
import type { Database } from '../../../platform/database/connect.ts';
import type { AccountId } from '../../../platform/database/schema.ts';
import type { CampaignDetails } from './get-campaign.ts';

/** Why posts that are due do not leave at once. */
export interface Wait {
  /** The account that they wait for. */
  accountId: AccountId;
  reason: RestReason;
  /** Null: they leave, slowly. */
  until: Temporal.Instant | null;
}

/**
 * Returns why queued posts of a running campaign wait because of a rule of their account; undefined if they do not. Of several accounts
 * it is the one that they wait for longest. `timeZone` is the installation's.
 */
export async function findWait(
  { db, timeZone }: { db: Database; timeZone: string },
  { campaignId, workspaceId, status, runs }: Pick<CampaignDetails, 'campaignId' | 'workspaceId' | 'status' | 'runs'>,
): Promise<Wait | undefined> {
  const isWaiting = status === 'running' && runs.some((run) => run.status === 'running' && run.queued > 0);
  if (!isWaiting) return undefined;
  const { rows } = await sql<{ accountId: AccountId }>`
    select l.account_id as "accountId" from lanes l
    where l.workspace_id = ${workspaceId} and exists (
      select from runs r
      where r.campaign_id = ${campaignId} and r.status = 'running' and r.queued > 0 and ${isWaitedFor(sql`l.account_id`)})`.execute(
    db,
  );
  const windows = await readSendWindows(
    db,
    rows.map(({ accountId }) => accountId),
    timeZone,
  );
  const waits = windows.flatMap(({ accountId, reason, until, warmUpFrom }): Wait[] => {
    if (reason) return [{ accountId, reason, until }];
    return warmUpFrom ? [{ accountId, reason: 'warm_up', until: null }] : [];
  });
  const endOf = ({ until }: Wait) => until?.epochMilliseconds ?? 0;
  return waits.toSorted((one, other) => endOf(other) - endOf(one))[0];
}
