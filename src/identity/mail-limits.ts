import type { Database } from '../platform/database/statements.ts';
import { AppError } from '../platform/errors/errors.ts';
import { countAttempts, type AttemptLimit } from './sign-in/brute-force-limit.ts';

const HOUR_MS = 60 * 60 * 1_000;

/** More sign-ups from one address are either a known group or strangers; neither needs a mail each. */
export const SIGN_UP_MAILS_PER_ADDRESS: AttemptLimit = { name: 'sign-up mails', max: 30, windowMs: HOUR_MS };
/** Per login, from any address, and whether or not the login exists. */
export const RESETS_PER_LOGIN: AttemptLimit = { name: 'resets', max: 3, windowMs: HOUR_MS };
export const RESETS_PER_ADDRESS: AttemptLimit = { name: 'resets here', max: 60, windowMs: HOUR_MS };
export const VERIFICATIONS_PER_USER: AttemptLimit = { name: 'verifications', max: 3, windowMs: HOUR_MS };
/** To a workspace: mails with texts of a user go to addresses that the user enters. */
export const INVITATIONS_PER_WORKSPACE: AttemptLimit = { name: 'workspace invitations', max: 20, windowMs: HOUR_MS };
export const ACCEPTED_INVITATIONS_PER_USER: AttemptLimit = { name: 'accepted invitations', max: 60, windowMs: HOUR_MS };
export const INVITATIONS_PER_USER: AttemptLimit = { name: 'invitations', max: 100, windowMs: HOUR_MS };

/** Counts one more mail under the key. False: there were as many as there may be, and this one is not to be sent. */
export async function mayMail(db: Database, limit: AttemptLimit, key: string): Promise<boolean> {
  try {
    await countAttempts(db, [{ limit, key }]);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'rate_limited') return false;
    throw error;
  }
}
