/** The backup of an embedded PostgreSQL is physical, and belongs to the platform that wrote it. */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeBackup } from '../../../src/operations/backup/make-backup.ts';
import { PLATFORM } from '../../../src/operations/backup/manifest.ts';
import { readBackup } from '../../../src/operations/backup/read-backup.ts';
import { restoreBackup } from '../../../src/operations/backup/restore-backup.ts';
import { verifyBackup } from '../../../src/operations/backup/verify-backup.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { startEmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { migrateDatabase } from '../../../src/platform/database/migrate-database.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { temporaryFolder } from '../../support/servers/embedded.ts';
import { rebuildBackup, resumManifest, signManifest } from '../../support/servers/hostile-backup.ts';

const passphrase = 'a passphrase that is long';
const trust = { passphrase, allowUnauthenticated: false };
const OTHER = PLATFORM.endsWith('-arm64') ? 'linux-x64' : 'linux-arm64';
const log = createLog('silent');

const folder = temporaryFolder(() => undefined);
const own = join(folder, 'own.campanile');
const dataDir = join(folder, 'data');
const { address, stop } = await startEmbeddedPostgres({ dataDir, log, settings: { fsync: 'off' } });
await migrateDatabase(address, log);
const db = connectDatabase(address, { log, poolSize: 1 });
await makeBackup({ db, address, isEmbedded: true, dataDir, file: own, passphrase, version: '1' });
await db.destroy();
await stop();

afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes an authentic copy of the backup whose manifest has this platform. */
async function copyWith(platform: string | undefined): Promise<string> {
  const file = join(folder, `${platform ?? 'unknown'}.campanile`);
  await rebuildBackup(own, file, async (parts) => {
    await resumManifest(parts, (manifest) => {
      delete manifest.platform;
      if (platform !== undefined) manifest.platform = platform;
    });
    await signManifest(parts, passphrase);
  });
  return file;
}

test('a backup names its platform, and verifies on it', async () => {
  expect((await readBackup(own, trust)).manifest.platform).toBe(PLATFORM);
  expect(await verifyBackup(own, { passphrase, log })).toMatchObject({ isAuthenticated: true });
});

test('restore and verify reject the backup of another platform, and change nothing', async () => {
  const file = await copyWith(OTHER);
  const sentence = `${file} has the files of an embedded PostgreSQL on ${OTHER}, and this machine is ${PLATFORM}. Such files do not move between platforms. Move the data by a dump instead (docs/how-to/move.md).`;
  const target = join(folder, 'target');
  await expect(restoreBackup(file, target, trust)).rejects.toThrow(sentence);
  expect(await readdir(target)).toEqual([]);
  await expect(verifyBackup(file, { passphrase, log })).rejects.toThrow(sentence);
});

test('a backup of an earlier version, without a platform, can still be restored', async () => {
  const file = await copyWith(undefined);
  const target = join(folder, 'earlier');
  await restoreBackup(file, target, trust);
  expect(await readdir(target)).toContain('postgres');
});
