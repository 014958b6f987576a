import { sql, type Transaction } from 'kysely';
import { recordAudit } from '../audit/record-audit.ts';
import { openSecrets } from '../backup/secrets-box.ts';
import type { Connection, Database } from '../database/connect.ts';
import type { Schema, WorkspaceId } from '../database/schema.ts';
import { StartupError } from '../lib/errors.ts';
import { createVault, type Vault } from '../lib/vault.ts';
import { findBelongings } from './export-workspace.ts';
import { insertLane } from './leave.ts';
import { openMoveFile, type Header, type MovedRow } from './move-file.ts';
import { countOnFrom, readCell } from './number-cell.ts';
import { reseal } from './reseal.ts';
import { belongsTo, MOVES, type Belongings, type MovedTable } from './what-moves.ts';

/** Rows are put in together until they are so many, or so long. */
const ROWS_TOGETHER = 500;
const LENGTH_TOGETHER = 4_000_000;

const UNIQUE_VIOLATION = '23505';

/**
 * Puts a workspace that was exported for this cell in, all of it or nothing, and lets it go on. What is put in was put in nowhere else: the
 * file names the cell, and a cell takes it once. Throws a StartupError for what the operator has to change.
 */
export async function importWorkspace(
  { db, vault }: { db: Database; vault: Vault },
  { file, passphrase, address }: { file: string; passphrase: string; address: string },
): Promise<Pick<Header, 'userName'> & { rows: number }> {
  const { header, rows } = await openMoveFile(file);
  const cell = await refuseOtherCell(db, header);
  const { key = '' } = await openSecrets(header.box, passphrase);
  // Before, in a transaction of its own: who counts waits for nothing then.
  await countOnFrom(db, cell, header.highest);
  const vaults = { from: createVault({ key: Buffer.from(key, 'hex') }), to: vault };
  try {
    const count = await db.transaction().execute((trx) => putIn(trx, { header, rows, vaults, address }));
    return { userName: header.userName, rows: count };
  } catch (error) {
    throw isTaken(error)
      ? new StartupError(
          `Something of it is here already, so nothing was imported: ${error.detail ?? error.message}`,
          error,
        )
      : error;
  }
}

function isTaken(error: unknown): error is Error & { detail?: string } {
  return error instanceof Error && 'code' in error && error.code === UNIQUE_VIOLATION;
}

async function refuseOtherCell(db: Database, { toCell, schema }: Header): Promise<number> {
  const cell = await readCell(db);
  if (cell === null)
    throw new StartupError(`This installation has no number: campanile cell ${toCell} makes it the one that is meant`);
  if (cell !== toCell) throw new StartupError(`It was exported for cell ${toCell}, and this is cell ${cell}`);
  const { rows } = await sql<{ schema: number }>`select max(number) as schema from migrations`.execute(db);
  const here = rows[0]?.schema;
  if (here !== schema)
    throw new StartupError(
      `It was exported by a version with schema ${schema}, and this one has ${here}: bring both cells to the same version`,
    );
  return cell;
}

interface Arrival {
  header: Header;
  rows: AsyncIterable<MovedRow>;
  vaults: { from: Vault; to: Vault };
  address: string;
}

async function putIn(trx: Transaction<Schema>, { header, rows, vaults, address }: Arrival): Promise<number> {
  await noteArrival(trx, header);
  const of = { workspaceId: header.workspaceId as WorkspaceId, accountId: header.accountId, userIds: [] };
  let count = 0;
  for await (const { table, rows: some, isFirst } of inPieces(rows)) {
    const moved = MOVES.find((one) => one.table === table);
    if (!moved) throw new StartupError(`The file has a table that is not known here: ${table}`);
    if (isFirst && moved.isWrittenByTriggers) await clear(trx, moved, of);
    await insertRows(
      trx,
      table,
      some.map((row) => reseal(table, row, vaults.from, vaults.to)),
    );
    count += some.length;
  }
  await goOnCounting(trx, header);
  const { userIds } = await findBelongings(trx, of.workspaceId);
  // Tokens of the other cell hold here no more, also where both have the same secret.
  await sql`update users set token_generation = token_generation + 1 where user_id = any(${userIds}::bigint[])`.execute(
    trx,
  );
  await insertLane(trx, sql`${header.lane}::jsonb`);
  for (const userId of userIds.slice(0, 1))
    await recordAudit(trx, {
      userId,
      workspaceId: of.workspaceId,
      address,
      action: 'workspace.imported',
      subject: header.fromCell === null ? 'an installation without a number' : `cell ${header.fromCell}`,
    });
  return count;
}

async function noteArrival(trx: Connection, { moveId, workspaceId, fromCell }: Header): Promise<void> {
  const { rows } = await sql`
    insert into moves (move_id, workspace_id, direction, cell) values (${moveId}, ${workspaceId}, 'arrived', ${fromCell ?? 0})
    on conflict do nothing returning 1`.execute(trx);
  if (rows.length === 0) throw new StartupError('This file was imported here before: a second time would send again');
}

interface Piece {
  table: string;
  rows: string[];
  /** Of its table. */
  isFirst: boolean;
}

async function* inPieces(all: AsyncIterable<MovedRow>): AsyncGenerator<Piece> {
  let piece: Piece = { table: '', rows: [], isFirst: true };
  let length = 0;
  for await (const { table, row } of all) {
    const isOther = table !== piece.table;
    if (isOther || piece.rows.length === ROWS_TOGETHER || length + row.length > LENGTH_TOGETHER) {
      if (piece.rows.length > 0) yield piece;
      piece = { table, rows: [], isFirst: isOther };
      length = 0;
    }
    piece.rows.push(row);
    length += row.length;
  }
  if (piece.rows.length > 0) yield piece;
}

/** Away with what triggers have written while others were put in. */
async function clear(trx: Connection, moved: MovedTable, of: Belongings): Promise<void> {
  await sql`delete from ${sql.table(moved.table)} t where ${belongsTo(moved, of)}`.execute(trx);
}

async function insertRows(trx: Connection, table: string, rows: readonly string[]): Promise<void> {
  const { rows: found } = await sql<{ column: string }>`
    select column_name as "column" from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} and is_generated = 'NEVER' order by ordinal_position`.execute(
    trx,
  );
  const columns = sql.join(found.map(({ column }) => sql.ref(column)));
  await sql`
    insert into ${sql.table(table)} (${columns}) overriding system value
    select ${columns} from jsonb_populate_recordset(null::${sql.table(table)}, ${`[${rows.join(',')}]`}::jsonb)`.execute(
    trx,
  );
}

/** What rises over all workspaces goes on above what was moved: who reads on from there misses nothing. */
async function goOnCounting(trx: Connection, { highest }: Header): Promise<void> {
  await sql`
    update event_sequence set position = greatest(position, ${highest['event position'] ?? 0}::bigint)`.execute(trx);
  await sql`
    select setval('revision_numbers', greatest(${highest['revision number'] ?? 0}::bigint, nextval('revision_numbers')))`.execute(
    trx,
  );
}
