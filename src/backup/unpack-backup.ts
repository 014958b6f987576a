import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import { extract, list } from 'tar';
import { StartupError } from '../lib/errors.ts';
import { sumOf } from './make-backup.ts';
import { BASE_FILE, DUMP_FILE, MANIFEST_FILE, Manifest, SECRET_NAMES, SECRETS_FILE } from './manifest.ts';
import { openSecrets } from './secrets-box.ts';

const ENTRIES: readonly string[] = [MANIFEST_FILE, BASE_FILE, DUMP_FILE, SECRETS_FILE];
const LARGEST_MANIFEST = 1024 ** 2;

/**
 * Unpacks a backup into an empty folder as a DATA_DIR, and compares all sums before anything is there under its name; `postgres` comes
 * last, or the dump that is to be loaded in place of it, under its name in the backup. The secrets are written where a passphrase is given. Throws a StartupError that says what is wrong with the backup.
 */
export async function unpackBackup(file: string, dataDir: string, passphrase: string | undefined): Promise<Manifest> {
  const staging = await mkdtemp(join(dataDir, 'restore.new-'));
  try {
    await extractKnown(file, staging);
    const manifest = await readManifest(staging, file);
    await compareSums(manifest, staging, file);
    const isDump = DUMP_FILE in manifest.files;
    if (!isDump) await unpackBase(staging);
    if (SECRETS_FILE in manifest.files && passphrase !== undefined) await writeSecrets(staging, dataDir, passphrase);
    const last = isDump ? DUMP_FILE : 'postgres';
    await rename(join(staging, last), join(dataDir, last));
    if (process.platform !== 'win32') await syncFolder(dataDir);
    return manifest;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function unpackBase(staging: string): Promise<void> {
  const cluster = join(staging, 'postgres');
  await mkdir(cluster, { mode: 0o700 });
  await pipeline(
    createReadStream(join(staging, BASE_FILE)),
    createZstdDecompress(),
    extract({ cwd: cluster, preserveOwner: false }),
  );
}

/** Nothing but what a backup has, whatever else an archive that was tampered with may name. */
async function extractKnown(file: string, staging: string): Promise<void> {
  const names: string[] = [];
  try {
    await list({ file, strict: true, onReadEntry: (entry) => void names.push(entry.path) });
    if (!names.includes(MANIFEST_FILE)) throw new Error('it has no manifest');
    await extract(
      { file, cwd: staging, strict: true, preserveOwner: false },
      [...ENTRIES].filter((name) => names.includes(name)),
    );
  } catch (error) {
    throw new StartupError(
      `${file} cannot be read as a backup: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

async function readManifest(staging: string, file: string): Promise<Manifest> {
  const text = await readFile(join(staging, MANIFEST_FILE), 'utf8');
  try {
    if (text.length > LARGEST_MANIFEST) throw new Error('it is too long');
    return Manifest.parse(JSON.parse(text));
  } catch (error) {
    throw new StartupError(
      `${file} is no backup of this version of Campanile, or is damaged: its manifest cannot be read`,
      error,
    );
  }
}

async function compareSums({ files }: Manifest, staging: string, file: string): Promise<void> {
  if (!(BASE_FILE in files) && !(DUMP_FILE in files))
    throw new StartupError(`${file} is damaged: its manifest names no database`);
  for (const [name, { sha256 }] of Object.entries(files)) {
    const found = ENTRIES.includes(name) ? await sumOf(join(staging, name)) : undefined;
    if (found?.sha256 !== sha256)
      throw new StartupError(`${file} is damaged: ${name} is not what was written into it. Take another backup`);
  }
}

async function writeSecrets(staging: string, dataDir: string, passphrase: string): Promise<void> {
  const secrets = await openSecrets(await readFile(join(staging, SECRETS_FILE), 'utf8'), passphrase);
  for (const name of SECRET_NAMES) {
    const text = secrets[name];
    if (text !== undefined) await writeFile(join(dataDir, name), text, { mode: 0o600, flag: 'wx', flush: true });
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
