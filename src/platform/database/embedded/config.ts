/**
 * A data folder may come from elsewhere, such as a backup, and PostgreSQL's configuration can run commands and load code. So the
 * embedded server takes its settings from its command line and its access rules from files that are written here at each start.
 */
import { chown, lstat, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError, errorCodeOf } from '../../errors/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Identity } from './program.ts';

/** The user and the database that a new cluster comes with. */
export const SUPERUSER = 'campanile';
export const FIRST_DATABASE = 'postgres';

/**
 * Options of each connection to the embedded server. `ALTER ROLE` and `ALTER DATABASE … SET` take precedence over the server's command
 * line, and a client's options take precedence over both: no setting that is stored in a database loads a library.
 */
export const CLIENT_OPTIONS = '-c session_preload_libraries= -c local_preload_libraries=';

/**
 * PostgreSQL reads `postgresql.auto.conf` even when `config_file` names another file. The other files would start a recovery or a standby.
 */
const SETTINGS_FILE = 'postgresql.auto.conf';
const REMOVED = [SETTINGS_FILE, 'recovery.signal', 'standby.signal', 'tablespace_map'];

const EMPTY = '# Written at each start, and empty: Campanile gives its settings on the command line of PostgreSQL.\n';

/**
 * Writes the files that replace those in the cluster, and returns the settings that name them. If the server runs as another user, only
 * root may connect (peer authentication): a process that becomes that user must not.
 */
export async function writeServerConfig(dataDir: string, { as }: Identity): Promise<Record<string, string>> {
  const files = {
    config_file: ['postgresql.conf', EMPTY],
    hba_file: ['pg_hba.conf', `${accessRule(as !== undefined)}\n`],
    ident_file: ['pg_ident.conf', `campanile root ${SUPERUSER}\n`],
  } as const;
  const settings: Record<string, string> = {};
  for (const [setting, [name, text]] of Object.entries(files)) {
    const file = join(dataDir, name);
    await rm(file, { force: true });
    await writeFile(file, text, { mode: as ? 0o640 : 0o600, flag: 'wx' });
    if (as) await chown(file, 0, as.gid);
    settings[setting] = file;
  }
  return settings;
}

/** Elsewhere the folder of the socket keeps others out; on Windows, where it is a port, a password does. */
function accessRule(isRootAlone: boolean): string {
  if (process.platform === 'win32') return 'host all,replication all 127.0.0.1/32 scram-sha-256';
  return `local all,replication all ${isRootAlone ? 'peer map=campanile' : 'trust'}`;
}

/**
 * Removes settings and signals that came with the cluster. Throws a StartupError where it holds a symbolic link, through which the server
 * would write elsewhere, or anything else that is neither a file nor a folder. Call it while no server runs on it.
 */
export async function removeForeignConfig(cluster: string, log: Log): Promise<void> {
  for (const entry of await readdir(cluster, { recursive: true, withFileTypes: true }))
    if (!entry.isFile() && !entry.isDirectory())
      throw new StartupError(
        `${join(entry.parentPath, entry.name)} is ${entry.isSymbolicLink() ? 'a symbolic link' : 'neither a file nor a folder'}, and the embedded PostgreSQL keeps all of its files in ${cluster}: put what it leads to in its place, or set DATABASE_URL to a PostgreSQL server of your own.`,
      );
  for (const name of REMOVED) {
    const file = join(cluster, name);
    if ((await lstat(file).catch(ignoreMissing)) === undefined) continue;
    if (name !== SETTINGS_FILE || /^\s*[^#\s]/m.test(await readFile(file, 'utf8')))
      log.warn({ file }, 'the embedded PostgreSQL takes no settings from its data folder: this file is removed');
    await rm(file);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCodeOf(error) !== 'ENOENT') throw error;
}
