import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createManyAccounts, planRuns } from '../../bench/support/many-accounts.ts';
import { beginDueRuns } from '../../src/campaigns/begin-runs.ts';
import { connectDatabase, type Connection, type Database } from '../../src/database/connect.ts';
import { claimTurns, type Turn } from '../../src/deliveries/claim-turns.ts';
import { finishTurns } from '../../src/deliveries/finish-turns.ts';
import type { Outcome } from '../../src/deliveries/outcome.ts';
import { createLog } from '../../src/lib/log.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

// Rows are counted here and not time, since only time depends on the machine.

const LANES = 100;
const SHARDS = Array.from({ length: 256 }, (_, shard) => shard);

let database: TestDatabase;
let oneConnection: Database;
let workerId: number;

beforeAll(async () => {
  database = await createTestDatabase();
  const { db } = database;
  oneConnection = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
  const { rows } = await sql<{
    worker_id: number;
  }>`insert into workers (name) values ('test') returning worker_id`.execute(db);
  workerId = rows[0]?.worker_id ?? 0;
  await sql`update shards set worker_id = ${workerId}`.execute(db);
  await createManyAccounts(db, { accounts: 500, groups: 1 });
  await planRuns(db, { afterMs: 86_400_000, each: 100 });
  await sql`analyze`.execute(db);
});
afterAll(async () => {
  await oneConnection.destroy();
  await database.drop();
});

const claim = (db: Database): Promise<Turn[]> =>
  claimTurns(db, {
    workerId,
    shards: SHARDS,
    lanes: LANES,
    batch: 500,
    paced: [],
  });

const SENT: Outcome = { kind: 'sent', recipients: 2 };
const FAILED: Outcome = { kind: 'failed', reason: 'gone', uncertain: false };

const finish = (db: Database, turns: Turn[], outcome: Outcome = SENT): Promise<void> =>
  finishTurns(
    db,
    turns.map((turn) => ({ turn, outcomes: turn.deliveries.map(() => outcome), gapMs: 0 })),
  );

/** What `work` answers, and how many rows it fetched. */
async function countReads<Answer>(work: (db: Database) => Promise<Answer>): Promise<{ answer: Answer; reads: number }> {
  return oneConnection.transaction().execute(async (trx) => {
    const before = await readsSoFar(trx);
    const answer = await work(trx);
    return { answer, reads: (await readsSoFar(trx)) - before };
  });
}

async function readsSoFar(db: Connection): Promise<number> {
  const { rows } = await sql<{ reads: number }>`
    select (sum(seq_tup_read) + sum(idx_tup_fetch))::float8 as reads from pg_stat_xact_user_tables
    where relname in ('runs', 'deliveries', 'lanes', 'campaigns', 'groups')`.execute(db);
  return rows[0]?.reads ?? Number.NaN;
}

test('turns read few rows each in a ledger that has grown since their plans were made', async () => {
  // While nothing has ever been sent, so that what is looked up seems empty.
  await finish(oneConnection, await claim(oneConnection));
  await planRuns(database.db, { afterMs: 0 });
  while ((await beginDueRuns(database.db, SHARDS)) === 0);
  for (let round = 0; round < 3; round++) {
    const claimed = await countReads(claim);
    const turns = claimed.answer.length;
    expect(turns).toBeGreaterThan(LANES / 4);
    const finished = await countReads((db) => finish(db, claimed.answer));
    expect(claimed.reads / turns).toBeLessThan(14);
    expect(finished.reads / turns).toBeLessThan(10);
  }
});

test('a turn reads nothing of what its account has sent before', async () => {
  await sql`delete from deliveries`.execute(database.db);
  await planRuns(database.db, { afterMs: 0 });
  while ((await beginDueRuns(database.db, SHARDS)) === 0);
  // As long as each account has one only, any index of the account's seems as good as the one by run and position.
  await sql`analyze`.execute(database.db);
  await sql`
    insert into deliveries (account_id, run_id, position, group_id, message_id, status)
    select account_id, 0, n, 0, 'sent before ' || n, 'sent' from lanes, generate_series(1, 60) n`.execute(database.db);
  for (const outcome of [SENT, FAILED]) {
    const claimed = await countReads(claim);
    const turns = claimed.answer.length;
    const finished = await countReads((db) => finish(db, claimed.answer, outcome));
    expect(turns).toBeGreaterThan(LANES / 4);
    expect(claimed.reads / turns).toBeLessThan(14);
    expect(finished.reads / turns).toBeLessThan(11);
  }
});
