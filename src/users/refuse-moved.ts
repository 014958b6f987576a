import { AppError } from '../lib/errors.ts';
import type { Membership } from './store.ts';

/** Whoever leads requests to cells has not heard of a move for so long. */
const RETRY_SECONDS = 10;

/**
 * Throws `workspace_moved` for one that has moved to another cell, or is on its way there. To try again is right: the router soon leads to
 * where it is.
 */
export function refuseMoved({ movedTo }: Pick<Membership, 'movedTo'>): void {
  if (movedTo === null) return;
  throw new AppError(
    'workspace_moved',
    'This workspace is moving to another server, or has moved there: nothing was done, try again in a moment',
    { retryAfterSeconds: RETRY_SECONDS },
  );
}
