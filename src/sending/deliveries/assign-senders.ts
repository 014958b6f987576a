/** Which account of a workspace sends a delivery. It can change only until the first attempt: the ids of a message belong to its account. */
import { sql, type RawBuilder } from 'kysely';
import { readResting } from '../accounts/send-window-rules.ts';
import { wakeLanes } from '../accounts/store.ts';
import type { Connection } from '../../platform/database/connect.ts';
import { messageIdOf } from './message-id.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** The condition that a delivery was never tried: it may change its account. */
export const isUntried = (delivery: RawBuilder<unknown>) => sql<boolean>`(
  ${delivery}.status = 'queued' and ${delivery}.attempts = 0 and not ${delivery}.uncertain and ${delivery}.interrupted_attempts = 0)`;

/** The condition that a delivery is in the hands of a sender. */
const isInHand = (delivery: RawBuilder<unknown>) => sql<boolean>`exists (
  select from lanes l
  where l.workspace_id = ${delivery}.workspace_id and l.in_hand_run_id = ${delivery}.run_id and ${delivery}.position <@ l.in_hand)`;

/** The condition that a handed over delivery `d` can be given back to this account now. */
export const mayReturn = (accountId: RawBuilder<unknown>) => sql<boolean>`(
  ${isUntried(sql`d`)} and not ${isInHand(sql`d`)} and exists (
    select from group_accounts m
    where m.account_id = ${accountId} and m.group_id = d.group_id and m.can_send and m.gone_at is null))`;

/** The account that is chosen for the group of a delivery `d`. */
const chosen = sql`((select accounts from choice) ->> d.group_id::text)::bigint`;

/** Deliveries of a run. */
export interface Assigned {
  workspaceId: WorkspaceId;
  runId: number;
  /** Only those of this account; of all unless given. */
  from?: AccountId;
  /** Goes before the senders of each group. */
  wanted?: AccountId | null;
  /** Get none. */
  passed?: readonly AccountId[];
  /** They may return to `from`, which is down. Default is false. */
  isReturnable?: boolean;
  /** The installation's, IANA; UTC unless given. */
  timeZone?: string | undefined;
}

/**
 * Gives deliveries that were never tried, and are not in hand, to the account that `choose_senders` chooses, with message ids of its own,
 * and wakes the lanes. With `from`, deliveries that no other account can send stay. Returns how many have another account now. The ledger must
 * be locked.
 */
export async function assignSenders(
  trx: Connection,
  { workspaceId, runId, from, wanted = null, passed = [], isReturnable = false, timeZone = 'UTC' }: Assigned,
): Promise<number> {
  const resting = await readResting(trx, [workspaceId], timeZone);
  const { rows } = await sql<{ count: number }>`
    with run as materialized (
      select r.workspace_id, r.run_id, c.public_id, k.legacy_account_id, coalesce(${wanted}::bigint, (t.extras ->> 'accountId')::bigint) as wanted
      from runs r join campaigns c on c.campaign_id = r.campaign_id join contents t on t.content_id = r.content_id
      join workspace_ledgers k on k.workspace_id = r.workspace_id
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.status = 'running'
    ), target as materialized (
      select q.place, q.group_id from run cross join lateral (
        select d.ctid as place, d.* from deliveries d
        where d.workspace_id = run.workspace_id and d.run_id = run.run_id and ${isUntried(sql`d`)}
        order by d.position) q
      where (${from ?? null}::bigint is null or q.account_id = ${from ?? null})
        and not ${isInHand(sql`q`)}
    ), choice as materialized (
      -- One value, and places: joined as rows, each would be read for each delivery while nobody knows how many there are.
      select jsonb_object_agg(s.group_id, s.account_id) as accounts from run
      cross join lateral choose_senders(run.workspace_id, array(select distinct group_id from target), run.wanted,
                                        ${[...passed]}::bigint[], ${resting}::bigint[]) s
      where s.is_fit or ${from === undefined}::boolean
    ), given as (
      update deliveries d
      set account_id = ${chosen}, message_id = ${messageIdOf('run', 'd', chosen)},
          -- Of a chain of stand-ins the account that was the first to be down.
          handed_from = case when ${isReturnable}::boolean then nullif(coalesce(d.handed_from, ${from ?? null}), ${chosen}) end
      from run
      where d.ctid = any(array(select place from target)) and ${chosen} <> d.account_id
      returning 1
    )
    select count(*)::int as count from given`.execute(trx);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return 0;
  if (isReturnable)
    await sql`update runs set has_handed_over = true where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(
      trx,
    );
  await wakeLanes(trx, workspaceId);
  return count;
}

/**
 * Gives handed over deliveries of a run back to their account, as far as they were not tried and it may post there, with the message ids
 * that they had. The ledger must be locked.
 */
export async function returnDeliveries(
  trx: Connection,
  { workspaceId, runId, accountId }: { workspaceId: WorkspaceId; runId: number; accountId: AccountId },
): Promise<void> {
  await sql`
    with run as materialized (
      select r.workspace_id, r.run_id, c.public_id, k.legacy_account_id, ${accountId}::bigint as account_id
      from runs r join campaigns c on c.campaign_id = r.campaign_id join workspace_ledgers k on k.workspace_id = r.workspace_id
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.status = 'running'
    )
    update deliveries d set account_id = run.account_id, message_id = ${messageIdOf('run', 'd', 'run.account_id')}, handed_from = null
    from run
    where d.workspace_id = run.workspace_id and d.run_id = run.run_id and d.handed_from = ${accountId}
      and ${mayReturn(sql`${accountId}::bigint`)}`.execute(trx);
  await sql`
    update runs r set has_handed_over = exists (
      select from deliveries d
      where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.handed_from is not null and d.status = 'queued')
    where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(trx);
  await wakeLanes(trx, workspaceId);
}
