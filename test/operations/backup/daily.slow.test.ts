import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { backUpDaily, lastOccurrence } from '../../../src/operations/backup/back-up-daily.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { start, temporaryFolder } from '../../support/servers/embedded.ts';
import { recordLog } from '../../support/record-log.ts';
import { createTestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';

const FUTURE = ['campanile-21010104T010000Z.campanile', 'campanile-21630101T000000Z.campanile'];

test.for([
  ['2030-01-10T05:00:00Z', 'UTC', '2030-01-10T03:00:00Z'],
  ['2030-01-10T02:59:59Z', 'UTC', '2030-01-09T03:00:00Z'],
  ['2030-01-10T02:30:00Z', 'Europe/Berlin', '2030-01-10T02:00:00Z'],
  // The clock skips that hour on this day.
  ['2030-03-10T12:00:00Z', 'America/New_York', '2030-03-10T07:00:00Z'],
] as const)('at %s in %s the last 03:00 was %s', ([now, zone, last]) => {
  expect(lastOccurrence(new Date(now), '03:00', zone)).toEqual(new Date(last));
});

test('makes a backup when the last is older than a day, keeps the given number, and removes no other files', async () => {
  const dataDir = temporaryFolder();
  const to = join(temporaryFolder(), 'backups');
  const log = createLog('silent');
  const { address } = await start({ dataDir });
  await migrateDatabase(address, log);
  const db = connectDatabase(address, { log, poolSize: 1 });
  onTestFinished(() => db.destroy());
  let now = new Date();
  const sizes = join(temporaryFolder(), 'sizes');
  const command = { command: `wc -c < "$BACKUP_FILE" >> '${sizes}'`, environment: { PATH: process.env['PATH'] } };
  const settings = { to, at: '00:00', keep: 2, passphrase: undefined, command };
  const names = () => readdir(to).catch(() => []);
  const onDay = async (day: number, count: number) => {
    now = new Date(Date.UTC(2100, 0, day, 1));
    const backups = await backUpDaily({
      settings,
      timeZone: 'UTC',
      db,
      address,
      isEmbedded: true,
      dataDir,
      version: '1',
      log,
      now: () => now,
    });
    await until(
      () => [backups.lastGoodAt()?.getTime(), backups.lastCommandAt()?.getTime()],
      (times) => times.every((at) => at === now.getTime()),
    );
    await until(names, (found) => found.filter((name) => name.startsWith('campanile-2100')).length === count);
    await backups.stop();
  };
  await onDay(1, 1);
  await writeFile(join(to, 'mine.campanile'), '');
  // A clock was wrong: neither is the newest good one, nor does either take the place of one.
  for (const name of FUTURE) await writeFile(join(to, name), '');
  await onDay(2, 2);
  await onDay(3, 2);
  expect(await readdir(to)).toEqual([
    'backup-command.json',
    'campanile-21000102T010000Z.campanile',
    'campanile-21000103T010000Z.campanile',
    ...FUTURE,
    'mine.campanile',
  ]);
  // The command ran for each backup when it was complete.
  const written = (await readFile(sizes, 'utf8')).trim().split('\n').map(Number);
  expect(written).toHaveLength(3);
  expect(Math.min(...written)).toBeGreaterThan(100_000);
  await rm(to, { recursive: true });
});

test('BACKUP_TO that cannot be written is an error in the log at start, and neither a failed start nor a backup', async () => {
  const dataDir = temporaryFolder();
  const file = join(temporaryFolder(), 'file');
  await writeFile(file, '');
  const { db, address, drop } = await createTestDatabase();
  onTestFinished(drop);
  const { log, lines } = recordLog('info');
  const settings = { to: join(file, 'backups'), at: '00:00', keep: 2, passphrase: undefined };
  const of = { settings, timeZone: 'UTC', db, address, isEmbedded: true, dataDir, version: '1', log };
  const backups = await backUpDaily(of);
  expect(lines()).toContainEqual(
    expect.objectContaining({
      level: 50,
      msg: expect.stringContaining(`No daily backup can be written to BACKUP_TO: ${settings.to} is not a folder. Let`),
    }),
  );
  expect(backups.lastGoodAt()).toBeUndefined();
  await backups.stop();
});

test('reports the time of the last backup at each failure', async () => {
  const folder = temporaryFolder();
  const madeBefore = join(folder, 'campanile-20300101T030000Z.campanile');
  await writeFile(madeBefore, '');
  const { db, address, drop } = await createTestDatabase();
  onTestFinished(drop);
  const said: Array<number | undefined> = [];
  const backups = await backUpDaily({
    settings: { to: folder, at: '00:00', keep: 2, passphrase: undefined },
    timeZone: 'UTC',
    db,
    address,
    isEmbedded: true,
    // There is nothing to back up.
    dataDir: join(folder, 'none'),
    version: '1',
    log: createLog('silent'),
    now: () => new Date(Date.UTC(2100, 0, 1, 1)),
    onFailed: async (lastGoodAt) => void said.push(lastGoodAt?.getTime()),
  });
  await until(
    () => said.length,
    (count) => count > 0,
  );
  expect(said).toEqual([Date.UTC(2030, 0, 1, 3)]);
  await backups.stop();
});
