import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, schedule, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import type { Worker } from '../../../src/app/worker.ts';

let database: TestDatabase;
let worker: Worker;
let owner: Owner;
const messenger = scriptMessenger();
beforeAll(async () => {
  database = await createTestDatabase();
  worker = await startTestWorker(database, messenger);
});
afterEach(() => vi.useRealTimers());
afterAll(async () => {
  await worker.stop();
  await database.drop();
});

const DUE_SECONDS = [2, 3, 4];

/** One run a second of that day, from two seconds past nine on; then it is nine. Resolves to how late each began, in ms. */
async function beginAtNine(day: string): Promise<number[]> {
  owner = await createOwner(database.db, 1);
  await database.clock.set(`${day}T00:00:00Z`);
  for (const second of DUE_SECONDS)
    await schedule(database.db, owner, { startDate: day, endDate: day, time: `09:00:0${second}` });
  await database.clock.set(`${day}T09:00:00Z`);
  const lateness = async () =>
    (
      await sql<{ ms: number }>`
        select (extract(epoch from started_at - due_at) * 1000)::float8 as ms from runs
        where workspace_id = ${owner.workspaceId} and status = 'completed'`.execute(database.db)
    ).rows.map((row) => row.ms);
  return until(lateness, (found) => found.length === DUE_SECONDS.length);
}

/** Looked at once a second all of them would be late alike, by half a second as a rule; a busy machine makes some late, not all. */
function expectPunctual(late: number[]) {
  expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
  expect(Math.min(...late)).toBeLessThan(250);
}

test('begins a scheduled run when it is due, however the database’s clock is set', async () => {
  expectPunctual(await beginAtNine('2033-05-05'));
  expectPunctual(await beginAtNine('2031-05-05'));
});

test('ignores the worker’s own clock', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2060-01-01T00:00:00Z') });
  expectPunctual(await beginAtNine('2034-05-05'));
});
