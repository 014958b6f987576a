import { randomInt } from 'node:crypto';
import { chmod, chown, lchown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../../errors/errors.ts';
import { runProgram, type Identity } from './program.ts';

/** `nobody` on every Linux. */
const NOBODY = 65534;
/** Nobody's by convention, and also there where a container has no more than 65,536 ids. */
const FREE_IDS = { min: 61_184, max: 65_520 };
const MAX_ATTEMPTS = 20;
const AS_IS: Identity = { prefix: [] };
const UNSHARE = ['unshare', '--map-user=1000', '--map-group=1000', '--'];
const SETPRIV = ['setpriv', '--pdeathsig', 'INT', '--'];

/**
 * Decides as whom PostgreSQL runs, which refuses to be root. Root therefore runs it in a user namespace, where the same user
 * goes by another number and files stay root's; where that is forbidden (`userNamespaces: false` pretends so), as the owner of
 * the cluster, or under an id that is nobody else's: other programs run as nobody, too. Throws a StartupError when that user cannot get to
 * DATA_DIR.
 */
export async function chooseIdentity(
  dataDir: string,
  cluster: string,
  { userNamespaces = true }: { userNamespaces?: boolean } = {},
): Promise<Identity> {
  // So that the server shuts down when we are killed. Innermost, since a change of user would undo it.
  const prefix = (await canRun(SETPRIV, AS_IS)) ? SETPRIV : [];
  const owner = await stat(cluster).catch(() => undefined);
  const ourId = process.getuid?.();
  if (ourId !== 0) {
    if (owner && ourId !== undefined && owner.uid !== ourId)
      throw new StartupError(
        `The PostgreSQL files in ${cluster} belong to user ${owner.uid}, and Campanile runs as user ${ourId}: run it as that user, or change the owner of the folder.`,
      );
    return { prefix };
  }
  const foreign = owner && owner.uid !== 0 && owner.uid !== NOBODY;
  if (!foreign && userNamespaces && (await canRun(UNSHARE, AS_IS))) return { prefix: [...UNSHARE, ...prefix] };
  const as = foreign ? { uid: owner.uid, gid: owner.gid } : await findFreeId();
  const identity = { prefix, as };
  await allowFolderAccess(dataDir, identity, as);
  if (owner && !foreign) await changeOwnerOfCluster(cluster, as);
  return identity;
}

/**
 * Returns the identity that creates a cluster for `identity`. `initdb` requires a user with a name, and an unused id has none. So it runs as
 * the user `nobody` in an unused group, and creates the cluster in a folder that only that group may enter.
 */
export function creatorOf(identity: Identity): Identity {
  const { prefix, as } = identity;
  return as ? { prefix, as: { uid: NOBODY, gid: as.gid } } : identity;
}

/** An id that no user and no group has a name for. */
async function findFreeId(): Promise<{ uid: number; gid: number }> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const id = randomInt(FREE_IDS.min, FREE_IDS.max);
    const names = await Promise.all(['passwd', 'group'].map((kind) => canRun(['getent', kind, String(id)], AS_IS, [])));
    if (!names.includes(true)) return { uid: id, gid: id };
  }
  throw new StartupError(
    `PostgreSQL cannot run as root here, and all ids from ${FREE_IDS.min} on seem to be taken: run Campanile as another user.`,
  );
}

/** Gives a new folder or file to the user PostgreSQL runs as. */
export async function changeOwner(path: string, { as }: Identity): Promise<void> {
  if (as) await chown(path, as.uid, as.gid);
}

async function canRun([command = '', ...args]: readonly string[], identity: Identity, last = ['true']) {
  return (await runProgram(command, [...args, ...last], identity)).ok;
}

/**
 * Lets the user pass through DATA_DIR without listing its content. Throws a StartupError when a folder on the way to DATA_DIR is closed to
 * the user.
 */
async function allowFolderAccess(dataDir: string, identity: Identity, as: { uid: number; gid: number }): Promise<void> {
  const { uid } = await stat(dataDir);
  await chown(dataDir, uid, as.gid);
  await chmod(dataDir, 0o710);
  const way = [dataDir];
  for (let folder = dataDir; folder !== dirname(folder); folder = dirname(folder)) way.unshift(dirname(folder));
  const script = 'for folder do test -x "$folder" || { echo "$folder"; exit 1; }; done';
  const { ok, output } = await runProgram('sh', ['-c', script, 'sh', ...way], identity);
  if (ok) return;
  throw new StartupError(
    `PostgreSQL cannot run as root here, and user ${as.uid} may not enter ${output.lines.at(-1)} on the way to DATA_DIR (${dataDir}): run Campanile as another user, or choose another DATA_DIR.`,
  );
}

export async function changeOwnerOfCluster(cluster: string, { uid, gid }: { uid: number; gid: number }): Promise<void> {
  for (const name of await readdir(cluster, { recursive: true })) await lchown(join(cluster, name), uid, gid);
  // Last: the owner of the folder shows whether every file was changed.
  await chown(cluster, uid, gid);
}
