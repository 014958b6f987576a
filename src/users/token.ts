import { randomUUID } from 'node:crypto';
import { createSigner, createVerifier } from 'fast-jwt';
import type { UserId } from '../database/schema.ts';
import type { Clock } from '../lib/time.ts';

/** Which of a user's tokens one is. */
export interface TokenIdentity {
  /** `jti`: random, of this token alone. */
  tokenId: string;
  /** `gen`: the user's token generation when it was issued. */
  generation: number;
}

/** What a token of ours says. Whether it has been revoked is another question: `token-states.ts`. */
export interface TokenClaims extends TokenIdentity {
  userId: UserId;
  expiresAtMs: number;
}

export interface Tokens {
  issue(user: { userId: UserId; generation: number }): string;
  /** The claims of a token that we signed and that has not expired; undefined for any other string. */
  read(token: string): TokenClaims | undefined;
}

export const TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1_000;
const PARTY = 'campanile';
const MOST_KNOWN = 10_000;

/** Issues and reads tokens: JWTs signed with HS256, valid for `lifetimeMs` (24 h, contract §3). */
export function createTokens({
  secret,
  clock,
  lifetimeMs = TOKEN_LIFETIME_MS,
}: {
  secret: string;
  clock: Clock;
  lifetimeMs?: number;
}): Tokens {
  const sign = createSigner({ key: secret, algorithm: 'HS256', iss: PARTY, aud: PARTY, noTimestamp: true });
  const verify = createVerifier({
    key: secret,
    algorithms: ['HS256'],
    allowedIss: PARTY,
    allowedAud: PARTY,
    requiredClaims: ['iss', 'aud', 'sub', 'jti', 'gen', 'exp'],
    // Its clock cannot be ours; `read` looks at `exp` instead.
    ignoreExpiration: true,
  });
  // Checking a signature takes longer than all else about a small request, and clients send the same token again and again.
  const known = new Map<string, TokenClaims>();

  function remember(token: string, claims: TokenClaims) {
    const oldest = known.size >= MOST_KNOWN ? known.keys().next() : undefined;
    if (oldest && !oldest.done) known.delete(oldest.value);
    known.set(token, claims);
  }

  function check(token: string): TokenClaims | undefined {
    const claims = claimsOf(verified(verify, token));
    if (claims) remember(token, claims);
    return claims;
  }

  return {
    issue({ userId, generation }) {
      const nowSeconds = Math.floor(clock.nowMs() / 1_000);
      return sign({
        sub: String(userId),
        jti: randomUUID(),
        gen: generation,
        iat: nowSeconds,
        exp: nowSeconds + Math.floor(lifetimeMs / 1_000),
      });
    },
    read(token) {
      const claims = known.get(token) ?? check(token);
      if (!claims) return undefined;
      if (clock.nowMs() < claims.expiresAtMs) return claims;
      known.delete(token);
      return undefined;
    },
  };
}

/** What the verifier makes of a token; undefined when it throws, which is how it refuses one. */
function verified(verify: (token: string) => unknown, token: string): unknown {
  try {
    return verify(token);
  } catch {
    return undefined;
  }
}

function claimsOf(payload: unknown): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { sub, jti, gen, exp } = payload as Record<string, unknown>;
  const userId = Number(sub);
  if (!Number.isSafeInteger(userId) || typeof jti !== 'string') return undefined;
  if (typeof gen !== 'number' || typeof exp !== 'number') return undefined;
  return { userId: userId as UserId, tokenId: jti, generation: gen, expiresAtMs: exp * 1_000 };
}
