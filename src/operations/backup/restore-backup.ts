import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../platform/database/embedded/embedded.ts';
import { prepareFolder } from '../../platform/database/embedded/folder.ts';
import { StartupError } from '../../platform/errors/errors.ts';
import { createLog } from '../../platform/log/log.ts';
import { HOLD_FILE } from '../hold/watch-ledger.ts';
import { DUMP_FILE } from './manifest.ts';
import { loadDump } from './postgres-tools.ts';
import type { Backup, Trust } from './read-backup.ts';
import { unpackBackup } from './unpack-backup.ts';

/**
 * Makes a DATA_DIR of a backup, whose ledger is held from its first start on. Nothing of a backup that is not authenticated runs here.
 * Throws a StartupError, with nothing changed, unless the folder is empty or not there: nothing is ever written over.
 */
export async function restoreBackup(file: string, dataDir: string, trust: Trust): Promise<Backup> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if ((await listOwn(dataDir)).length > 0)
    throw new StartupError(
      `DATA_DIR (${dataDir}) is not empty, and a restore never overwrites data. Stop Campanile and move the folder away, or set DATA_DIR to another folder.`,
    );
  const folder = await prepareFolder(dataDir);
  // Before there is a ledger that could be started without it.
  await writeFile(join(folder, HOLD_FILE), 'it was restored from a backup\n', { mode: 0o600, flag: 'wx', flush: true });
  try {
    const backup = await unpackBackup(file, folder, trust);
    if (DUMP_FILE in backup.manifest.files) {
      if (!backup.isAuthenticated)
        throw new StartupError(
          `${file} is not authenticated, and its SQL could run commands as the superuser of the embedded PostgreSQL. Restore it into a PostgreSQL of your own (DATABASE_URL), with a role that is not a superuser.`,
        );
      await loadIntoEmbedded(folder);
    }
    return backup;
  } catch (error) {
    for (const name of await listOwn(folder)) await rm(join(folder, name), { recursive: true, force: true });
    throw error;
  }
}

/** Also for a dump of an operator's own server. */
async function loadIntoEmbedded(folder: string): Promise<void> {
  const dump = join(folder, DUMP_FILE);
  const postgres = await startEmbeddedPostgres({ dataDir: folder, log: createLog('fatal'), restart: false });
  try {
    await loadDump(dump, postgres.address);
  } finally {
    await postgres.stop();
  }
  await rm(dump);
}

/** Entries that a file system creates at its root do not count. */
async function listOwn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'lost+found');
}
