import { sql } from 'kysely';
import { MAX_INTERRUPTIONS_BY_TAKE_OVER } from '../leases/lease-store.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { SendResult } from '../../messengers/messenger.ts';
import type { ClaimedDelivery, Turn } from './claim-turns.ts';

/** After that many tries that were cut off a delivery is given up. */
export const MAX_INTERRUPTED_ATTEMPTS = 5;
/** The next suspect does not wait longer than this for one that is being tried. */
const LONGEST_ALONE_MS = 60_000;

/** What of a turn is sent, given the results; `send` may still answer that it was not tried. */
type Send = () => Promise<SendResult[]>;

export type SendSuspect = (turn: Turn, send: Send) => Promise<SendResult[]>;

/**
 * Tries deliveries that may be what breaks workers. One that was cut off again and again is tried while no other suspect of this
 * worker is, and that is noted before, so that if the worker dies over it, it is told apart from those in hand beside it. After
 * five tries cut off it is refused for good. All others are simply sent.
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
    if (first.interruptedAttempts >= MAX_INTERRUPTED_ATTEMPTS)
      return [{ kind: 'refused', reason: GIVEN_UP, final: true }];
    return sendAlone(turn, first, send);
  };
}

const GIVEN_UP = `its sending was cut off ${MAX_INTERRUPTED_ATTEMPTS} times, as if it broke what sends it`;

/** Counts the try that is about to begin; should it end, its finish writes down another count. False when the turn is lost. */
async function recordAttempt(db: Database, { accountId, turn, runId }: Turn, position: number): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const { rows } = await sql`
      select from lanes where account_id = ${accountId} and turn = ${turn} and in_hand_run_id is not null for no key update`.execute(
      trx,
    );
    if (rows.length === 0) return false;
    await sql`
      update deliveries set interrupted_attempts = interrupted_attempts + 1
      where account_id = ${accountId} and run_id = ${runId} and position = ${position}`.execute(trx);
    return true;
  });
}
