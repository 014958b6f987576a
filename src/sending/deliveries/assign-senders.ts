/**
 * Which account of a workspace sends a delivery. It can change as long as the post surely has not left: the ids of a message belong to its
 * account, so the messaging application would not drop a second one.
 */
import { execute, readColumn, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import { readResting } from '../accounts/send-window-rules.ts';
import { shareRuns, wakeLanes } from '../accounts/store.ts';
import { messageIdOf } from './insert-deliveries.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** The condition that an attempt of a delivery may have left. */
export const isUncertain = (delivery: RawBuilder<unknown>) => sql<boolean>`(
  ${delivery}.uncertain or ${delivery}.interrupted_attempts > 0)`;

/** The condition that a queued delivery surely has not left: it was not tried, or each attempt was refused. It may change its account. */
export const mayChangeAccount = (delivery: RawBuilder<unknown>) => sql<boolean>`(
  ${delivery}.status = 'queued' and not ${delivery}.uncertain and ${delivery}.interrupted_attempts = 0
  and ${delivery}.delivered + ${delivery}.views = 0)`;

/** The condition that nothing is known of a tried delivery, and that the account that tried it is no longer linked: it will not be known. */
export const isUncertainForGood = (delivery: RawBuilder<unknown>) => sql<boolean>`(
  ${delivery}.status = 'queued' and ${delivery}.delivered + ${delivery}.views = 0 and not exists (
    select from lanes l join accounts a using (account_id)
    where l.account_id = ${delivery}.account_id and a.status not in ('unlinked', 'logged_out')))`;

/** The condition that the account of a row was not removed. */
export const hasLane = (row: RawBuilder<unknown>) => sql<boolean>`exists (
  select from lanes l where l.account_id = ${row}.account_id)`;

/** The condition that a delivery is in the hands of a sender. */
const isInHand = (delivery: RawBuilder<unknown>) => sql<boolean>`exists (
  select from lanes l
  where l.workspace_id = ${delivery}.workspace_id and l.in_hand_run_id = ${delivery}.run_id and ${delivery}.position <@ l.in_hand)`;

/** The assignments that give a delivery `d` all attempts again, and at once. Those that were tried go before those that were not. */
const AFRESH = sql`attempts = 0, uncertain = false, resend = false, interrupted_attempts = 0, not_before = case when d.not_before is not null then campanile_now() end`;

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
  /** Get none, and only accounts that can send there get any; of those in hand, accounts that may post there. */
  passed?: readonly AccountId[];
  /** These positions alone. */
  only?: readonly number[];
  /** Default is false. If this is true, they are in the hands of a turn that the caller finishes. */
  areInHand?: boolean;
  /** Also those that may have left by an account that is no longer linked: a group may get them twice. Default is false. */
  acceptDuplicates?: boolean;
  /** Only what this account would send. */
  to?: AccountId;
  /** What leaves `from`, which is down, returns once it is connected. Default is false. */
  isReturnable?: boolean;
  /** The installation's, IANA; UTC unless given. */
  timeZone?: string | undefined;
}

/**
 * Gives deliveries that surely have not left, and are not in hand, to the account that `choose_senders` chooses, with message ids of its own
 * and all attempts, and wakes the lanes. With `from` or `to`, deliveries that no other account can send stay. Returns the positions of those that have
 * another account now. The ledger must be locked.
 */
export async function assignSenders(
  trx: Connection,
  {
    workspaceId,
    runId,
    from,
    to,
    wanted = null,
    passed = [],
    only,
    areInHand = false,
    acceptDuplicates = false,
    isReturnable = false,
    timeZone = 'UTC',
  }: Assigned,
): Promise<number[]> {
  const resting = await readResting(trx, [workspaceId], timeZone);
  const isBegun = from !== undefined || to !== undefined;
  const isMovable = acceptDuplicates
    ? sql`(${mayChangeAccount(sql`d`)} or ${isUncertainForGood(sql`d`)})`
    : mayChangeAccount(sql`d`);
  const isChosen = areInHand ? sql`s.may_post` : isBegun ? sql`s.is_fit` : sql`true`;
  const positions = await readColumn<number>(trx)`
    with run as materialized (
      select r.workspace_id, r.run_id, c.public_id, k.legacy_account_id, coalesce(${wanted}::bigint, (t.extras ->> 'accountId')::bigint) as wanted
      from runs r join campaigns c on c.campaign_id = r.campaign_id join contents t on t.content_id = r.content_id
      join workspace_ledgers k on k.workspace_id = r.workspace_id
      where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and r.status = 'running'
    ), target as materialized (
      select q.place, q.group_id from run cross join lateral (
        select d.ctid as place, d.* from deliveries d
        where d.workspace_id = run.workspace_id and d.run_id = run.run_id and ${isMovable}
          ${only ? sql`and d.position = any(${[...only]}::int[])` : sql``}
        order by d.position) q
      where (${from ?? null}::bigint is null or q.account_id = ${from ?? null})
        and ${areInHand ? sql`true` : sql`not ${isInHand(sql`q`)}`}
    ), choice as materialized (
      -- One value, and places: joined as rows, each would be read for each delivery while nobody knows how many there are.
      select jsonb_object_agg(s.group_id, s.account_id) as accounts from run
      cross join lateral choose_senders(run.workspace_id, array(select distinct group_id from target), run.wanted,
                                        ${[...passed]}::bigint[], ${resting}::bigint[]) s
      where ${isChosen} and (${to ?? null}::bigint is null or s.account_id = ${to ?? null})
    ), given as (
      update deliveries d
      set account_id = ${chosen}, message_id = ${messageIdOf('run', 'd', chosen)}, ${AFRESH}
      from run
      where d.ctid = any(array(select place from target)) and ${chosen} <> d.account_id
      returning d.position, d.account_id
    ), sender as (
      insert into run_senders as s (workspace_id, run_id, account_id, next_position)
      select run.workspace_id, run.run_id, g.account_id, min(g.position) from run, given g group by 1, 2, 3
      on conflict (workspace_id, run_id, account_id) do update set next_position = excluded.next_position
      where s.next_position > excluded.next_position
    )
    select position from given order by position`;
  if (positions.length === 0) return positions;
  await shareRuns(trx, workspaceId);
  if (isReturnable)
    await execute(trx)`
      insert into run_senders (workspace_id, run_id, account_id, returns) values (${workspaceId}, ${runId}, ${from ?? null}, true)
      on conflict (workspace_id, run_id, account_id) do update set returns = true`;
  if (isBegun)
    await execute(trx)`
      select advance_senders(array_agg(workspace_id), array_agg(run_id), array_agg(account_id))
      from run_senders where workspace_id = ${workspaceId} and run_id = ${runId}`;
  await wakeLanes(trx, workspaceId);
  return positions;
}

/** An account that sends deliveries of a run. */
export interface RunSender {
  workspaceId: WorkspaceId;
  runId: number;
  accountId: AccountId;
}

/** Gives an account that is connected again what of a run it would send now. The ledger must be locked. */
export async function returnDeliveries(
  trx: Connection,
  { workspaceId, runId, accountId }: RunSender,
  timeZone: string | undefined,
): Promise<void> {
  await assignSenders(trx, { workspaceId, runId, to: accountId, timeZone });
  await execute(trx)`
    update run_senders s set returns = exists (
      -- What another account has in hand may come back untried.
      select from lanes l where l.workspace_id = s.workspace_id and l.in_hand_run_id = s.run_id and l.account_id <> s.account_id)
    where workspace_id = ${workspaceId} and run_id = ${runId} and account_id = ${accountId}`;
}
