import { useEffect, useState } from 'react';
import { exactTime, relativeTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { words } from '../words/words.ts';

const TICK_MS = 15_000;

/** Returns the current time, updated every 15 seconds. */
export function useNow(everyMs = TICK_MS): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return nowMs;
}

/** An instant relative to now; the tooltip has the exact time and zone. */
export function RelativeTime({ at }: { at: string | null }) {
  const zone = useZone();
  const nowMs = useNow();
  if (at === null) return <span>{words.unknown}</span>;
  return (
    <time dateTime={at} title={`${exactTime(at, zone)} (${zone})`}>
      {relativeTime(at, zone, nowMs)}
    </time>
  );
}
