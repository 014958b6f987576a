import { Secret, TOTP } from 'otpauth';

/** RFC 6238 as every authenticator app has it: SHA-1, six digits, 30 s. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** A code is taken one step early or late, since clocks differ. */
const ALLOWED_DRIFT_STEPS = 1;

export function generateTotpSecret(): Buffer {
  return Buffer.from(new Secret({ size: SECRET_BYTES }).buffer);
}

/** Returns the key for typing into an authenticator app, and as a URI for its QR code. */
export function describeTotp(secret: Uint8Array, userName: string): { secret: string; uri: string } {
  const totp = totpOf(secret, userName);
  return { secret: totp.secret.base32, uri: totp.toString() };
}

/** The number of the 30 s that a code is of; undefined when it is of none that counts now. */
export function stepOfCode(secret: Uint8Array, code: string, nowMs: number): number | undefined {
  const delta = totpOf(secret, '').validate({ token: code, timestamp: nowMs, window: ALLOWED_DRIFT_STEPS });
  return delta === null ? undefined : Math.floor(nowMs / 1_000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: Uint8Array, label: string): TOTP {
  const bytes = Uint8Array.from(secret);
  return new TOTP({ issuer: 'Campanile', label, period: PERIOD_SECONDS, secret: new Secret({ buffer: bytes.buffer }) });
}
