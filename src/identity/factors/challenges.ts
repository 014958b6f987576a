import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/time/time.ts';

export type Challenges = ReturnType<typeof createChallenges>;

const NONCE_BYTES = 16;
const INSTANT_BYTES = 8;
const LASTS_MS = 5 * 60_000;

/**
 * WebAuthn challenges: random, for one purpose, valid for five minutes. An issued challenge is not stored, so that strangers cannot fill
 * storage by asking for more. Used challenges are stored elsewhere (replay protection).
 */
export function createChallenges({ secret, clock }: { secret: string; clock: Clock }) {
  const sign = (head: Uint8Array, purpose: string) =>
    createHmac('sha256', `challenges ${secret}`).update(head).update(purpose).digest();
  return {
    /** `purpose` binds it: to sign in, or to a user who adds a passkey. */
    draw(purpose: string) {
      const head = Buffer.alloc(NONCE_BYTES + INSTANT_BYTES);
      randomBytes(NONCE_BYTES).copy(head);
      head.writeBigUInt64BE(BigInt(Math.floor(clock.nowMs()) + LASTS_MS), NONCE_BYTES);
      return Uint8Array.from([...head, ...sign(head, purpose)]);
    },
    /** When a challenge in base64url ends; undefined when it was not drawn here for this purpose, or has ended. */
    endOf(challenge: string, purpose: string) {
      const bytes = Buffer.from(challenge, 'base64url');
      const head = bytes.subarray(0, NONCE_BYTES + INSTANT_BYTES);
      const signature = bytes.subarray(head.length);
      const expected = sign(head, purpose);
      if (signature.length !== expected.length || !timingSafeEqual(signature, expected)) return undefined;
      const endsAtMs = Number(head.readBigUInt64BE(NONCE_BYTES));
      return endsAtMs > clock.nowMs() ? endsAtMs : undefined;
    },
  };
}
