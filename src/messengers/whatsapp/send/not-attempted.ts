import { OverloadError } from '../../../platform/errors/errors.ts';
import { describeFailure } from '../../../platform/errors/failures.ts';
import type { SendResult } from '../../messenger.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { REACHOUT_LOCKED } from '../failures.ts';
import { NotUploadedError } from '../files/upload-cache.ts';
import { toResult } from './relay.ts';
import type { Sending } from './sending.ts';

const RETRY_MS = 5_000;
/**
 * After a query before the post was rejected because of a lock on new private chats. Longer than any gap between posts: a delivery that
 * waits is claimed before the others, and would else hold them all back.
 */
const LOCKED_RETRY_MS = 10 * 60_000;

/** Returns the result of a message that was not handed to the client because of this error. Throws NotUploadedError again. */
export function notAttempted(sending: Sending, error: unknown): SendResult {
  if (error instanceof NotUploadedError) throw error;
  const code = rejectionCodeOf(error);
  if (code === REACHOUT_LOCKED) {
    sending.warn();
    return { kind: 'later', ...describeFailure('chats_locked'), waitMs: LOCKED_RETRY_MS };
  }
  if (code !== undefined) return toResult(sending, code);
  if (error instanceof OverloadError)
    return { kind: 'offline', reason: 'Other large posts come first', cooldownMs: RETRY_MS };
  sending.log.warn({ err: error }, 'a post was not tried');
  return { kind: 'offline', reason: 'The account could not be asked', cooldownMs: RETRY_MS };
}
