import { createHash, randomBytes } from 'node:crypto';

/** 256 bits: nobody guesses one. */
const TOKEN_BYTES = 32;

/** Returns a new random secret for a link, which is stored as its hash alone. */
export function generateToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Returns the SHA-256 by which a secret is stored or compared. For random secrets of 128 bits and more, which need no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
