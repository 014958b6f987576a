/**
 * Which account of a workspace sends a delivery. It can change as long as the post surely has not left: the ids of a message belong to its
 * account, so the messaging application would not drop a second one.
 */
import { sql, type RawBuilder } from 'kysely';
import { wakeLanes } from '../accounts/store.ts';
import type { Connection } from '../../platform/database/connect.ts';
import { messageIdOf } from './message-id.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** The condition that a queued delivery surely has not left: it was not tried, or each attempt was refused. It may change its account. */
export const mayChangeAccount = (delivery: RawBuilder<unknown>) => sql<boolean>`(
  ${delivery}.status = 'queued' and not ${delivery}.uncertain and ${delivery}.interrupted_attempts = 0
  and ${delivery}.delivered + ${delivery}.views = 0)`;

/** The condition that the account of a row was not removed. */
export const hasLane = (row: RawBuilder<unknown>) => sql<boolean>`exists (
  select from lanes l where l.account_id = ${row}.account_id)`;

/** The condition that a delivery is in the hands of a sender. */
const isInHand = (delivery: RawBuilder<unknown>) => sql<boolean>`exists (
  select from lanes l
  where l.workspace_id = ${delivery}.workspace_id and l.in_hand_run_id = ${delivery}.run_id and ${delivery}.position <@ l.in_hand)`;

/** The condition that an account may post in the group of a row, as far as is known. */
const mayPost = (accountId: RawBuilder<unknown>, row: RawBuilder<unknown>) => sql<boolean>`exists (
  select from group_accounts m
  where m.account_id = ${accountId} and m.group_id = ${row}.group_id and m.can_send and m.gone_at is null)`;

/** The assignments that give a delivery `d` all attempts again, and at once. Those that were tried go before those that were not. */
const AFRESH = sql`attempts = 0, not_before = case when d.not_before is not null then campanile_now() end`;

/** The condition that a handed over delivery `d` can be given back to this account now. */
export const mayReturn = (accountId: RawBuilder<unknown>) => sql<boolean>`(
  ${mayChangeAccount(sql`d`)} and not ${isInHand(sql`d`)} and ${mayPost(accountId, sql`d`)})`;

/** Deliveries of a run. */
export interface Assigned {
  workspaceId: WorkspaceId;
  runId: number;
  /** Their positions; all unless given. */
  first?: number;
  last?: number;
  /** Only those of this account; of all unless given. */
  from?: AccountId;
  /** Goes before the senders of each group. */
  wanted?: AccountId | null;
  /** Gets none, and only accounts that may post there get any. */
  passed?: AccountId;
  /** These positions alone. */
  only?: readonly number[];
  /** Default is false. If this is true, they are in the hands of a turn that the caller finishes. */
  areInHand?: boolean;
  /** They may return to `from`, which is down. Default is false. */
  isReturnable?: boolean;
}

/**
 * Gives deliveries that surely have not left, and are not in hand, to the account that `choose_senders` chooses, with message ids of its own
 * and all attempts, and wakes the lanes. Deliveries for which it chooses `passed` stay. Returns the positions of those that have another
 * account now. The ledger must be locked.
 */
export async function assignSenders(
  trx: Connection,
  {
    workspaceId,
    runId,
    first = 1,
    last = 2_147_483_647,
    from,
    wanted = null,
    passed,
    only,
    areInHand = false,
    isReturnable = false,
  }: Assigned,
): Promise<number[]> {
  const { rows } = await sql<{ position: number }>`
    with run as materialized (
      update runs r set is_shared = true from campaigns c, contents t, workspace_ledgers k
      where r.workspace_id = ${workspaceId} and k.workspace_id = r.workspace_id and r.run_id = ${runId} and r.status = 'running' and c.campaign_id = r.campaign_id
        and t.content_id = r.content_id
      returning r.workspace_id, r.run_id, c.public_id, k.legacy_account_id, coalesce(${wanted}::bigint, (t.extras ->> 'accountId')::bigint) as wanted
    ), target as materialized (
      select q.position, q.group_id, q.account_id from run cross join lateral (
        select * from deliveries d
        where d.workspace_id = run.workspace_id and d.run_id = run.run_id and d.position between ${first}::int and ${last}::int
          and ${mayChangeAccount(sql`d`)}
        order by d.position) q
      where (${from ?? null}::bigint is null or q.account_id = ${from ?? null})
        and (${only ? [...only] : null}::int[] is null or q.position = any(${only ? [...only] : null}::int[]))
        and ${areInHand ? sql`true` : sql`not ${isInHand(sql`q`)}`}
    ), choice as materialized (
      select s.group_id, s.account_id from run
      cross join lateral choose_senders(run.workspace_id, array(select distinct group_id from target), run.wanted, ${passed ?? null}::bigint) s
    ), given as (
      update deliveries d
      set account_id = c.account_id, message_id = ${messageIdOf('run', 'c', 'c.account_id')}, ${AFRESH},
          handed_from = case when ${isReturnable}::boolean then ${from ?? null}::bigint end
      from run, target t join choice c on c.group_id = t.group_id
      where d.workspace_id = run.workspace_id and d.run_id = run.run_id and d.position = t.position
        and c.account_id <> t.account_id and (${passed ?? null}::bigint is null or c.account_id <> ${passed ?? null} and ${mayPost(sql`c.account_id`, sql`t`)})
      returning d.position
    )
    select position from given order by position`.execute(trx);
  const positions = rows.map(({ position }) => position);
  if (positions.length === 0) return positions;
  // Not in the statement above: it can change the row of the run once only.
  if (isReturnable)
    await sql`update runs set has_handed_over = true where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(
      trx,
    );
  await wakeLanes(trx, workspaceId);
  return positions;
}

/**
 * Gives handed over deliveries of a run back to their account, as far as they surely have not left and it may post there, with the message
 * ids that they had. The ledger must be locked.
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
    update deliveries d
    set account_id = run.account_id, message_id = ${messageIdOf('run', 'd', 'run.account_id')}, ${AFRESH}, handed_from = null
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
