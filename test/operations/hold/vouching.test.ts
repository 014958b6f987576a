/** Workers of a PostgreSQL of one's own whose STATE_DIR has no mark of its ledger. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { LEASE_MS } from '../../../src/sending/leases/leases.ts';
import { fencingRecordsIn } from '../../../src/operations/hold/fencing-record-file.ts';
import { readHoldReason } from '../../../src/operations/hold/read-hold.ts';
import { resumeLedger } from '../../../src/operations/hold/resume-ledger.ts';
import { watchLedger, type MaySend } from '../../../src/operations/hold/watch-ledger.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, sendNow } from '../../support/ledger.ts';

/** More than a worker waits for a sign of others. */
const BEATS = 20;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-state-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

/** A worker, as far as it asks whether it may send. */
const worker = (stateDir: string): MaySend =>
  watchLedger({
    db: database.db,
    log: createLog('silent'),
    fencingRecords: fencingRecordsIn(stateDir),
    dataDir: undefined,
    patienceMs: LEASE_MS,
  });

/** What a worker is answered in so many heartbeats, and nobody else beats meanwhile. */
async function beat(maySend: MaySend, beats = BEATS): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let count = 0; count < beats; count++) answers.push(await maySend());
  return answers;
}

const release = () => resumeLedger(database.db, { choices: new Map(), others: 'unknown' }, () => Promise.resolve());

async function acceptCampaign(): Promise<void> {
  await sendNow(database.db, await createOwner(database.db, 1));
}

test('an empty database, and one that no worker has served yet, are sent from without a mark', async () => {
  expect(await beat(worker(await emptyFolder()), 2)).toEqual([true, true]);
  expect(await beat(worker(await emptyFolder()), 2)).toEqual([true, true]);
  await sql`update ledger set token = null, number = 0`.execute(database.db);
  await acceptCampaign();
  expect(await worker(await emptyFolder())()).toBe(true);
});

test('with a history, no mark and nobody else at work it is held, once it is released it is sent from', async () => {
  expect(await worker(await emptyFolder())()).toBe(true);
  await acceptCampaign();
  const fresh = worker(await emptyFolder());
  expect(await beat(fresh)).not.toContain(true);
  expect(await readHoldReason(database.db)).toMatch(/STATE_DIR/);
  await release();
  expect(await beat(fresh, 3)).toEqual([true, true, true]);
  expect(await readHoldReason(database.db)).toBeUndefined();
});

test('a worker that is added is vouched for by one that is at work, and not by one that has stopped', async () => {
  const living = worker(await emptyFolder());
  expect(await living()).toBe(true);
  await acceptCampaign();
  const added = worker(await emptyFolder());
  expect(await added()).toBe(false);
  expect(await living()).toBe(true);
  expect(await added()).toBe(true);
  expect(await beat(added)).not.toContain(false);
});

test('workers without a mark do not vouch for each other, and a state that is put back vouches for nobody', async () => {
  expect(await worker(await emptyFolder())()).toBe(true);
  await acceptCampaign();
  const { rows } = await sql<{ number: number }>`select number from ledger`.execute(database.db);
  const [one, other] = [worker(await emptyFolder()), worker(await emptyFolder())];
  expect([await one(), await other()]).toEqual([false, false]);
  await sql`update ledger set number = ${(rows[0]?.number ?? 0) - 1}`.execute(database.db);
  for (let count = 0; count < BEATS; count++) expect([await one(), await other()]).toEqual([false, false]);
  expect(await readHoldReason(database.db)).toMatch(/STATE_DIR/);
});

test('a worker whose mark was kept goes on alone, and one that cannot keep it for as long as it lives', async () => {
  const kept = await emptyFolder();
  expect(await worker(kept)()).toBe(true);
  await acceptCampaign();
  expect(await worker(kept)()).toBe(true);
  const file = join(await emptyFolder(), 'a-file');
  await writeFile(file, '');
  const stateless = worker(file);
  expect(await stateless()).toBe(false);
  expect(await worker(kept)()).toBe(true);
  expect(await beat(stateless)).not.toContain(false);
  await sql`update ledger set number = number - 1`.execute(database.db);
  expect(await stateless()).toBe(false);
});
