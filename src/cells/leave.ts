/** What an installation does when a workspace leaves it: it stops, its right to send is taken away, and that can be taken back. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { lockLane } from '../accounts/store.ts';
import { recordAudit, type Actor } from '../audit/record-audit.ts';
import type { Connection, Database } from '../database/connect.ts';
import { hint } from '../database/tell-hints.ts';
import type { UserId } from '../database/schema.ts';
import { StartupError } from '../lib/errors.ts';
import { sleep } from '../lib/time.ts';
import type { Belongings } from './what-moves.ts';

/** A move that has begun here and has not ended. */
export interface Move {
  moveId: string;
  toCell: number;
  /** Whether the lane has been taken away. */
  hasLeft: boolean;
}

/** How long a turn in hand is waited for: longer than it takes until a worker that has died is followed by another. */
const TURN_MS = 60_000;
/** Until then, unless told otherwise, sessions are closed, what is remembered of tokens is forgotten, and requests that had been let in have written. */
const SETTLING_MS = 6_000;
const LOOK_MS = 250;

/**
 * Stops the workspace for its move to another cell: at most the turn in hand still leaves, requests are refused within a second. One whose
 * move has begun goes on with that. Throws a StartupError where it is on its way to yet another cell.
 */
export async function beginMove(db: Database, actor: Actor, of: Belongings, toCell: number): Promise<Move> {
  return db.transaction().execute(async (trx) => {
    await lockLane(trx, of.accountId);
    const begun = await findMove(trx, of);
    if (begun && begun.toCell !== toCell)
      throw new StartupError(`It has been moved to cell ${begun.toCell}: take it back first, if nobody imported it`);
    if (begun) return begun;
    const moveId = randomUUID();
    await sql`
      insert into moves (move_id, workspace_id, direction, cell, held_until)
      select ${moveId}, ${of.workspaceId}, 'leaving', ${toCell}, held_until from lanes where account_id = ${of.accountId}`.execute(
      trx,
    );
    await sql`update lanes set held_until = 'infinity' where account_id = ${of.accountId}`.execute(trx);
    await sql`update workspaces set moved_to = ${toCell} where workspace_id = ${of.workspaceId}`.execute(trx);
    await recordAudit(trx, { ...actor, action: 'workspace.exported', subject: `cell ${toCell}` });
    await tellProcesses(trx, of.userIds);
    return { moveId, toCell, hasLeft: false };
  });
}

async function findMove(trx: Connection, { workspaceId }: Belongings): Promise<Move | undefined> {
  const { rows } = await sql<Move>`
    select move_id as "moveId", cell as "toCell", lane is not null as "hasLeft" from moves
    where workspace_id = ${workspaceId} and direction = 'leaving'`.execute(trx);
  return rows[0];
}

/** Those that were let in before are no longer under way when this resolves. */
export async function settle(db: Database, settlingMs = SETTLING_MS): Promise<void> {
  await sleep(settlingMs);
  const { rows } = await sql<{ now: string }>`select pg_current_snapshot()::text as now`.execute(db);
  const before = rows[0]?.now ?? '';
  for (const deadline = performance.now() + TURN_MS; performance.now() < deadline; await sleep(LOOK_MS)) {
    const { rows: ended } = await sql<{ all: boolean }>`
      select pg_snapshot_xmin(pg_current_snapshot()) >= pg_snapshot_xmax(${before}::pg_snapshot) as "all"`.execute(db);
    if (ended[0]?.all) return;
  }
  throw new StartupError('A transaction of this database does not end: look for it in pg_stat_activity, then go on');
}

/**
 * Takes the lane away, and with it the right to send: what locks it first, as all do that change what is sent, finds none. Waits for the
 * turn in hand. Throws a StartupError when that does not end.
 */
export async function takeLane(db: Database, { accountId, workspaceId }: Belongings): Promise<void> {
  for (const deadline = performance.now() + TURN_MS; performance.now() < deadline; await sleep(LOOK_MS))
    if (await takeFreeLane(db, accountId, workspaceId)) return;
  throw new StartupError('A turn of its account does not end: is no worker running that could take it over?');
}

function takeFreeLane(db: Database, accountId: number, workspaceId: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      with taken as (
        delete from lanes where account_id = ${accountId} and in_hand_run_id is null returning *
      ), paused as (
        select coalesce(array_agg(run_id), '{}') as ids from runs
        where account_id = ${accountId} and status in ('planned', 'running') and paused
      )
      update moves m
      set lane = to_jsonb(taken) || jsonb_build_object('held_until', m.held_until), paused_run_ids = paused.ids
      from taken, paused where m.workspace_id = ${workspaceId} and m.direction = 'leaving' returning 1`.execute(trx);
    if (rows.length === 0) return false;
    // Whoever looks for runs that are due, or late, passes over those that are paused.
    await sql`
      update runs set paused = true where account_id = ${accountId} and status in ('planned', 'running')`.execute(trx);
    // Whoever still has a session open can no longer write its keys.
    await sql`update account_sessions set number = number + 1 where account_id = ${accountId}`.execute(trx);
    return true;
  });
}

/**
 * Undoes a move: the workspace is here again as it was. Only right where nobody has imported what was exported, nor ever will. Throws a
 * StartupError where no move has begun.
 */
export async function takeBack(db: Database, actor: Actor, of: Belongings): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const move = await findMove(trx, of);
    if (!move) throw new StartupError('This workspace has not been moved');
    if (move.hasLeft) await putLaneBack(trx, of);
    else
      await sql`
        update lanes l set held_until = m.held_until from moves m
        where l.account_id = ${of.accountId} and m.move_id = ${move.moveId}`.execute(trx);
    await sql`update moves set direction = 'taken_back', lane = null where move_id = ${move.moveId}`.execute(trx);
    await sql`update workspaces set moved_to = null where workspace_id = ${of.workspaceId}`.execute(trx);
    await recordAudit(trx, { ...actor, action: 'workspace.taken_back', subject: `cell ${move.toCell}` });
    await tellProcesses(trx, of.userIds);
  });
}

async function putLaneBack(trx: Connection, { accountId, workspaceId }: Belongings): Promise<void> {
  const leaving = sql`m.workspace_id = ${workspaceId} and m.direction = 'leaving'`;
  await sql`
    update runs r set paused = r.run_id = any(m.paused_run_ids) from moves m
    where r.account_id = ${accountId} and r.status in ('planned', 'running') and ${leaving}`.execute(trx);
  await insertLane(trx, sql`select m.lane from moves m where ${leaving}`);
}

/** Of a lane as `takeLane` keeps it. It looks for work at once. */
export async function insertLane(trx: Connection, lane: ReturnType<typeof sql>): Promise<void> {
  await sql`
    insert into lanes (account_id, messenger, work_at, next_send_at, held_until, open_until, open_for, turn, changes)
    select l.account_id, l.messenger, campanile_now(), l.next_send_at,
           -- It may have been stopped after it was held for the move.
           case when a.stop_reason is null then l.held_until else 'infinity' end, l.open_until, l.open_for, l.turn, l.changes
    from jsonb_populate_record(null::lanes, (${lane})) l join accounts a using (account_id)`.execute(trx);
  await hint(trx, 'campanile_lanes');
  await hint(trx, 'campanile_runs');
}

async function tellProcesses(trx: Connection, userIds: readonly UserId[]): Promise<void> {
  for (const userId of userIds) await hint(trx, 'campanile_tokens', String(userId));
}
