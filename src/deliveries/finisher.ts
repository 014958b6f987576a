import { writeOrStopEach } from '../accounts/stop-account.ts';
import type { Database } from '../database/connect.ts';
import type { Log } from '../lib/log.ts';
import type { FinishedTurn } from './effects.ts';
import { finishTurns } from './finish-turns.ts';
import { writeSurely } from './write-surely.ts';

/** Collects finished turns of many accounts and writes them down together, so that one slow send delays no other. */
export interface Finisher {
  /** Resolves once the outcome is durable. Never rejects: while the database is away it keeps trying. */
  finish(finished: FinishedTurn): Promise<void>;
}

const LONGEST_WAIT_MS = 5;
const DELIVERIES_PER_BATCH = 500;

interface Waiting {
  finished: FinishedTurn;
  done: () => void;
}

/**
 * A batch is written when it holds 500 deliveries, when its first turn has waited 5 ms, or when no other turn is under way
 * (`underWay` counts the turns sent and not yet finished, with those waiting here).
 */
export function createFinisher(deps: {
  db: Database;
  log: Log;
  underWay: () => number;
  onError?: () => void;
}): Finisher {
  let waiting: Waiting[] = [];
  let deliveries = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush() {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    deliveries = 0;
    if (batch.length > 0) void write(batch);
  }

  async function write(batch: Waiting[]) {
    const finished = batch.map((one) => one.finished);
    await writeSurely(
      () =>
        writeOrStopEach(deps, finished, {
          about: ({ turn, gapMs }) => ({ accountId: turn.accountId, gaps: { [turn.messenger]: gapMs } }),
          write: (some) => finishTurns(deps.db, some),
        }),
      (error) => {
        deps.onError?.();
        deps.log.error({ err: error, turns: batch.length }, 'outcomes could not be written down yet and are kept');
      },
    );
    for (const one of batch) one.done();
  }

  return {
    finish(finished) {
      return new Promise((resolve) => {
        waiting.push({ finished, done: resolve });
        deliveries += finished.outcomes.length;
        if (deliveries >= DELIVERIES_PER_BATCH || deps.underWay() <= waiting.length) flush();
        else timer ??= setTimeout(flush, LONGEST_WAIT_MS);
      });
    },
  };
}
