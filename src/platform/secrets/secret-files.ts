import { randomBytes } from 'node:crypto';
import { chown, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encryptionKey } from '../config/variables.ts';
import { prepareFolder, readIfThere, syncFolder } from '../database/embedded/folder.ts';
import { StartupError, errorCodeOf } from '../errors/errors.ts';

const PREVIOUS = 'jwt-secret-previous';
/** The lifetime of a token. */
const PREVIOUS_MS = 24 * 60 * 60 * 1_000;

/** A secret in a file. `parse` returns undefined for a text that cannot be the secret. */
interface SecretFile<Value> {
  name: string;
  parse(text: string): Value | undefined;
}

export const JWT_SECRET_FILE: SecretFile<string> = {
  name: 'jwt-secret',
  parse: (text) => (text.length >= 32 ? text : undefined),
};
export const ENCRYPTION_KEY_FILE: SecretFile<Buffer> = { name: 'encryption-key', parse: encryptionKey };

/**
 * Makes another secret for the tokens in `DATA_DIR`, and keeps the one before for a day. Processes take it up at their next start. A
 * crash in the middle leaves the one before in force.
 */
export async function rotateJwtSecret(dataDir: string): Promise<void> {
  const [file, previous] = [join(dataDir, JWT_SECRET_FILE.name), join(dataDir, PREVIOUS)];
  const jwtSecret = await storeSecret(dataDir, JWT_SECRET_FILE);
  const { uid, gid } = await stat(dataDir);
  for (const [target, secret] of [
    [previous, jwtSecret],
    [file, randomBytes(32).toString('hex')],
  ] as const) {
    const draft = `${target}.${randomBytes(6).toString('hex')}`;
    await writeDurably(draft, `${secret}\n`);
    // If root runs this, the file must stay readable for the service's user.
    if (process.getuid?.() === 0) await chown(draft, uid, gid);
    await rename(draft, target);
    await syncFolder(dataDir);
  }
}

/** Returns the secret that `rotateJwtSecret` replaced within a day. */
export async function readPreviousJwtSecret(dataDir: string): Promise<string | undefined> {
  const file = join(dataDir, PREVIOUS);
  const text = await readIfThere(file);
  if (text === undefined || Date.now() - (await stat(file)).mtimeMs > PREVIOUS_MS) return undefined;
  return text.trim();
}

/** Reads a secret back; undefined where there is no such file. Throws a StartupError for a file that is damaged or cannot be read. */
export function readSecret<Value>(dataDir: string, secret: SecretFile<Value>): Promise<Value | undefined> {
  return parseSecret(dataDir, secret, readIfThere);
}

/** Reads a secret back, or makes it (contract §1). Throws a StartupError, one sentence, when neither can be done. */
export async function storeSecret<Value>(dataDir: string, secret: SecretFile<Value>): Promise<Value> {
  const value = await parseSecret(
    dataDir,
    secret,
    async (file) => (await readIfThere(file)) ?? generate(dataDir, file),
  );
  if (value === undefined) throw new Error(`${secret.name} was not made`);
  return value;
}

async function parseSecret<Value>(
  dataDir: string,
  { name, parse }: SecretFile<Value>,
  read: (file: string) => Promise<string | undefined>,
): Promise<Value | undefined> {
  const file = join(dataDir, name);
  let text;
  try {
    text = await read(file);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The secret in ${file} can be neither read nor made: ${reason}`, error);
  }
  if (text === undefined) return undefined;
  const value = parse(text.trim());
  if (value === undefined) throw new StartupError(`The secret in ${file} is damaged: restore the file from a backup`);
  return value;
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
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    return await readFile(file, 'utf8');
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dataDir);
  return secret;
}

async function writeDurably(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });
}
