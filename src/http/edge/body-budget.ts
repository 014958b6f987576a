import { OverloadError } from '../../lib/errors.ts';

/** The memory that big bodies may take at once. */
export interface BodyBudget {
  /**
   * Waits until `bytes` are free and `owner` has no other body under way, and resolves to what gives them back. Owners take turns, and
   * nobody overtakes who waits. Throws an OverloadError when too many wait already or it takes too long, and when `signal` is aborted.
   */
  take(owner: string, bytes: number, signal: AbortSignal): Promise<() => void>;
}

const MOST_WAITING = 1_000;
const RETRY_SECONDS = 5;

interface Waiting {
  bytes: number;
  admit(): void;
}

export function createBodyBudget({ totalBytes, maxWaitMs }: { totalBytes: number; maxWaitMs: number }): BodyBudget {
  /** Who waits, by owner, in the order of their turns. */
  const lines = new Map<string, Waiting[]>();
  const underWay = new Set<string>();
  let free = totalBytes;
  let waitingCount = 0;

  function leave(owner: string, waiting: Waiting): boolean {
    const line = lines.get(owner) ?? [];
    const at = line.indexOf(waiting);
    if (at === -1) return false;
    line.splice(at, 1);
    waitingCount -= 1;
    if (line.length === 0) lines.delete(owner);
    return true;
  }

  function admitWhoFits(): void {
    for (const [owner, [next]] of lines) {
      if (!next || underWay.has(owner)) continue;
      // A smaller one behind it has to wait as well, or a large one might wait for ever.
      if (next.bytes > free) return;
      leave(owner, next);
      underWay.add(owner);
      free -= next.bytes;
      next.admit();
    }
  }

  function release(owner: string, bytes: number): void {
    free += bytes;
    underWay.delete(owner);
    const line = lines.get(owner);
    // Behind everybody who waits by now.
    if (line && lines.delete(owner)) lines.set(owner, line);
    admitWhoFits();
  }

  return {
    take(owner, announced, signal) {
      if (waitingCount >= MOST_WAITING || signal.aborted) return Promise.reject(busy());
      const bytes = Math.min(announced, totalBytes);
      return new Promise((resolve, reject) => {
        const giveUp = () => {
          if (!leave(owner, waiting)) return;
          reject(busy());
          admitWhoFits();
        };
        const timer = setTimeout(giveUp, maxWaitMs);
        signal.addEventListener('abort', giveUp, { once: true });
        const waiting: Waiting = {
          bytes,
          admit() {
            clearTimeout(timer);
            let isHeld = true;
            resolve(() => {
              if (isHeld) release(owner, bytes);
              isHeld = false;
            });
          },
        };
        const line = lines.get(owner);
        if (line) line.push(waiting);
        else lines.set(owner, [waiting]);
        waitingCount += 1;
        admitWhoFits();
      });
    },
  };
}

function busy(): OverloadError {
  return new OverloadError('uploads', RETRY_SECONDS);
}
