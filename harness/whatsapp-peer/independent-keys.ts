/** Curve25519 keys that agree on secrets and sign (XEdDSA), with Node's own primitives alone. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  randomBytes,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';

const DER = {
  edPrivate: Buffer.from('302e020100300506032b657004220420', 'hex'),
  edPublic: Buffer.from('302a300506032b6570032100', 'hex'),
  xPrivate: Buffer.from('302e020100300506032b656e04220420', 'hex'),
  xPublic: Buffer.from('302a300506032b656e032100', 'hex'),
};
const KEY_TYPE = Buffer.from([5]);
const PRIME = 2n ** 255n - 19n;

/** An X25519 key that can also sign (XEdDSA): its scalar is that of an Ed25519 key. */
export interface Key {
  /** 32 bytes. */
  raw: Buffer;
  agree: KeyObject;
  signing: KeyObject;
  /** The sign of the Ed25519 key. */
  signBit: number;
}

export function createKey(): Key {
  const seed = randomBytes(32);
  const signing = createPrivateKey({ key: Buffer.concat([DER.edPrivate, seed]), format: 'der', type: 'pkcs8' });
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32);
  const agree = createPrivateKey({ key: Buffer.concat([DER.xPrivate, scalar]), format: 'der', type: 'pkcs8' });
  return { raw: rawOf(agree), agree, signing, signBit: (rawOf(signing)[31] ?? 0) & 0x80 };
}

const rawOf = (key: KeyObject): Buffer => createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32);
export const typed = (raw: Uint8Array): Buffer => Buffer.concat([KEY_TYPE, raw]);
export const untyped = (key: Uint8Array): Buffer => Buffer.from(key.length === 33 ? key.subarray(1) : key);

export function agree({ agree: privateKey }: Key, theirs: Uint8Array): Buffer {
  const key = Buffer.concat([DER.xPublic, untyped(theirs)]);
  return diffieHellman({ privateKey, publicKey: createPublicKey({ key, format: 'der', type: 'spki' }) });
}

export function signWith({ signing, signBit }: Key, message: Uint8Array): Buffer {
  const signature = sign(null, message, signing);
  signature[63] = (signature[63] ?? 0) | signBit;
  return signature;
}

export function isSignedBy(theirs: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const u = BigInt(`0x${Buffer.from(untyped(theirs).toReversed()).toString('hex')}`);
  const y = ((u - 1n + PRIME) * power(u + 1n, PRIME - 2n)) % PRIME;
  const point = Buffer.from(Buffer.from(y.toString(16).padStart(64, '0'), 'hex').toReversed());
  const bytes = Buffer.from(signature);
  point[31] = (point[31] ?? 0) | ((bytes[63] ?? 0) & 0x80);
  bytes[63] = (bytes[63] ?? 0) & 0x7f;
  const key = Buffer.concat([DER.edPublic, point]);
  return verify(null, message, createPublicKey({ key, format: 'der', type: 'spki' }), bytes);
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let rest = exponent, square = base % PRIME; rest > 0n; rest >>= 1n, square = (square * square) % PRIME)
    if (rest & 1n) result = (result * square) % PRIME;
  return result;
}
