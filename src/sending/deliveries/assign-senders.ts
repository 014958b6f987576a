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
  /** Get none. */
  passed?: readonly AccountId[];
  /** Only what this account would send. */
  to?: AccountId;
  /** What leaves `from`, which is down, returns once it is connected. Default is false. */
  isReturnable?: boolean;
  /** The installation's, IANA; UTC unless given. */
  timeZone?: string | undefined;
}

/**
 * Gives deliveries that were never tried, and are not in hand, to the account that `choose_senders` chooses, with message ids of its own,
 * and wakes the lanes. With `from` or `to`, deliveries that no other account can send stay. Returns how many have another account now. The ledger must
 * be locked.
 */
export async function assignSenders(
  trx: Connection,
  {
    workspaceId,
    runId,
    first = 1,
    last = 2_147_483_647,
    from,
    to,
    wanted = null,
    passed = [],
    isReturnable = false,
    timeZone = 'UTC',
  }: Assigned,
): Promise<number> {
  const isBegun = from !== undefined || to !== undefined;
  const resting = await readResting(trx, workspaceId, timeZone);
  const { rows } = await sql<{ count: number }>`
    with run as materialized (
      update runs r set is_shared = true from campaigns c, contents t, workspace_ledgers k
      where r.workspace_id = ${workspaceId} and k.workspace_id = r.workspace_id and r.run_id = ${runId} and r.status = 'running' and c.campaign_id = r.campaign_id
        and t.content_id = r.content_id
      returning r.workspace_id, r.run_id, c.public_id, k.legacy_account_id, coalesce(${wanted}::bigint, (t.extras ->> 'accountId')::bigint) as wanted
    ), target as materialized (
      select q.position, q.group_id, q.account_id from run cross join lateral (
        select * from deliveries d
        where d.workspace_id = run.workspace_id and d.run_id = run.run_id and d.position between ${first}::int and ${last}::int
          and ${isUntried(sql`d`)}
        order by d.position) q
      where (${from ?? null}::bigint is null or q.account_id = ${from ?? null})
        and not ${isInHand(sql`q`)}
    ), choice as materialized (
      select s.* from run
      cross join lateral choose_senders(run.workspace_id, array(select distinct group_id from target), run.wanted,
                                        ${[...passed]}::bigint[], ${resting}::bigint[]) s
    ), placed as materialized (
      select t.position, t.account_id as before,
             case when (c.is_fit or ${!isBegun}::boolean) and (${to ?? null}::bigint is null or c.account_id = ${to ?? null})
               then c.account_id else t.account_id end as account_id
      from target t join choice c on c.group_id = t.group_id
    ), sender as (
      insert into run_senders as s (workspace_id, run_id, account_id, next_position)
      select run.workspace_id, run.run_id, p.account_id, min(p.position) from run, placed p group by 1, 2, 3
      on conflict (workspace_id, run_id, account_id) do update set next_position = excluded.next_position
      where s.next_position > excluded.next_position
    ), given as (
      update deliveries d set account_id = p.account_id, message_id = ${messageIdOf('run', 'd', 'p.account_id')}
      from run, placed p
      where d.workspace_id = run.workspace_id and d.run_id = run.run_id and d.position = p.position and p.account_id <> p.before
      returning 1
    )
    select count(*)::int as count from given`.execute(trx);
  const count = rows[0]?.count ?? 0;
  if (count === 0) return 0;
  if (isReturnable)
    await sql`
      insert into run_senders (workspace_id, run_id, account_id, returns) values (${workspaceId}, ${runId}, ${from ?? null}, true)
      on conflict (workspace_id, run_id, account_id) do update set returns = true`.execute(trx);
  if (isBegun)
    await sql`
      select advance_senders(array_agg(workspace_id), array_agg(run_id), array_agg(account_id))
      from run_senders where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(trx);
  await wakeLanes(trx, workspaceId);
  return count;
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
  await sql`
    update run_senders s set returns = exists (
      -- What another account has in hand may come back untried.
      select from lanes l where l.workspace_id = s.workspace_id and l.in_hand_run_id = s.run_id and l.account_id <> s.account_id)
    where workspace_id = ${workspaceId} and run_id = ${runId} and account_id = ${accountId}`.execute(trx);
}
