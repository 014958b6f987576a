import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sumOf } from './make-backup.ts';
import { syncFolder } from '../../platform/database/embedded/folder.ts';
import { StartupError } from '../../platform/errors/errors.ts';
import { BASE_FILE, DUMP_FILE, PLATFORM, SECRET_NAMES, SECRETS_FILE, type Manifest } from './manifest.ts';
import { alteredEntry, readBackup, type Backup, type Trust } from './read-backup.ts';
import { openSecrets } from './secrets-box.ts';
import { unpackCluster } from './unpack-cluster.ts';

/**
 * Unpacks a backup into an empty folder as a DATA_DIR, once it is authenticated and all sums are compared. `postgres` gets its name last,
 * or, in place of it, the dump that is to be loaded, under its name in the backup. The secrets are written where a passphrase is given.
 * Runs nothing of it. Throws a StartupError that says what is wrong with the backup.
 */
export async function unpackBackup(file: string, dataDir: string, trust: Trust): Promise<Backup> {
  const staging = await mkdtemp(join(dataDir, 'restore.new-'));
  try {
    const backup = await stageBackup(file, staging, trust);
    await unpackStaged(backup, staging, { file, dataDir, passphrase: trust.passphrase });
    return backup;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Creates a DATA_DIR from the files of `stageBackup` on the same disk. */
export async function unpackStaged(
  { manifest: { files, unpackedBytes, platform } }: Backup,
  staging: string,
  { file, dataDir, passphrase }: { file: string; dataDir: string; passphrase: string | undefined },
): Promise<void> {
  const isDump = DUMP_FILE in files;
  if (!isDump) {
    rejectOtherPlatform(platform, file);
    const cluster = join(staging, 'postgres');
    await mkdir(cluster, { mode: 0o700 });
    await unpackCluster(join(staging, BASE_FILE), cluster, { file, unpackedBytes });
  }
  if (SECRETS_FILE in files && passphrase !== undefined) await writeSecrets(staging, dataDir, passphrase);
  const last = isDump ? DUMP_FILE : 'postgres';
  await rename(join(staging, last), join(dataDir, last));
  await syncFolder(dataDir);
}

/**
 * The backup of an embedded PostgreSQL is physical: it has the files of the cluster, which PostgreSQL promises to read on the same platform
 * only. Throws a StartupError for another platform. An earlier version did not record it.
 */
function rejectOtherPlatform(platform: string | undefined, file: string): void {
  if (platform !== undefined && platform !== PLATFORM)
    throw new StartupError(
      `${file} has the files of an embedded PostgreSQL on ${platform}, and this machine is ${PLATFORM}. Such files do not move between platforms. Move the data by a dump instead (docs/how-to/move.md).`,
    );
}

/** Writes the files that the manifest names into a folder, and compares their sums. */
export async function stageBackup(file: string, staging: string, trust: Trust): Promise<Backup> {
  const backup = await readBackup(file, trust);
  const { files } = backup.manifest;
  const { extract } = await import('tar');
  await extract({
    file,
    cwd: staging,
    strict: true,
    preserveOwner: false,
    filter: (path, entry) => files[path]?.bytes === entry.size && 'type' in entry && entry.type === 'File',
  });
  await compareSums(backup.manifest, staging, file);
  return backup;
}

async function compareSums({ files }: Manifest, staging: string, file: string): Promise<void> {
  for (const [name, { sha256 }] of Object.entries(files))
    if ((await sumOf(join(staging, name))).sha256 !== sha256) throw alteredEntry(file, name);
}

async function writeSecrets(staging: string, dataDir: string, passphrase: string): Promise<void> {
  const secrets = await openSecrets(await readFile(join(staging, SECRETS_FILE), 'utf8'), passphrase);
  for (const name of SECRET_NAMES) {
    const text = secrets[name];
    if (text !== undefined) await writeFile(join(dataDir, name), text, { mode: 0o600, flag: 'wx', flush: true });
  }
}
