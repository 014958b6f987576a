import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

export type Vault = ReturnType<typeof createVault>;

const ALGORITHM = 'aes-256-gcm';
const PREFIX_BYTES = 4;
const KEY_ID_DIGITS = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest: AES-256-GCM with a random nonce. `about` is authenticated as additional data, so that one secret cannot be
 * substituted for another. Keys are 32 bytes. Encrypts with `key`; also decrypts data of `previousKey`, during a key rotation.
 */
export function createVault({ key, previousKey }: { key: Buffer; previousKey?: Buffer | undefined }) {
  const all = [key, ...(previousKey ? [previousKey] : [])];
  const keyIds = all.map(keyIdOf);
  const keyIdPrefix = Buffer.from(sealPrefixOf(keyIdOf(key)), 'hex');
  const keys = new Map(all.map((one) => [sealPrefixOf(keyIdOf(one)), one]));
  return {
    /** The prefix of everything that was sealed with the present key. */
    keyIdPrefix,
    /** The ids of all keys that open; the key for sealing is first. */
    keyIds,
    seal(plain: Uint8Array, about: string): Buffer {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(about));
      return Buffer.concat([keyIdPrefix, nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
    },
    /** Throws when it was sealed with a key that is not known, is about something else, or was changed. */
    open(sealed: Uint8Array, about: string): Buffer {
      const bytes = Buffer.from(sealed);
      const known = keys.get(bytes.subarray(0, PREFIX_BYTES).toString('hex'));
      if (!known) throw new Error('sealed with an ENCRYPTION_KEY that is not among those configured');
      const nonce = bytes.subarray(PREFIX_BYTES, PREFIX_BYTES + NONCE_BYTES);
      const decipher = createDecipheriv(ALGORITHM, known, nonce).setAAD(Buffer.from(about));
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
      const ciphertext = bytes.subarray(PREFIX_BYTES + NONCE_BYTES, bytes.length - TAG_BYTES);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    },
  };
}

/** Returns 16 hexadecimal digits that identify a key and disclose nothing of its 32 random bytes. */
export function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('campanile vault').update(key).digest('hex').slice(0, KEY_ID_DIGITS);
}

/** Returns how everything begins that was sealed with the key, in hexadecimal digits. */
export function sealPrefixOf(keyId: string): string {
  return keyId.slice(0, PREFIX_BYTES * 2);
}
