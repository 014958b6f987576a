import { readColumn } from '../../../src/platform/database/statements.ts';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, schedule, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

let owner: Owner;
const messenger = scriptMessenger();
const database = await useTestDatabase();
const worker = await startTestWorker(database, messenger);
afterEach(() => vi.useRealTimers());
afterAll(() => worker.stop());

const DUE_SECONDS = [2, 3, 4];

/** One run a second of that day, from two seconds past nine on; then it is nine. Resolves to how late each began, in ms. */
async function beginAtNine(day: string): Promise<number[]> {
  owner = await createOwner(database.db, 1);
  await database.clock.set(`${day}T00:00:00Z`);
  for (const second of DUE_SECONDS)
    await schedule(database.db, owner, { startDate: day, endDate: day, time: `09:00:0${second}` });
  await database.clock.set(`${day}T09:00:00Z`);
  const lateness = () => readColumn<number>(database.db)`
        select (extract(epoch from started_at - due_at) * 1000)::float8 as ms from runs
        where workspace_id = ${owner.workspaceId} and status = 'completed'`;
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
