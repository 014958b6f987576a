import { readdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import {
  backUpBeforeUpgrade,
  type UpgradeBackupOptions,
} from '../../../src/operations/backup/back-up-before-upgrade.ts';
import { verifyBackup } from '../../../src/operations/backup/verify-backup.ts';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { connectDatabase, type Database, type PostgresAddress } from '../../../src/platform/database/connect.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createTestDatabase } from '../../support/database.ts';
import { start, temporaryFolder } from '../../support/servers/embedded.ts';

const log = createLog('silent');
const PASSPHRASE = 'a passphrase that is long';

/** Migrates a database as a process does at its start, with the options of the backup. */
function upgrade(address: PostgresAddress, options: Omit<UpgradeBackupOptions, 'address' | 'version' | 'log'>) {
  return migrateDatabase(address, log, (trx) => backUpBeforeUpgrade(trx, { ...options, address, version: '1', log }));
}

/** Makes the database appear to be last used by an older version. */
const makeOlder = (db: Database) => sql`update migrations set epoch = 0`.execute(db);
const readEpoch = async (db: Database) =>
  (await sql<{ epoch: number }>`select max(epoch) as epoch from migrations`.execute(db)).rows[0]?.epoch;

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

  const twoHoursAgo = new Date(Date.now() - 2 * 60 * 60_000);
  await utimes(join(folder, first), twoHoursAgo, twoHoursAgo);
  await sql`update ledger set number = number + 1`.execute(db);
  await makeOlder(db);
  await upgrade(address, options);
  expect(await readdir(folder)).toHaveLength(2);
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
    /^The database was not upgraded, because the backup before the upgrade failed: .*not a directory.*Nothing was changed.*BACKUP_BEFORE_UPGRADE=false/,
  );
  expect(await readEpoch(db)).toBe(0);
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
