/**
 * Which account of a workspace deletes, pins or unpins a post: its sender, or an admin of the group in its place. Only the sender can
 * correct it.
 */
import { execute, readColumn, readRows, readValue, sql, type RawBuilder } from '../../platform/database/statements.ts';
import { lockGroupAccounts } from '../accounts/group-accounts.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import type { RevisionTurn } from './claim-revisions.ts';

/** The condition that account `a` of workspace `w` cannot send. */
const isDown = sql<boolean>`is_down(a.status::text, a.stop_reason::text, a.down_since, w.failover_minutes)`;

/**
 * The account that revises a post, a row with the workspace, the group and the account that sent it: the sender unless it is removed or down,
 * else the first admin of the group that can send, the default account before the others; else the sender, which waits. Null if there is
 * none. Posts that do not meet `mayBeAdmin` have their sender alone. `except` has been refused: the sender comes last, since it may have been.
 */
export function chooseReviser(
  post: RawBuilder<unknown>,
  { mayBeAdmin = sql`true`, except }: { mayBeAdmin?: RawBuilder<unknown>; except?: AccountId } = {},
): RawBuilder<AccountId | null> {
  const isSender = sql`a.account_id = ${post}.account_id`;
  // Of most posts the sender is connected: then nobody else is looked at.
  const ifConnected =
    except === undefined
      ? sql`(select a.account_id from accounts a where ${isSender} and a.down_since is null and a.removed_at is null limit 1)`
      : sql`null::bigint`;
  return sql<AccountId | null>`coalesce(${ifConnected}, (
    select a.account_id
    from workspaces w
    join accounts a on a.workspace_id = w.workspace_id and a.removed_at is null and a.account_id is distinct from ${except ?? null}::bigint
    left join group_accounts m on m.account_id = a.account_id and m.group_id = ${post}.group_id
    where w.workspace_id = ${post}.workspace_id
      and (${isSender} or ${mayBeAdmin} and m.is_admin and m.gone_at is null and not ${isDown})
    order by ${isDown}, (${isSender}) = ${except !== undefined}, not a.is_default, a.account_id limit 1))`;
}

/** The account of a row `v` that is wanted again: `chosen`, unless its account may have it in hand. */
export const unlessInHand = (v: RawBuilder<unknown>, chosen: RawBuilder<unknown>) => sql<AccountId>`
  case when ${v}.wanted is not null and exists (
    select from lanes l where l.account_id = ${v}.account_id and l.in_hand_run_id = ${v}.run_id)
  then ${v}.account_id else ${chosen} end`;

/** Returns which of these accounts are down, have nothing in hand, and are not the only ones of their workspace that can send. */
export function findReplaceable(db: Connection, accountIds: readonly AccountId[]) {
  return readRows<{ workspaceId: WorkspaceId; accountId: AccountId }>(db)`
    select a.workspace_id as "workspaceId", a.account_id as "accountId"
    from accounts a join workspaces w on w.workspace_id = a.workspace_id join lanes l on l.account_id = a.account_id
    where a.account_id = any(${[...accountIds]}::bigint[]) and l.in_hand_run_id is null and ${isDown}
      and exists (select from accounts o where o.workspace_id = a.workspace_id and o.removed_at is null and o.status = 'connected')`;
}

/** So many revisions and so many pins change their account in one transaction. */
const MOVED_TOGETHER = 2_000;

/**
 * Gives the recalls and pins that wait for an account to those that `chooseReviser` chooses, with all attempts, as far as they are others.
 * Returns whether there may be more. The ledger must be locked.
 */
export async function handOverRevisions(
  trx: Connection,
  { workspaceId, accountId }: { workspaceId: WorkspaceId; accountId: AccountId },
): Promise<boolean> {
  const isFree = await readValue<boolean>(trx)`
    select in_hand_run_id is null as "isFree" from lanes where account_id = ${accountId}`;
  if (!isFree) return false;
  let most = 0;
  for (const [table, which] of [
    ['revisions', sql`and r.wanted = 'recall' and not r.is_channel`],
    ['pins', sql`and r.wanted is not null`],
  ] as const) {
    const waiting = sql`
      select r.ctid as row, r.run_id, r.position from ${sql.table(table)} r
      where r.workspace_id = ${workspaceId} and r.account_id = ${accountId} ${which}`;
    const moved = await execute(trx)`
      update ${sql.table(table)} v set account_id = t.account_id, not_before = null, attempts = 0
      from (
        select r.row, c.account_id
        from (${waiting} and r.not_before is null union all ${waiting} and r.not_before is not null) r
        cross join lateral (
          select * from deliveries d where d.workspace_id = ${workspaceId} and d.run_id = r.run_id and d.position = r.position limit 1) d
        cross join lateral (select ${chooseReviser(sql`d`)} as account_id) c
        where c.account_id <> ${accountId}
        limit ${MOVED_TOGETHER}
      ) t where v.ctid = t.row`;
    most = Math.max(most, moved);
  }
  if (most > 0) await notifyAfterCommit(trx, 'campanile_revisions');
  return most === MOVED_TOGETHER;
}

/**
 * Records that the account of a turn is no admin of the groups of these posts, which refused its recall or pin, until a sync finds otherwise.
 * Gives to others what they may do, with all attempts, and returns the positions. The ledger and the lane must be locked.
 */
export async function handOverDenied(
  trx: Connection,
  { workspaceId, accountId, runId, number, kind }: RevisionTurn,
  positions: readonly number[],
): Promise<Set<number>> {
  if (kind === 'correct' || positions.length === 0) return new Set();
  await lockGroupAccounts(trx, workspaceId);
  const denied = sql`
    deliveries d where d.workspace_id = ${workspaceId} and d.run_id = ${runId} and d.position = any(${[...positions]}::int[])`;
  await execute(trx)`
    update group_accounts m set is_admin = false
    where m.account_id = ${accountId} and m.is_admin and m.group_id = any(array(select d.group_id from ${denied}))`;
  const moved = await readColumn<number>(trx)`
    update ${sql.table(kind === 'recall' ? 'revisions' : 'pins')} v set account_id = c.account_id, not_before = null, attempts = 0
    from (select d.position, ${chooseReviser(sql`d`, { except: accountId })} as account_id from ${denied}) c
    where v.workspace_id = ${workspaceId} and v.run_id = ${runId} and v.position = c.position and v.number = ${number}
      and v.wanted is not null and c.account_id is not null
    returning v.position`;
  if (moved.length > 0) await notifyAfterCommit(trx, 'campanile_revisions');
  return new Set(moved);
}
