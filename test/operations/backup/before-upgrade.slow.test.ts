import { readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute, readValue, type Database } from '../../../src/platform/database/statements.ts';
import { expect, onTestFinished, test } from 'vitest';
import {
  backUpBeforeUpgrade,
  findUpgradeBackupProblem,
  type UpgradeBackupOptions,
} from '../../../src/operations/backup/back-up-before-upgrade.ts';
import { verifyBackup } from '../../../src/operations/backup/verify-backup.ts';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { connectDatabase, type PostgresAddress } from '../../../src/platform/database/connect.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase } from '../../support/database.ts';
import { start, temporaryFolder } from '../../support/servers/embedded.ts';
import { mayMount, mountDisk, unmountDisk } from '../../support/servers/own-disk.ts';

const log = createLog('silent');
const PASSPHRASE = 'a passphrase that is long';

/** Migrates a database as a process does at its start, with the options of the backup. */
function upgrade(address: PostgresAddress, options: Omit<UpgradeBackupOptions, 'address' | 'version' | 'log'>) {
  return migrateDatabase(address, log, (trx) => backUpBeforeUpgrade(trx, { ...options, address, version: '1', log }));
}

const nameAt = (at: Date) => `campanile-before-upgrade-0-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.campanile`;

/** Makes the database appear to be last used by an older version. */
const makeOlder = (db: Database) => execute(db)`update migrations set epoch = 0`;
const readEpoch = (db: Database) => readValue<number>(db)`select max(epoch) as epoch from migrations`;

async function startEmbedded() {
  const dataDir = temporaryFolder();
  const { address } = await start({ dataDir });
  const db = connectDatabase(address, { log, poolSize: 1 });
  onTestFinished(() => db.destroy());
  return { dataDir, address, db };
}

test('backs up an embedded database once before an upgrade, into DATA_DIR and without the secrets there', async () => {
  const { dataDir, address, db } = await startEmbedded();
  const options = { settings: undefined, dataDir, isEmbedded: true };
  await writeFile(join(dataDir, 'jwt-secret'), 'x'.repeat(64));
  await upgrade(address, options);
  expect(await readdir(dataDir), 'there was nothing to lose').not.toContain('backups');

  const folder = join(dataDir, 'backups');
  await makeOlder(db);
  await upgrade(address, options);
  const [first = '', ...others] = await readdir(folder);
  expect(first).toMatch(/^campanile-before-upgrade-0-\d{8}T\d{6}Z\.campanile$/);
  expect(others).toEqual([]);
  const { manifest } = await verifyBackup(join(folder, first), { passphrase: undefined, log });
  expect(Object.keys(manifest.files)).toEqual(['base.tar.zst']);

  // A repeated start: nothing was sent in between.
  await makeOlder(db);
  await upgrade(address, options);
  expect(await readdir(folder)).toEqual([first]);

  // A copy has a date of its own, and the name of the original. One of the future proves that a clock was wrong, and nothing else.
  for (const hours of [-2, 2]) {
    const at = new Date(Date.now() + hours * 60 * 60_000);
    const names = await readdir(folder);
    await rename(join(folder, names.toSorted().at(-1) ?? ''), join(folder, nameAt(at)));
    await makeOlder(db);
    await upgrade(address, options);
    expect(await readdir(folder), `${hours} h`).toHaveLength(names.length + 1);
  }
});

test('backs up to BACKUP_TO, with sealed secrets', async () => {
  const { dataDir, address, db } = await startEmbedded();
  const to = join(temporaryFolder(), 'backups');
  const settings = { to, at: '03:00', keep: 7, passphrase: PASSPHRASE };
  await writeFile(join(dataDir, 'jwt-secret'), 'x'.repeat(64));
  await migrateDatabase(address, log);
  await makeOlder(db);
  await upgrade(address, { settings, dataDir, isEmbedded: true });
  const [name = ''] = await readdir(to);
  const { manifest } = await verifyBackup(join(to, name), { passphrase: PASSPHRASE, log });
  expect(Object.keys(manifest.files)).toEqual(['base.tar.zst', 'secrets.json']);
});

test('changes nothing if the backup fails, and says how to proceed', async () => {
  const { dataDir, address, db } = await startEmbedded();
  await migrateDatabase(address, log);
  await makeOlder(db);
  const file = join(dataDir, 'no-folder');
  await writeFile(file, '');
  const settings = { to: join(file, 'backups'), at: '03:00', keep: 7, passphrase: PASSPHRASE };
  const failed = upgrade(address, { settings, dataDir, isEmbedded: true });
  await expect(failed).rejects.toThrow(StartupError);
  await expect(failed).rejects.toThrow(
    /^The database was not upgraded, because the backup before the upgrade failed: .*no-folder\/backups is not a folder\. Nothing was changed.*BACKUP_BEFORE_UPGRADE=false/,
  );
  expect(await readEpoch(db)).toBe(0);
});

test('names what the backup needs before anything is upgraded', async () => {
  const { dataDir, db, address } = await startEmbedded();
  await migrateDatabase(address, log);
  expect(await findUpgradeBackupProblem(db, { settings: undefined, dataDir, isEmbedded: true })).toBeUndefined();
  expect(await readdir(dataDir), 'nothing is left of the attempt').not.toEqual(
    expect.arrayContaining([expect.stringContaining('campanile-write'), 'backups']),
  );
  const file = join(dataDir, 'no-folder');
  await writeFile(file, '');
  const settings = { to: join(file, 'backups'), at: '03:00', keep: 7, passphrase: PASSPHRASE };
  expect(await findUpgradeBackupProblem(db, { settings, dataDir, isEmbedded: true })).toBe(
    `The backup before the upgrade would fail: ${settings.to} is not a folder. Nothing was changed. Fix the cause, or back up by other means and set BACKUP_BEFORE_UPGRADE=false for this start.`,
  );
});

test.runIf(mayMount)('compares the free space of both disks with what the backup needs', async () => {
  const { dataDir, db, address } = await startEmbedded();
  await migrateDatabase(address, log);
  const to = temporaryFolder();
  expect(mountDisk(to, 1)).toBe(true);
  onTestFinished(() => unmountDisk(to));
  const settings = { to, at: '03:00', keep: 7, passphrase: PASSPHRASE };
  expect(await findUpgradeBackupProblem(db, { settings, dataDir, isEmbedded: true })).toMatch(
    /^The backup before the upgrade would fail: it needs \d+ MB, and 1 MB are free for /,
  );
});

test('requires a recent pg_dump for an external PostgreSQL', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const before = process.env['PATH'];
  process.env['PATH'] = '/nowhere';
  onTestFinished(() => void (process.env['PATH'] = before));
  await makeOlder(database.db);
  const failed = upgrade(database.address, { settings: undefined, dataDir: temporaryFolder(), isEmbedded: false });
  await expect(failed).rejects.toThrow(/pg_dump is not on the PATH.*BACKUP_BEFORE_UPGRADE=false/);
  expect(await readEpoch(database.db)).toBe(0);
});
