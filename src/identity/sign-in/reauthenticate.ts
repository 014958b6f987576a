import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { confirmPassword } from '../passwords/confirm-password.ts';
import type { UserDependencies } from '../dependencies.ts';
import { hasFactor } from '../factors/factor-store.ts';
import { userGoneError } from '../get-profile.ts';
import { proveCode } from '../factors/prove-factor.ts';
import { findUser } from '../store.ts';
import { isCurrent } from '../sessions/token-states.ts';
import type { TokenClaims } from '../sessions/token.ts';

/**
 * Reauthenticates a signed-in user: by a code with a second factor, else by the password. Returns the same token with a fresh proof, which
 * sensitive operations require (contract §4). The token expires when it would have. Throws `invalid` on
 * `password` or `code`, `rate_limited` after 10 wrong ones, and `unauthenticated` when token or user are no more.
 */
export async function reauthenticate(
  deps: Pick<UserDependencies, 'db' | 'clock' | 'vault' | 'tokens'>,
  claims: Omit<TokenClaims, 'provenAtMs'>,
  { password, code }: { password: string | undefined; code: string | undefined },
): Promise<string> {
  const { db, tokens } = deps;
  const { userId } = claims;
  if (await hasFactor(db, userId)) {
    const user = await findUser(db, userId);
    if (!user) throw userGoneError();
    if (!isCurrent(user, claims)) throw new AppError('token_revoked', 'The token has been revoked');
    if (code === undefined) throw invalid([fieldError('code', 'code_required')]);
    if (!(await proveCode(deps, userId, code))) throw invalid([fieldError('code', 'wrong_code')]);
  } else {
    if (password === undefined) throw invalid([fieldError('password', 'required')]);
    await confirmPassword(db, { userId, token: claims }, { field: 'password', password });
  }
  return tokens.prove(claims);
}
