import type { Database } from '../../platform/database/statements.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { countFailures, OWN_PASSWORD_FAILURES } from '../sign-in/brute-force-limit.ts';
import { userGoneError } from '../get-profile.ts';
import { verifyPassword } from './password.ts';
import { findUser, type UserWithSecrets } from '../store.ts';
import { isCurrent } from '../sessions/token-states.ts';
import type { TokenIdentity } from '../sessions/token.ts';
import { withSignInPermit } from '../sign-in/sign-in-permits.ts';

/**
 * Reauthentication: verifies a signed-in user's password, and returns the user. Throws `invalid` on `field` when the password is wrong
 * (the token is valid, so this is no 401), `rate_limited` after 10 failures within an hour, and `unauthenticated` when token or user are
 * gone.
 */
export function confirmPassword(
  db: Database,
  { userId, token }: { userId: UserId; token: TokenIdentity },
  { field, password }: { field: string; password: string },
): Promise<UserWithSecrets> {
  return withSignInPermit(async () => {
    const user = await findUser(db, userId);
    if (!user) throw userGoneError();
    // Read from the database: nobody can undo the actions of a token that was revoked a moment ago.
    if (!isCurrent(user, token)) throw new AppError('token_revoked', 'The token has been revoked');
    const counters = [{ limit: OWN_PASSWORD_FAILURES, key: String(userId) }];
    if (!(await countFailures(db, counters, () => verifyPassword(user.passwordHash, password))))
      throw invalid([fieldError(field, 'wrong_password')]);
    return user;
  });
}
