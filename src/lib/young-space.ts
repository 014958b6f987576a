import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const ENOUGH_BYTES = 8 * 1024 * 1024;

/**
 * Lets V8's space for young objects grow under load, but no further than to some 8 MB: much of what is answered or sent would
 * otherwise outlive it and be collected the long way. V8 by itself goes to 48 MB and keeps it, and lets it grow already while it reads
 * code; so `bin/campanile.mjs` forbids it to grow, and this allows it when the start is over.
 */
export function letYoungSpaceGrow(): void {
  if (youngBytes() >= ENOUGH_BYTES) return;
  setFlagsFromString('--semi-space-growth-factor=2');
  const observer = new PerformanceObserver(() => {
    if (youngBytes() < ENOUGH_BYTES) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0;
}
