/** Notes when a world that is left in peace does not move on although something is due. */
import type { RemainingWork } from './remaining-work.ts';
import { time } from './virtual-time.ts';
import type { World } from './world.ts';

/** Within a lease the healthy workers take over from the others, and long before this time they have sent, or have given up. */
const LIVE_WITHIN_MS = 60_000;
const DEEDS: ReadonlySet<string> = new Set(['send', 'change', 'answer', 'message']);

export function watchProgress({ history, witness }: World): {
  /** Call it every few seconds with the ledger's remaining work. If it returns true, the history contains the reason. */
  isStuck(standing: RemainingWork): boolean;
} {
  let seen = '';
  let waitedMs = 0;
  let awakeMs = 0;
  /** Time asleep is nobody's fault. */
  const countAwakeMs = () =>
    time.nowMs() - history.lines.reduce((sum, line) => sum + (line.kind === 'slept' ? line.forMs : 0), 0);
  return {
    isStuck({ running, revising, in_hand: inHand, telling, erasing, next_ms: nextMs, held, paused }) {
      const passedMs = countAwakeMs() - awakeMs;
      awakeMs += passedMs;
      const did = history.lines.filter(({ kind }) => DEEDS.has(kind)).length;
      const standing = [did, running, revising, inHand, telling, erasing, witness.untold(), held, paused.length].join(
        ' ',
      );
      const isDue = inHand > 0 || witness.untold() > 0 || (nextMs !== null && nextMs <= time.nowMs());
      if (standing !== seen || !isDue || held) waitedMs = 0;
      else waitedMs += passedMs;
      seen = standing;
      if (waitedMs < LIVE_WITHIN_MS) return false;
      history.add({ kind: 'stuck', forMs: waitedMs, running, revising, inHand, untold: witness.untold() });
      return true;
    },
  };
}
