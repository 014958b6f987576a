import { isolateWrites, type LedgerWork } from '../accounts/quarantine-account.ts';
import type { Database } from '../../platform/database/connect.ts';
import { failureLevel, type Log } from '../../platform/log/log.ts';
import { countFailuresInARow, type OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import { sleep } from '../../platform/time/time.ts';

/** Writes the outcomes of turns, and retries until they are durable: none is lost while the database is away or one account fails. */
export interface OutcomeWriter {
  /**
   * Calls `onDone` with each item as soon as it is written. While the database is away all are tried again. Items that fail because of
   * their account's data are kept, and tried again alone as the quarantine says. Resolves when every item is done. Never rejects.
   */
  write<Item, Result>(
    items: readonly Item[],
    work: LedgerWork<Item, Result> & { onDone?: (item: Item) => void },
  ): Promise<void>;
  /** How many items wait in quarantine. */
  waiting(): number;
  /** From now on items that wait in quarantine are given up: whoever takes their shard over finds them as what may have left. */
  stop(): void;
}

const RETRY_MS = 500;
/** Whether somebody in quarantine is due costs nothing to ask. */
const POLL_MS = 1_000;

export function createOutcomeWriter(deps: { db: Database; log: Log; onLoopError?: OnLoopError }): OutcomeWriter {
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
    async write(items, { onDone, ...work }) {
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
    waiting: () => waiting,
    stop: () => stopping.abort(),
  };
}
