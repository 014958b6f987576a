import { createHash } from 'node:crypto';

/** Returns the SHA-256 by which a secret is stored or compared. For random secrets of 128 bits and more, which need no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}
