/** Signs messages: Standard Webhooks 1.0.0. */
import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign, type KeyObject } from 'node:crypto';

/** `v1`: HMAC-SHA256 with a secret that both sides have. `v1a`: Ed25519, whose public key is enough to verify. */
export type Signature = 'v1' | 'v1a';

export interface Signed {
  messageId: string;
  /** The time of the attempt, in seconds since 1970. */
  timestamp: number;
  body: string;
}

const SECRET_BYTES = 32;
/** The PKCS #8 header of an Ed25519 private key of 32 bytes (RFC 8410). */
const ED25519_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** 32 random bytes: the secret of `v1`, or the private key of `v1a`. */
export function generateSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns the receiver's key for verification: `whsec_…`, which is secret, or `whpk_…`, which is public. */
export function verifierOf(signature: Signature, secret: Buffer): string {
  if (signature === 'v1') return `whsec_${secret.toString('base64')}`;
  const { x } = createPublicKey(privateKeyOf(secret)).export({ format: 'jwk' });
  return `whpk_${Buffer.from(x ?? '', 'base64url').toString('base64')}`;
}

/** The header `webhook-signature`: one for each of the secrets, with a space between them. */
export function signMessage(signature: Signature, secrets: readonly Buffer[], message: Signed): string {
  const content = Buffer.from(`${message.messageId}.${message.timestamp}.${message.body}`);
  const signatures = secrets.map((secret) =>
    signature === 'v1'
      ? createHmac('sha256', secret).update(content).digest('base64')
      : sign(null, content, privateKeyOf(secret)).toString('base64'),
  );
  return signatures.map((one) => `${signature},${one}`).join(' ');
}

function privateKeyOf(secret: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([ED25519_HEAD, secret]), format: 'der', type: 'pkcs8' });
}
