import { execute, hasRow, type Database } from '../../platform/database/statements.ts';
import { lockLedger } from '../accounts/store.ts';
import { MAX_INTERRUPTIONS_BY_TAKE_OVER } from '../leases/lease-store.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { describeFailure } from '../../platform/errors/failures.ts';
import type { SendResult } from '../../messengers/messenger.ts';
import type { ClaimedDelivery, Turn } from './claim-turns.ts';

/** A delivery with this many interrupted attempts fails. */
export const MAX_INTERRUPTED_ATTEMPTS = 5;
/** The next suspect waits no longer than this for the one that is being sent. */
const LONGEST_ALONE_MS = 60_000;

/** Sends the turn and returns its results; a result may still say that nothing was attempted. */
type Send = () => Promise<SendResult[]>;

export type SendSuspect = (turn: Turn, send: Send) => Promise<SendResult[]>;

/**
 * Poison message: sends deliveries that may break their worker. A delivery with two interrupted attempts is sent while the worker sends
 * no other such delivery, and the attempt is counted before it begins: if the worker dies, only this delivery is counted. After five
 * interrupted attempts the delivery fails for good. Other deliveries are sent at once.
 */
export function createSuspectSender({ db }: { db: Database }): SendSuspect {
  const permits = createFairSemaphore({ name: 'suspects', size: 1 });

  async function sendAlone(turn: Turn, suspect: ClaimedDelivery, send: Send): Promise<SendResult[]> {
    const release = await permits.acquire();
    const timer = setTimeout(release, LONGEST_ALONE_MS);
    try {
      if (!(await recordAttempt(db, turn, suspect.position)))
        return [{ kind: 'offline', reason: 'the turn was taken away', cooldownMs: 0 }];
      return await send();
    } finally {
      clearTimeout(timer);
      release();
    }
  }

  return async (turn, send) => {
    const [first] = turn.deliveries;
    if (!first || first.interruptedAttempts < MAX_INTERRUPTIONS_BY_TAKE_OVER) return send();
    if (first.interruptedAttempts >= MAX_INTERRUPTED_ATTEMPTS) return [{ kind: 'refused', ...GIVEN_UP, final: true }];
    return sendAlone(turn, first, send);
  };
}

const GIVEN_UP = describeFailure('interrupted', { times: MAX_INTERRUPTED_ATTEMPTS });

/** Counts the attempt that is about to begin; its finish writes the count again. False when the turn was taken away. */
async function recordAttempt(db: Database, { workspaceId, accountId, turn, runId }: Turn, position: number) {
  return db.transaction().execute(async (trx) => {
    if (!(await lockLedger(trx, workspaceId))) return false;
    const isFound = await hasRow(trx)`
      select from lanes where account_id = ${accountId} and turn = ${turn} and in_hand_run_id is not null for no key update`;
    if (!isFound) return false;
    await execute(trx)`
      update deliveries set interrupted_attempts = interrupted_attempts + 1
      where workspace_id = ${workspaceId} and run_id = ${runId} and position = ${position}`;
    return true;
  });
}
