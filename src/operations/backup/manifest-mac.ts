import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { StartupError } from '../../platform/errors/errors.ts';
import { deriveKey } from './secrets-box.ts';

/** `check` depends on the passphrase alone, so that another passphrase can be distinguished from an altered manifest. */
const Mac = z.object({ salt: z.base64(), check: z.base64(), mac: z.base64() });

/** Separate keys from one passphrase: none of them says anything about another (RFC 5869). */
const MAC_INFO = 'campanile backup: HMAC of the manifest';
const CHECK_INFO = 'campanile backup: check of the passphrase';
const KEY_BYTES = 32;

/** Returns the authentication code of a manifest: HMAC-SHA-256 under a key that scrypt and HKDF derive from the passphrase. */
export async function createManifestMac(manifest: Buffer, passphrase: string): Promise<string> {
  const salt = randomBytes(16);
  const { check, mac } = await compute(manifest, passphrase, salt);
  const encoded = { salt: salt.toString('base64'), check: check.toString('base64'), mac: mac.toString('base64') };
  return `${JSON.stringify(encoded)}\n`;
}

/** Throws a StartupError unless `code` is the authentication code of the manifest of `file` under the passphrase. */
export async function checkManifestMac(
  manifest: Buffer,
  { code, passphrase, file }: { code: Buffer; passphrase: string; file: string },
): Promise<void> {
  const { salt, check, mac } = parseMac(code, file);
  const expected = await compute(manifest, passphrase, Buffer.from(salt, 'base64'));
  if (!areEqual(Buffer.from(check, 'base64'), expected.check))
    throw new StartupError(
      `${file} was made with another passphrase, or its authentication code was altered. Nothing was unpacked.`,
    );
  if (!areEqual(Buffer.from(mac, 'base64'), expected.mac))
    throw new StartupError(
      `${file} was altered after it was made: its manifest does not match its authentication code. Nothing was unpacked. Use another backup.`,
    );
}

function parseMac(code: Buffer, file: string): z.infer<typeof Mac> {
  try {
    return Mac.parse(JSON.parse(code.toString('utf8')));
  } catch (error) {
    throw new StartupError(
      `${file} was altered or is damaged: its authentication code cannot be read. Use another backup.`,
      error,
    );
  }
}

async function compute(manifest: Buffer, passphrase: string, salt: Buffer) {
  const master = await deriveKey(passphrase, salt);
  const expand = (info: string) => Buffer.from(hkdfSync('sha256', master, '', info, KEY_BYTES));
  return { check: expand(CHECK_INFO), mac: createHmac('sha256', expand(MAC_INFO)).update(manifest).digest() };
}

function areEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
