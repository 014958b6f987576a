import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import { sealSecrets } from '../backup/secrets-box.ts';
import type { Connection, Database } from '../database/connect.ts';
import type { UserId, WorkspaceId } from '../database/schema.ts';
import { StartupError } from '../lib/errors.ts';
import { createVault, type Vault } from '../lib/vault.ts';
import { beginMove, settle, takeLane, type Move } from './leave.ts';
import { writeMoveFile, type Header, type MovedRow } from './move-file.ts';
import { readCell, readCounters } from './number-cell.ts';
import { reseal } from './reseal.ts';
import { belongsTo, MOVES, type Belongings } from './what-moves.ts';

/** Rows are read in such pieces. */
const PIECE = 500;
/** What is counted over all workspaces, and has to go on above what was moved. */
const SEQUENCES = {
  events: sql`select max(e.position) from events e where e.workspace_id =`,
};

export interface ExportDeps {
  db: Database;
  vault: Vault;
  /** How long is waited until all processes have heard of it. */
  settlingMs?: number;
}

/**
 * Moves the actor's workspace out: stops it here, takes its right to send away, and writes all that belongs to it into a file, which the
 * cell of this number imports. Whatever ends it in the middle, it can be done again, and goes on; until it is imported it can also be taken
 * back. Secrets are in the file sealed with the passphrase. Throws a StartupError for what the operator has to change.
 */
export async function exportWorkspace(
  { db, vault, settlingMs }: ExportDeps,
  actor: Actor & { userName: string },
  { toCell, file, passphrase }: { toCell: number; file: string; passphrase: string },
): Promise<{ rows: number }> {
  const fromCell = await readCell(db);
  if (fromCell === toCell) throw new StartupError(`This is cell ${toCell} itself`);
  await refuseHeld(db);
  const of = await findBelongings(db, actor.workspaceId);
  const move = await beginMove(db, actor, of, toCell);
  if (!move.hasLeft) {
    await settle(db, settlingMs);
    await takeLane(db, of);
  }
  const key = randomBytes(32);
  const box = await sealSecrets({ key: key.toString('hex') }, passphrase);
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const head = await describe(trx, of, move);
      const { workspaceId, accountId } = of;
      const header = { ...head, workspaceId, accountId, userName: actor.userName, fromCell, toCell, box };
      const counted = { rows: 0 };
      await writeMoveFile(file, header, readAll(trx, of, { from: vault, to: createVault({ key }) }, counted));
      return counted;
    });
}

async function refuseHeld(db: Database): Promise<void> {
  const { rows } = await sql`select from ledger where held_since is not null`.execute(db);
  if (rows.length > 0)
    throw new StartupError('This ledger is held, for it may be a copy: campanile release says what it has queued');
}

/** Throws a StartupError where there is no such workspace. */
export async function findBelongings(db: Connection, workspaceId: WorkspaceId): Promise<Belongings> {
  const { rows } = await sql<{ accountId: number; userIds: UserId[] }>`
    select a.account_id as "accountId", array(select m.user_id from memberships m where m.workspace_id = a.workspace_id) as "userIds"
    from accounts a where a.workspace_id = ${workspaceId}`.execute(db);
  const [found] = rows;
  if (!found) throw new StartupError('There is no such workspace');
  return { workspaceId, ...found };
}

async function describe(
  trx: Connection,
  of: Belongings,
  { moveId }: Move,
): Promise<Pick<Header, 'moveId' | 'schema' | 'highest' | 'lane'>> {
  const { rows } = await sql<{ lane: string; schema: number; position: number; revision: number }>`
    select (select lane::text from moves where move_id = ${moveId}) as lane, (select max(number) from migrations) as schema,
           coalesce((${SEQUENCES.events} ${of.workspaceId}), 0) as position,
           coalesce((select max(number) from revisions where account_id = ${of.accountId}), 0) as revision`.execute(
    trx,
  );
  const [found] = rows;
  if (!found) throw new Error('a move has no lane');
  const { lane, schema, position, revision } = found;
  const highest: Record<string, number> = { 'event position': position, 'revision number': revision };
  const counters = await readCounters(trx);
  for (const moved of MOVES) {
    const counter = counters.find(({ table }) => table === moved.table);
    if (!counter) continue;
    const { rows: ids } = await sql<{ id: number }>`
      select coalesce(max(t.${sql.ref(counter.column)}), 0) as id from ${sql.table(moved.table)} t where ${belongsTo(moved, of)}`.execute(
      trx,
    );
    highest[moved.table] = ids[0]?.id ?? 0;
  }
  return { moveId, lane, schema, highest };
}

async function* readAll(
  trx: Connection,
  of: Belongings,
  vaults: { from: Vault; to: Vault },
  counted: { rows: number },
): AsyncGenerator<MovedRow> {
  for (const moved of MOVES) {
    const { table, becomes = sql`'{}'::jsonb`, order, isLarge = false } = moved;
    await sql`
      declare moved_rows no scroll cursor for
      select (to_jsonb(t) || ${becomes})::text as row
      from ${sql.table(table)} t, (select * from moves where workspace_id = ${of.workspaceId} and direction = 'leaving') m
      where ${belongsTo(moved, of)} ${order ? sql`order by ${order}` : sql``}`.execute(trx);
    for (;;) {
      const { rows } = await sql<{ row: string }>`fetch ${sql.lit(isLarge ? 1 : PIECE)} from moved_rows`.execute(trx);
      if (rows.length === 0) break;
      for (const { row } of rows) yield { table, row: reseal(table, row, vaults.from, vaults.to) };
      counted.rows += rows.length;
    }
    await sql`close moved_rows`.execute(trx);
  }
}
