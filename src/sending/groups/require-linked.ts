import type { Account } from '../accounts/store.ts';
import { AppError } from '../../platform/errors/errors.ts';

/**
 * Throws 409 when the account is not linked to a messaging application, 503 when it is but cannot be asked just now: what creates
 * something needs it at once (contract §2).
 */
export function requireLinked(account: Account): void {
  if (account.status === 'unlinked' || account.status === 'linking' || account.status === 'logged_out')
    throw new AppError('account_unlinked', 'Your account is not linked to a messaging application. Link it first.');
  if (account.status === 'reconnecting')
    throw new AppError('account_not_connected', 'Your account is reconnecting. Try again in a moment.', {
      retryAfterSeconds: 5,
    });
}
