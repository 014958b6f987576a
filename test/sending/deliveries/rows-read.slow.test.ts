import { execute, type Database } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { createManyAccounts, planRuns } from '../../../harness/bench/support/many-accounts.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { claimTurns, type Turn } from '../../../src/sending/deliveries/claim-turns.ts';
import { finishTurns } from '../../../src/sending/deliveries/finish-turns.ts';
import type { Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase } from '../../support/database.ts';
import { countReads as countReadsOf } from '../../support/rows-read.ts';

// Rows are counted here and not time, since only time depends on the machine.

const LANES = 100;
const SHARDS = Array.from({ length: 256 }, (_, shard) => shard);

const { database, oneConnection } = await createLedger();
// Preparation may take longer than the statement timeout of the service.
const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
await createManyAccounts(db, { accounts: 500, groups: 1 });
await planRuns(db, { afterMs: 86_400_000, each: 100 });
await execute(db)`analyze`;
await db.destroy();
afterAll(async () => {
  await oneConnection.destroy();
  await database.drop();
});

/** A ledger whose only worker, 1, holds all shards. */
async function createLedger() {
  const made = await createTestDatabase();
  await execute(made.db)`insert into workers (name) values ('test')`;
  await execute(made.db)`update shards set worker_id = 1`;
  return {
    database: made,
    oneConnection: connectDatabase(made.address, { log: createLog('silent'), poolSize: 1 }),
  };
}

async function claim(db: Database): Promise<Turn[]> {
  const { turns } = await claimTurns(db, { workerId: 1, shards: SHARDS, lanes: LANES, batch: 500, paced: [] });
  return turns;
}

const SENT: Outcome = { kind: 'sent', recipients: 2 };
const FAILED: Outcome = { kind: 'failed', reason: 'gone', uncertain: false, refusal: 'gone' };

const finish = (db: Database, turns: Turn[], outcome: Outcome = SENT): Promise<void> =>
  finishTurns(
    db,
    turns.map((turn) => ({ turn, outcomes: turn.deliveries.map(() => outcome), gapMs: 0 })),
  );

const countReads = <Answer>(work: (db: Database) => Promise<Answer>, connection = oneConnection) =>
  countReadsOf(connection, work);

test('reads few rows a turn in a ledger that has grown since planning', async () => {
  // Statistics from before the first send: the tables seem empty to the planner.
  await finish(oneConnection, await claim(oneConnection));
  await planRuns(database.db, { afterMs: 0 });
  while ((await beginDueRuns(database.db, SHARDS)) === 0);
  for (let round = 0; round < 3; round++) {
    const claimed = await countReads(claim);
    const turns = claimed.answer.length;
    expect(turns).toBeGreaterThan(LANES / 4);
    const finished = await countReads((db) => finish(db, claimed.answer));
    expect(claimed.reads / turns).toBeLessThan(10);
    expect(finished.reads / turns).toBeLessThan(10);
  }
});

test('reads only the lanes of the turns that it finishes', async () => {
  // Their plans were made while hardly anything was.
  const claimed = await claim(oneConnection);
  const [few, others] = [claimed.slice(0, 5), claimed.slice(5)];
  expect(others.length).toBeGreaterThan(LANES / 4);
  const finished = await countReads((db) => finish(db, few));
  expect(finished.reads / few.length).toBeLessThan(12);
  await finish(oneConnection, others);
});

test('reads no earlier deliveries of the account in a turn', async () => {
  await execute(database.db)`delete from deliveries`;
  await planRuns(database.db, { afterMs: 0 });
  while ((await beginDueRuns(database.db, SHARDS)) === 0);
  // As long as each account has one only, any index of the account's seems as good as the one by run and position.
  await execute(database.db)`analyze`;
  await execute(database.db)`
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id, status)
    select workspace_id, account_id, 0, n, 0, 'sent before ' || n, 'sent' from lanes, generate_series(1, 60) n`;
  for (const outcome of [SENT, FAILED]) {
    const claimed = await countReads(claim);
    const turns = claimed.answer.length;
    const finished = await countReads((db) => finish(db, claimed.answer, outcome));
    expect(turns).toBeGreaterThan(LANES / 4);
    expect(claimed.reads / turns).toBeLessThan(10);
    expect(finished.reads / turns).toBeLessThan(outcome === SENT ? 11 : 20);
  }
});

test('finds retries without walking along their run', async () => {
  const { own, connection } = await createLedgerOfOwn();
  // The last statistics of the planner are from before the first send.
  await execute(own.db)`analyze`;
  await createManyAccounts(own.db, { accounts: 2, groups: 6_000 });
  await planRuns(own.db, { afterMs: 0 });
  for (let step = 0; step < 8; step++) await beginDueRuns(own.db, SHARDS);
  await execute(own.db)`update deliveries set not_before = campanile_now() where position % 1200 = 1199`;
  await execute(own.db)`update deliveries set status = 'sent' where position < 5600 and not_before is null`;
  await execute(own.db)`update runs set next_position = 5600`;
  const { answer: turns, reads } = await countReads(claim, connection);
  const taken = turns.flatMap((turn) => turn.deliveries);
  expect(turns).toHaveLength(2);
  expect(taken.length).toBeGreaterThan(100);
  expect(reads / taken.length).toBeLessThan(4);
  // Few of them, so that needless reads show.
  await finish(connection, turns);
  await execute(own.db)`
    update deliveries set not_before = campanile_now(), status = 'queued' where position in (7, 1000, 2000)`;
  await execute(own.db)`update lanes set work_at = campanile_now()`;
  const few = await countReads(claim, connection);
  const took = few.answer.flatMap((turn) => turn.deliveries).length;
  expect(took).toBe(6);
  expect(few.reads / took).toBeLessThan(14);
});

test('reads no due work of other accounts in a turn', async () => {
  const { own, connection } = await createLedgerOfOwn();
  await createManyAccounts(own.db, { accounts: 200, groups: 1 });
  await planRuns(own.db, { afterMs: 0 });
  while ((await beginDueRuns(own.db, SHARDS)) === 0);
  await execute(own.db)`
    insert into runs (workspace_id, campaign_id, due_at)
    select workspace_id, campaign_id, campanile_now() - n * interval '1 second'
    from campaigns, generate_series(1, 20) n where workspace_id % 4 > 0`;
  await execute(own.db)`update lanes set work_at = null where account_id % 4 > 0`;
  const { answer: turns, reads } = await countReads(claim, connection);
  expect(turns.length).toBeGreaterThan(LANES / 4);
  expect(reads / turns.length).toBeLessThan(10);
});

test('reads no later runs when it polls for due ones', async () => {
  const { own, connection } = await createLedgerOfOwn();
  await execute(own.db)`analyze`;
  await createManyAccounts(own.db, { accounts: 200, groups: 1 });
  await planRuns(own.db, { afterMs: 86_400_000, each: 50 });
  const { answer: pauseMs, reads } = await countReads((db) => beginDueRuns(db, SHARDS), connection);
  expect(pauseMs).toBe(1_000);
  // Of each shard the next one, to know when that will be.
  expect(reads).toBeLessThan(2 * SHARDS.length);
});

async function createLedgerOfOwn() {
  const { database: own, oneConnection: connection } = await createLedger();
  onTestFinished(async () => {
    await connection.destroy();
    await own.drop();
  });
  return { own, connection };
}
