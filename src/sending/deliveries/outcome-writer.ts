import { isolateWrites, type LedgerWork } from '../accounts/quarantine-account.ts';
import type { Database } from '../../platform/database/statements.ts';
import { failureLevel } from '../../platform/log/log.ts';
import { countFailuresInARow } from '../../platform/concurrency/failure-streak.ts';
import type { LoopDeps } from '../../platform/concurrency/loop.ts';
import { sleep } from '../../platform/time/time.ts';
import type { FinishedTurn } from './ledger-writes.ts';
import { finishTurns } from './finish-turns.ts';

export type OutcomeWriter = ReturnType<typeof createOutcomeWriter>;

const RETRY_MS = 500;
/** Whether somebody in quarantine is due costs nothing to ask. */
const POLL_MS = 1_000;

/** Writes the outcomes of turns, and retries until they are durable: none is lost while the database is away or one account fails. */
export function createOutcomeWriter(deps: LoopDeps & { db: Database }) {
  const { log } = deps;
  const failures = countFailuresInARow('outcomes', deps.onLoopError);
  const stopping = new AbortController();
  let waiting = 0;

  async function writeOnce<Item, Result>(items: readonly Item[], work: LedgerWork<Item, Result>): Promise<Item[]> {
    for (;;) {
      try {
        const { left } = await isolateWrites(deps, 'outcomes', items, work);
        failures.ended();
        return left;
      } catch (error) {
        failures.failed(error);
        log[failureLevel(error)](
          { err: error, turns: items.length },
          'outcomes could not be written down yet and are kept',
        );
        await sleep(RETRY_MS * (0.5 + Math.random()));
      }
    }
  }

  return {
    /**
     * Calls `onDone` with each item as soon as it is written. While the database is away all are tried again. Items that fail because of
     * their account's data are kept, and tried again alone as the quarantine says. Resolves when every item is done. Never rejects.
     */
    async write<Item, Result>(
      items: readonly Item[],
      { onDone, ...work }: LedgerWork<Item, Result> & { onDone?: (item: Item) => void },
    ): Promise<void> {
      let left = [...items];
      const settle = (open: ReadonlySet<unknown>) =>
        left.filter((item) => !open.has(item)).forEach((item) => onDone?.(item));
      for (;;) {
        const open = await writeOnce(left, work);
        settle(new Set(open));
        left = open;
        if (left.length === 0) return;
        if (stopping.signal.aborted) break;
        waiting += left.length;
        await sleep(POLL_MS, stopping.signal);
        waiting -= left.length;
      }
      log.error({ accounts: left.map(work.idOf) }, 'outcomes in quarantine are left to whoever takes the shard over');
      settle(new Set());
    },
    /** How many items wait in quarantine. */
    waiting: () => waiting,
    /** From now on items that wait in quarantine are given up: whoever takes their shard over finds them as what may have left. */
    stop: () => stopping.abort(),
  };
}

export type Finisher = ReturnType<typeof createFinisher>;

const LONGEST_WAIT_MS = 5;
const DELIVERIES_PER_BATCH = 500;

/**
 * Collects finished turns of many accounts and writes them down together, so that one slow send delays no other.
 * A batch is written when it holds 500 deliveries, when its first turn has waited 5 ms, or when no other turn is under way
 * (`inFlight` counts the turns sent and not yet finished, with those waiting here).
 */
export function createFinisher({
  db,
  inFlight,
  writer,
}: {
  db: Database;
  inFlight: () => number;
  writer: OutcomeWriter;
}) {
  let waiting: Array<{ finished: FinishedTurn; done: () => void }> = [];
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
          db,
          some.map(({ finished }) => finished),
        ),
      onDone: ({ done }) => done(),
    });
  }

  return {
    /** Resolves once the outcome is durable, or left to the next worker, as `OutcomeWriter` says. Never rejects. */
    finish(finished: FinishedTurn) {
      return new Promise<void>((resolve) => {
        waiting.push({ finished, done: resolve });
        deliveries += finished.outcomes.length;
        if (deliveries >= DELIVERIES_PER_BATCH || inFlight() <= waiting.length) flush();
        else timer ??= setTimeout(flush, LONGEST_WAIT_MS);
      });
    },
  };
}
