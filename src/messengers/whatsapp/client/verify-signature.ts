import { createPublicKey, verify } from 'node:crypto';

const PRIME = 2n ** 255n - 19n;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
const SIGN_BIT = 0x80;
/** What precedes an Ed25519 key in its DER form (RFC 8410). */
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/**
 * XEdDSA: returns whether the owner of an X25519 key (32 bytes, or 33 with the byte of its type) has signed a message. The client library
 * does not check the keys that sessions start from, and ignores its own result for certificates.
 * Source: https://signal.org/docs/specifications/xeddsa/
 */
export function verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const raw = key.length === KEY_BYTES + 1 ? key.subarray(1) : key;
  if (raw.length !== KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  const edwards = toEdwards(raw);
  if (!edwards) return false;
  const standard = Buffer.from(signature);
  const last = standard[SIGNATURE_BYTES - 1] ?? 0;
  // The sign of the key travels in the unused bit of the signature.
  edwards[KEY_BYTES - 1] = (edwards[KEY_BYTES - 1] ?? 0) | (last & SIGN_BIT);
  standard[SIGNATURE_BYTES - 1] = last & ~SIGN_BIT;
  const spki = { key: Buffer.concat([DER_HEAD, edwards]), format: 'der', type: 'spki' } as const;
  return verify(null, message, createPublicKey(spki), standard);
}

/** The point with y = (u - 1) / (u + 1). Undefined where there is none. */
function toEdwards(raw: Uint8Array): Buffer | undefined {
  const bigEndian = Buffer.from(raw.toReversed());
  const u = BigInt(`0x${bigEndian.toString('hex')}`) & (2n ** 255n - 1n);
  const inverse = invert((u + 1n) % PRIME);
  if (inverse === undefined) return undefined;
  const y = (((u - 1n + PRIME) % PRIME) * inverse) % PRIME;
  return Buffer.from(Buffer.from(y.toString(16).padStart(2 * KEY_BYTES, '0'), 'hex').toReversed());
}

/** Modulo the prime, by the extended Euclidean algorithm. */
function invert(value: bigint): bigint | undefined {
  let [rest, next] = [PRIME, value];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return rest === 1n ? (factor + PRIME) % PRIME : undefined;
}
