import { randomBytes } from 'node:crypto';
import { chown, link, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptionKey, type Config } from './config.ts';
import { prepareFolder } from './database/embedded-folder.ts';
import { StartupError } from './lib/errors.ts';

const PREVIOUS = 'jwt-secret-previous';
/** As long as a token lives. */
const PREVIOUS_MS = 24 * 60 * 60 * 1_000;

export interface Secrets {
  jwtSecret: string;
  /** The one before, whose tokens are still taken: as configured, else what `rotateJwtSecret` left within a day. */
  jwtSecretPrevious: string | undefined;
  /** 32 bytes. */
  encryptionKey: Buffer;
}

/**
 * The secrets of the installation: as configured, else those in `DATA_DIR`, where missing ones are generated once (contract §1).
 * Throws a StartupError, one sentence, when they can be neither read nor written.
 */
export async function loadSecrets({
  dataDir,
  jwtSecret,
  jwtSecretPrevious,
  encryptionKey: key,
}: Pick<Config, 'dataDir' | 'jwtSecret' | 'encryptionKey'> &
  Partial<Pick<Config, 'jwtSecretPrevious'>>): Promise<Secrets> {
  return {
    jwtSecret: jwtSecret ?? (await keep(dataDir, 'jwt-secret', (text) => (text.length >= 32 ? text : undefined))),
    jwtSecretPrevious: jwtSecretPrevious ?? (jwtSecret === undefined ? await readPrevious(dataDir) : undefined),
    encryptionKey: key ?? (await keep(dataDir, 'encryption-key', encryptionKey)),
  };
}

/**
 * Makes another secret for the tokens in `DATA_DIR`, and keeps the one before for a day. Processes take it up at their next start. A
 * crash in the middle leaves the one before in force.
 */
export async function rotateJwtSecret(dataDir: string): Promise<void> {
  const [file, previous] = [join(dataDir, 'jwt-secret'), join(dataDir, PREVIOUS)];
  const { jwtSecret } = await loadSecrets({ dataDir, jwtSecret: undefined, encryptionKey: undefined });
  const { uid, gid } = await stat(dataDir);
  for (const [target, secret] of [
    [previous, jwtSecret],
    [file, randomBytes(32).toString('hex')],
  ] as const) {
    const draft = `${target}.${randomBytes(6).toString('hex')}`;
    await writeDurably(draft, `${secret}\n`);
    // Root may do this for a service that runs as somebody else, and has to read it.
    if (process.getuid?.() === 0) await chown(draft, uid, gid);
    await rename(draft, target);
    await syncFolder(dataDir);
  }
}

async function readPrevious(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, PREVIOUS);
  const text = await readIfThere(file);
  if (text === undefined || Date.now() - (await stat(file)).mtimeMs > PREVIOUS_MS) return undefined;
  return text.trim();
}

/** Reads a secret back, or makes it. `parse` answers undefined for what cannot be the secret. */
async function keep<Value>(dataDir: string, name: string, parse: (text: string) => Value | undefined): Promise<Value> {
  const file = join(dataDir, name);
  try {
    const text = (await readIfThere(file)) ?? (await generate(dataDir, file));
    const value = parse(text.trim());
    if (value !== undefined) return value;
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The secret in ${file} can be neither read nor made: ${reason}`, error);
  }
  throw new StartupError(`The secret in ${file} is damaged: restore the file from a backup`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Written whole and durable under another name first; of two processes that do so at once, both use what the first one made. */
async function generate(dataDir: string, file: string): Promise<string> {
  await prepareFolder(dataDir);
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  const secret = randomBytes(32).toString('hex');
  try {
    await writeDurably(draft, `${secret}\n`);
    // Unlike a rename, a link never replaces.
    await link(draft, file);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    return await readFile(file, 'utf8');
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dataDir);
  return secret;
}

async function writeDurably(file: string, text: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no way to sync a folder, and needs none.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
