import type { Signature } from '../../../notifications/webhooks/sign.ts';

/** What a receiver verifies with, as the wire has it. */
export function verifierFields(signature: Signature, verifier: string) {
  return signature === 'v1' ? { secret: verifier, public_key: null } : { secret: null, public_key: verifier };
}
