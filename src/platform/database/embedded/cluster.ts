import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { StartupError, errorCodeOf } from '../../errors/errors.ts';
import type { Binaries } from './binaries.ts';
import { SUPERUSER } from './config.ts';
import { diskFull, readIfThere, syncFolder } from './folder.ts';
import { creatorOf, changeOwnerOfCluster, changeOwner } from './run-as-user.ts';
import { failureLine, runProgram, type Identity } from './program.ts';

/**
 * Makes sure that the folder holds a cluster this PostgreSQL can serve: creates it the first time, all or nothing. Resolves to
 * whether it was created. `passwordFile` is for a server that is reached by TCP. Throws a StartupError when the folder is of
 * another version or not a cluster, and when the disk is full.
 */
export async function prepareCluster(
  cluster: string,
  binaries: Binaries,
  identity: Identity,
  { passwordFile, durable }: { passwordFile: string | undefined; durable: boolean },
): Promise<boolean> {
  const version = await readVersion(cluster);
  if (version === binaries.major) return false;
  if (version !== undefined)
    throw new StartupError(
      `The database in ${cluster} belongs to PostgreSQL ${version}, and this Campanile brings PostgreSQL ${binaries.major}: start the Campanile that wrote it, or move its data by a backup.`,
    );
  await removeDrafts(cluster);
  // Only its creator's group may enter the folder around it.
  const around = await mkdtemp(`${cluster}.new-`);
  const draft = join(around, 'cluster');
  const creator = creatorOf(identity);
  try {
    if (identity.as) await chown(around, 0, identity.as.gid);
    await chmod(around, 0o710);
    await mkdir(draft, { mode: 0o700 });
    await changeOwner(draft, creator);
    const access = passwordFile ? ['-A', 'scram-sha-256', `--pwfile=${passwordFile}`] : ['-A', 'trust'];
    // The built-in locale sorts and compares alike on every machine and through every update of the system. It came with 17.
    const builtIn = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const text = ['-E', 'UTF8', ...(Number(binaries.major) < 17 ? ['--locale=C.UTF-8'] : builtIn)];
    const args = ['-D', draft, '-U', SUPERUSER, ...access, ...text, ...(durable ? [] : ['--no-sync'])];
    const { ok, output } = await runProgram(binaries.initdb, args, creator);
    if (!ok && output.diskFull) throw new StartupError(diskFull(dirname(cluster)));
    if (!ok && failureLine(output).includes('could not look up effective user ID'))
      throw new StartupError(
        `PostgreSQL needs a user with a name, and ${process.getuid?.()} has none here: add a line for it to /etc/passwd, or set DATABASE_URL to a PostgreSQL server of your own.`,
      );
    if (!ok) throw new StartupError(`PostgreSQL could not create its files in ${cluster}: ${failureLine(output)}`);
    if (identity.as) await changeOwnerOfCluster(draft, identity.as);
    await rename(draft, cluster);
    if (durable) await syncFolder(dirname(cluster));
  } finally {
    await rm(around, { recursive: true, force: true });
  }
  return true;
}

/** The major version of the cluster; undefined when there is none yet. */
async function readVersion(cluster: string): Promise<string | undefined> {
  try {
    const version = await readIfThere(join(cluster, 'PG_VERSION'));
    if (version !== undefined) return version.trim();
  } catch (error) {
    throw errorCodeOf(error) === 'ENOTDIR' ? notACluster(cluster, error) : error;
  }
  try {
    await rmdir(cluster);
  } catch (error) {
    if (errorCodeOf(error) !== 'ENOENT') throw notACluster(cluster, error);
  }
  return undefined;
}

function notACluster(cluster: string, error: unknown): StartupError {
  return new StartupError(`${cluster} is not a folder of PostgreSQL: move it away, or choose another DATA_DIR.`, error);
}

/** Removes what an interrupted creation left. Its processes may still be ending, so a little patience. */
async function removeDrafts(cluster: string): Promise<void> {
  const parent = dirname(cluster);
  for (const name of await readdir(parent))
    if (name.startsWith(`${basename(cluster)}.new-`))
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
