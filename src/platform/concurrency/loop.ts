import { backoffMs } from './backoff.ts';
import { countFailuresInARow, type OnLoopError } from './failure-streak.ts';
import { failureLevel, type Log } from '../log/log.ts';

/** A background loop: it can be woken early, backs off when its step throws, and stops between steps. */
export interface Loop {
  /** Runs the next step now instead of after the pause it asked for. A wake-up during a step is not lost; one during a back-off is. */
  wake(): void;
  /** Resolves when the step in hand has ended; no further one starts. */
  stop(): Promise<void>;
}

/** What every loop needs. */
export interface LoopDeps {
  log: Log;
  onLoopError?: OnLoopError | undefined;
}

const BACKOFF = { firstMs: 100, maxMs: 5_000, jitter: 1 };

/**
 * Exponential backoff: a step that fails is tried again after a pause that doubles.
 * Runs `step` again and again. A step resolves to how many milliseconds to sleep before the next one (0: none). A step that
 * throws is logged and tried again after a pause that doubles from 100 ms to 5 s: a loop never ends by itself. With `accountId` the loop is
 * one account's: its failures are no problem of the process.
 */
export function startLoop(
  name: string,
  step: () => Promise<number>,
  { log, onLoopError, accountId }: LoopDeps & { accountId?: number },
): Loop {
  const stopping = new AbortController();
  const failures = countFailuresInARow(name, accountId === undefined ? onLoopError : () => onLoopError?.(name));
  let woken = false;
  // A notification must not turn the back-off into a hot loop.
  let isBackingOff = false;
  let endPause: (() => void) | undefined;

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        endPause = undefined;
        resolve();
      }
      endPause = done;
    });

  async function run() {
    let failuresInARow = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      let pauseMs: number;
      try {
        pauseMs = await step();
        failures.ended();
        failuresInARow = 0;
        isBackingOff = false;
      } catch (error) {
        failures.failed(error);
        const context = { err: error, loop: name, ...(accountId !== undefined && { accountId }) };
        log[failureLevel(error)](context, 'a background loop failed and will be tried again');
        pauseMs = backoffMs(failuresInARow++, BACKOFF);
        isBackingOff = true;
      }
      if (stopping.signal.aborted || (woken && !isBackingOff) || pauseMs <= 0) {
        // Lets timers and sockets have their turn even when a step never has to wait.
        await new Promise(setImmediate);
        continue;
      }
      await pause(pauseMs);
    }
    failures.ended();
  }

  const ended = run();
  return {
    wake() {
      woken = true;
      if (!isBackingOff) endPause?.();
    },
    stop() {
      stopping.abort();
      endPause?.();
      return ended;
    },
  };
}
