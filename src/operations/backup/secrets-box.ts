import { randomBytes, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { MIN_PASSPHRASE_LENGTH } from '../../platform/config/variables.ts';
import { readIfThere } from '../../platform/database/embedded/folder.ts';
import { StartupError } from '../../platform/errors/errors.ts';
import { createVault } from '../../platform/secrets/secret-box.ts';
import { SECRET_NAMES } from './manifest.ts';

/** 128 MiB and some tenths of a second for each guess. */
const COST = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 ** 2 };
const ABOUT = 'secrets of a backup';

const Box = z.object({ salt: z.base64(), sealed: z.base64() });
const Secrets = z.record(z.string(), z.string());

/** Returns the secrets in a DATA_DIR. */
export async function readSecrets(folder: string): Promise<Array<[name: string, secret: string]>> {
  const found: Array<[string, string]> = [];
  for (const name of SECRET_NAMES) {
    const secret = await readIfThere(join(folder, name));
    if (secret !== undefined) found.push([name, secret]);
  }
  return found;
}

/** Seals the secrets of an installation, by name, with a key that scrypt makes of the passphrase. */
export async function sealSecrets(secrets: Readonly<Record<string, string>>, passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const sealed = createVault({ key: await deriveKey(passphrase, salt) }).seal(
    Buffer.from(JSON.stringify(secrets)),
    ABOUT,
  );
  return JSON.stringify({ salt: salt.toString('base64'), sealed: sealed.toString('base64') });
}

/** Throws a StartupError when it is another passphrase than they were sealed with. */
export async function openSecrets(box: string, passphrase: string): Promise<Record<string, string>> {
  const { salt, sealed } = Box.parse(JSON.parse(box));
  const vault = createVault({ key: await deriveKey(passphrase, Buffer.from(salt, 'base64')) });
  let plain;
  try {
    plain = vault.open(Buffer.from(sealed, 'base64'), ABOUT);
  } catch (error) {
    throw new StartupError('The secrets in this backup were sealed with another passphrase', error);
  }
  return Secrets.parse(JSON.parse(plain.toString('utf8')));
}

/** Returns the passphrase in a file, trimmed. Throws a StartupError that says why it is unusable. */
export async function readPassphrase(file: string): Promise<string> {
  let text;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new StartupError(`The passphrase file ${file} cannot be read`, error);
  }
  if (text.length < MIN_PASSPHRASE_LENGTH)
    throw new StartupError(`The passphrase in ${file} needs at least ${MIN_PASSPHRASE_LENGTH} characters`);
  return text;
}

const runScrypt = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** Returns the 32 bytes that scrypt derives from a passphrase. */
export function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return runScrypt(passphrase.normalize('NFC'), salt, 32, COST);
}
