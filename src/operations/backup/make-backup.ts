import { createHash } from 'node:crypto';
import { syncFile, syncFolder } from '../../platform/database/embedded/folder.ts';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, chown, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { readOne, type Connection } from '../../platform/database/statements.ts';
import pg from 'pg';
import { DatabaseClient, type PostgresAddress } from '../../platform/database/connect.ts';
import { StartupError, errorCodeOf } from '../../platform/errors/errors.ts';
import { BASE_FILE, DUMP_FILE, MAC_FILE, MANIFEST_FILE, PLATFORM, SECRETS_FILE, type Manifest } from './manifest.ts';
import { createManifestMac } from './manifest-mac.ts';
import { dumpDatabase } from './postgres-tools.ts';
import { readSecrets, sealSecrets } from './secrets-box.ts';
import { describeWriteError } from './write-problem.ts';

/** Two of a cluster's three databases are equal. A window of 32 MiB finds the repetition, and takes as much memory. */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 3,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: 25,
  },
};

export interface BackupOptions {
  db: Connection;
  address: PostgresAddress;
  /** The server is the embedded one of `dataDir`. */
  isEmbedded: boolean;
  dataDir: string;
  /** The target file. An existing file is never replaced. */
  file: string;
  /** Seals the secrets of DATA_DIR, and authenticates the backup. Undefined: there must be no secrets, and it is not authenticated. */
  passphrase: string | undefined;
  /** `leave` writes none of them: for a backup that lies beside them. `seal` unless given. */
  secrets?: 'seal' | 'leave';
  version: string;
}

/**
 * Backs the database up while it works, with the secrets of DATA_DIR: the files of the embedded server by the replication protocol,
 * with all the log that makes them whole, one of one's own by pg_dump. The file is there whole and on the disk, or not at all. Throws a StartupError for what the operator has to change.
 */
export async function makeBackup(options: BackupOptions): Promise<Manifest> {
  const { db, address, isEmbedded, dataDir, passphrase, secrets = 'seal', version } = options;
  const file = resolve(options.file);
  if (existsSync(file))
    throw new StartupError(`${file} already exists, and a backup never overwrites a file. Choose another name.`);
  const draft = `${file}.new`;
  let staging = '';
  try {
    staging = await mkdtemp(join(isEmbedded ? dataDir : dirname(file), 'backup.new-'));
    if (secrets === 'seal') await sealInto(staging, dataDir, passphrase);
    const about = await readOne<Pick<Manifest, 'postgres' | 'installationId' | 'number'>>(db)`
      select (current_setting('server_version_num')::int / 10000)::text as postgres, installation_id as "installationId", number
      from ledger`;
    const unpackedBytes = isEmbedded ? await streamBaseBackup(address, dataDir, staging) : undefined;
    if (!isEmbedded) await dumpDatabase(db, address, join(staging, DUMP_FILE));
    const names = [
      isEmbedded ? BASE_FILE : DUMP_FILE,
      ...(existsSync(join(staging, SECRETS_FILE)) ? [SECRETS_FILE] : []),
    ];
    const files = Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await sumOf(join(staging, name))])),
    );
    const manifest: Manifest = {
      format: 1,
      madeAt: new Date().toISOString(),
      version,
      ...about,
      ...(isEmbedded && { platform: PLATFORM }),
      ...(unpackedBytes !== undefined && { unpackedBytes }),
      files,
    };
    const head = await writeManifest(staging, manifest, passphrase);
    const { create } = await import('tar');
    await create({ file: draft, cwd: staging, portable: true, mode: 0o600 }, [...head, ...names]);
    await chmod(draft, 0o600);
    await syncFile(draft);
    await rename(draft, file);
    await syncFolder(dirname(file));
    return manifest;
  } catch (error) {
    throw explain(error, file);
  } finally {
    await rm(draft, { force: true });
    if (staging !== '') await rm(staging, { recursive: true, force: true });
  }
}

async function sealInto(staging: string, dataDir: string, passphrase: string | undefined): Promise<void> {
  const secrets = await readSecrets(dataDir);
  if (secrets.length === 0) return;
  if (passphrase === undefined)
    throw new StartupError(
      `The backup includes the secrets in DATA_DIR (${secrets.map(([name]) => name).join(', ')}) and encrypts them. Add --passphrase-file FILE.`,
    );
  await writeFile(join(staging, SECRETS_FILE), await sealSecrets(Object.fromEntries(secrets), passphrase), {
    mode: 0o600,
  });
}

/** Writes the manifest and, with a passphrase, its authentication code. Returns the names of both. */
async function writeManifest(staging: string, manifest: Manifest, passphrase: string | undefined): Promise<string[]> {
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await writeFile(join(staging, MANIFEST_FILE), text);
  if (passphrase === undefined) return [MANIFEST_FILE];
  await writeFile(join(staging, MAC_FILE), await createManifestMac(text, passphrase));
  return [MANIFEST_FILE, MAC_FILE];
}

/** Returns the size before compression. The server writes the files itself: as the user who owns its cluster. */
async function streamBaseBackup(address: PostgresAddress, dataDir: string, staging: string): Promise<number> {
  const { uid, gid } = await stat(join(dataDir, 'postgres'));
  const target = await mkdtemp(join(staging, 'base-'));
  if (process.getuid?.() === 0) {
    await chown(target, uid, gid);
    // Who passes through has to get there; what else is in here only its owner can read.
    await chmod(staging, 0o711);
  }
  const client = new DatabaseClient(address, { replication: 'true' } as pg.ClientConfig);
  await client.connect();
  try {
    const detail = target.replaceAll("'", "''");
    await client.query(
      `BASE_BACKUP ( LABEL 'campanile', CHECKPOINT 'fast', WAL true, TARGET 'server', TARGET_DETAIL '${detail}' )`,
    );
  } finally {
    await client.end();
  }
  const archives = await readdir(target);
  if (archives.length !== 1)
    throw new StartupError('A backup cannot include tablespaces. Move their tables to pg_default.');
  const base = join(target, 'base.tar');
  const { size } = await stat(base);
  await pipeline(
    createReadStream(base),
    createZstdCompress(COMPRESSION),
    createWriteStream(join(staging, BASE_FILE), { mode: 0o600 }),
  );
  await rm(target, { recursive: true });
  return size;
}

export async function sumOf(file: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}

function explain(error: unknown, file: string): unknown {
  const code = errorCodeOf(error);
  const folder = dirname(file);
  if (code === 'ENOENT')
    return new StartupError(`The folder ${folder} for ${basename(file)} does not exist. Create it first.`, error);
  if (code === 'EACCES' || code === 'EROFS')
    return new StartupError(`The backup cannot be written: ${describeWriteError(error, folder)}`, error);
  if (code === 'ENOSPC')
    return new StartupError(`The disk is full. A backup needs space in DATA_DIR and in ${folder}.`, error);
  return error;
}
