import { randomUUID } from 'node:crypto';
import { createSigner, createVerifier } from 'fast-jwt';
import { LRUCache } from 'lru-cache';
import type { UserId } from '../../platform/database/schema.ts';
import type { Clock } from '../../platform/time/time.ts';

/** Which of a user's tokens one is. */
export interface TokenIdentity {
  /** `jti`: random, of this token alone. */
  tokenId: string;
  /** `gen`: the user's token generation when it was issued. */
  generation: number;
}

/** The claims of a token. Its revocation is checked elsewhere: `token-states.ts`. */
export interface TokenClaims extends TokenIdentity {
  userId: UserId;
  expiresAtMs: number;
  /** `auth_time`: when its bearer last proved who they are. */
  provenAtMs: number;
}

interface TokenOptions {
  secret: string;
  previousSecret?: string | undefined;
  clock: Clock;
}

export type Tokens = ReturnType<typeof createTokens>;

export const TOKEN_LIFETIME_MS = 24 * 60 * 60 * 1_000;
/** As long as what matters takes the proof in a token (contract §4). */
const PROOF_LASTS_MS = 10 * 60 * 1_000;
const ISSUER = 'campanile';
const MOST_KNOWN = 10_000;

/** Issues and reads tokens: JWTs signed with HS256, valid for 24 h (contract §3). Those signed with `previousSecret` are read, too. */
export function createTokens({ secret, previousSecret, clock }: TokenOptions) {
  const sign = createSigner({ key: secret, algorithm: 'HS256', iss: ISSUER, aud: ISSUER, noTimestamp: true });
  const verifiers = [secret, ...(previousSecret === undefined ? [] : [previousSecret])].map(verifierOf);
  // Checking a signature takes longer than all else about a small request, and clients send the same token again and again.
  const known = new LRUCache<string, TokenClaims>({ max: MOST_KNOWN });

  function check(token: string): TokenClaims | undefined {
    let claims: TokenClaims | undefined;
    for (const verify of verifiers) claims ??= claimsOf(verified(verify, token));
    if (claims) known.set(token, claims);
    return claims;
  }

  /** The same token, with a proof of just now in it; it ends when it would have. */
  function prove({ userId, tokenId, generation, expiresAtMs }: Omit<TokenClaims, 'provenAtMs'>): string {
    const nowSeconds = Math.floor(clock.nowMs() / 1_000);
    const exp = Math.floor(expiresAtMs / 1_000);
    return sign({ sub: String(userId), jti: tokenId, gen: generation, iat: nowSeconds, auth_time: nowSeconds, exp });
  }

  return {
    /** Issues a token to a user who has just authenticated. */
    issue({ userId, generation }: { userId: UserId; generation: number }) {
      const tokenId = randomUUID();
      const expiresAtMs = Math.floor(clock.nowMs() / 1_000) * 1_000 + TOKEN_LIFETIME_MS;
      return { token: prove({ userId, tokenId, generation, expiresAtMs }), tokenId, expiresAtMs };
    },
    prove,
    /** Whether the bearer has proven who they are within the last 10 minutes. */
    isRecentlyAuthenticated: ({ provenAtMs }: TokenClaims) => clock.nowMs() - provenAtMs < PROOF_LASTS_MS,
    /** The claims of a token that we signed and that has not expired; undefined for any other string. */
    read(token: string): TokenClaims | undefined {
      const claims = known.get(token) ?? check(token);
      if (!claims) return undefined;
      if (clock.nowMs() < claims.expiresAtMs) return claims;
      known.delete(token);
      return undefined;
    },
  };
}

function verifierOf(key: string): (token: string) => unknown {
  return createVerifier({
    key,
    algorithms: ['HS256'],
    allowedIss: ISSUER,
    allowedAud: ISSUER,
    requiredClaims: ['iss', 'aud', 'sub', 'jti', 'gen', 'exp'],
    // Its clock cannot be ours; `read` looks at `exp` instead.
    ignoreExpiration: true,
  });
}

/** Returns the verifier's result; undefined when it throws, which is how it rejects a token. */
function verified(verify: (token: string) => unknown, token: string): unknown {
  try {
    return verify(token);
  } catch {
    return undefined;
  }
}

function claimsOf(payload: unknown): TokenClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined;
  const { sub, jti, gen, exp, auth_time: provenAt } = payload as Record<string, unknown>;
  const userId = Number(sub);
  if (!Number.isSafeInteger(userId) || typeof jti !== 'string') return undefined;
  if (typeof gen !== 'number' || typeof exp !== 'number') return undefined;
  const provenAtMs = typeof provenAt === 'number' ? provenAt * 1_000 : 0;
  return { userId: userId as UserId, tokenId: jti, generation: gen, expiresAtMs: exp * 1_000, provenAtMs };
}
