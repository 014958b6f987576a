import type { Database } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';
import type { FinishedTurn } from './ledger-writes.ts';
import { finishTurns } from './finish-turns.ts';
import { createOutcomeWriter, type OutcomeWriter } from './outcome-writer.ts';

/** Collects finished turns of many accounts and writes them down together, so that one slow send delays no other. */
export interface Finisher {
  /** Resolves once the outcome is durable, or left to the next worker, as `OutcomeWriter` says. Never rejects. */
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
 * (`inFlight` counts the turns sent and not yet finished, with those waiting here).
 */
export function createFinisher(deps: {
  db: Database;
  log: Log;
  inFlight: () => number;
  /** Default is one of its own. */
  writer?: OutcomeWriter;
}): Finisher {
  const { writer = createOutcomeWriter(deps) } = deps;
  let waiting: Waiting[] = [];
  let deliveries = 0;
  let timer: NodeJS.Timeout | undefined;

  function flush() {
    clearTimeout(timer);
    timer = undefined;
    const batch = waiting;
    waiting = [];
    deliveries = 0;
    if (batch.length === 0) return;
    void writer.write(batch, {
      idOf: ({ finished }) => finished.turn.accountId,
      gapsOf: ({ finished: { turn, gapMs } }) => ({ [turn.messenger]: gapMs }),
      run: (some) =>
        finishTurns(
          deps.db,
          some.map(({ finished }) => finished),
        ),
      onDone: ({ done }) => done(),
    });
  }

  return {
    finish(finished) {
      return new Promise((resolve) => {
        waiting.push({ finished, done: resolve });
        deliveries += finished.outcomes.length;
        if (deliveries >= DELIVERIES_PER_BATCH || deps.inFlight() <= waiting.length) flush();
        else timer ??= setTimeout(flush, LONGEST_WAIT_MS);
      });
    },
  };
}
