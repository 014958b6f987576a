/** Workers of an external PostgreSQL whose STATE_DIR has no fencing record of its ledger. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { LEASE_MS } from '../../../src/sending/leases/leases.ts';
import { fencingRecordsIn } from '../../../src/operations/hold/fencing-record-file.ts';
import { readHoldReason } from '../../../src/operations/hold/read-hold.ts';
import { resumeLedger } from '../../../src/operations/hold/resume-ledger.ts';
import { watchLedger, type MaySend } from '../../../src/operations/hold/watch-ledger.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, sendNow } from '../../support/ledger.ts';

/** More heartbeats than a worker waits for other workers. */
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

/** The part of a worker that checks whether it may send. */
const worker = (stateDir: string): MaySend =>
  watchLedger({
    db: database.db,
    log: createLog('silent'),
    fencingRecords: fencingRecordsIn(stateDir),
    dataDir: undefined,
    patienceMs: LEASE_MS,
  });

/** Returns the answers to consecutive heartbeats of one worker. */
async function beat(maySend: MaySend, beats = BEATS): Promise<boolean[]> {
  const answers: boolean[] = [];
  for (let count = 0; count < beats; count++) answers.push(await maySend());
  return answers;
}

const release = () => resumeLedger(database.db, { choices: new Map(), others: 'unknown' }, () => Promise.resolve());

async function acceptCampaign(): Promise<void> {
  await sendNow(database.db, await createOwner(database.db, 1));
}

test('sends without a fencing record from an empty database, and from one that no worker has served', async () => {
  expect(await beat(worker(await emptyFolder()), 2)).toEqual([true, true]);
  expect(await beat(worker(await emptyFolder()), 2)).toEqual([true, true]);
  await execute(database.db)`update ledger set token = null, number = 0`;
  await acceptCampaign();
  expect(await worker(await emptyFolder())()).toBe(true);
});

test('holds a database with a history when no record and no other worker exists, until it is released', async () => {
  expect(await worker(await emptyFolder())()).toBe(true);
  await acceptCampaign();
  const fresh = worker(await emptyFolder());
  expect(await beat(fresh)).not.toContain(true);
  expect(await readHoldReason(database.db)).toMatch(/STATE_DIR/);
  await release();
  expect(await beat(fresh, 3)).toEqual([true, true, true]);
  expect(await readHoldReason(database.db)).toBeUndefined();
});

test('accepts an added worker that a running one vouches for, and not a stopped one', async () => {
  const living = worker(await emptyFolder());
  expect(await living()).toBe(true);
  await acceptCampaign();
  const added = worker(await emptyFolder());
  expect(await added()).toBe(false);
  expect(await living()).toBe(true);
  expect(await added()).toBe(true);
  expect(await beat(added)).not.toContain(false);
});

test('lets no worker vouch for others without a record, or with a restored state', async () => {
  expect(await worker(await emptyFolder())()).toBe(true);
  await acceptCampaign();
  const rows = await readRows<{ number: number }>(database.db)`select number from ledger`;
  const [one, other] = [worker(await emptyFolder()), worker(await emptyFolder())];
  expect([await one(), await other()]).toEqual([false, false]);
  await execute(database.db)`update ledger set number = ${(rows[0]?.number ?? 0) - 1}`;
  for (let count = 0; count < BEATS; count++) expect([await one(), await other()]).toEqual([false, false]);
  expect(await readHoldReason(database.db)).toMatch(/STATE_DIR/);
});

test('resumes a single worker with its record, and accepts one that cannot write a record while it lives', async () => {
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
  await execute(database.db)`update ledger set number = number - 1`;
  expect(await stateless()).toBe(false);
});
