/** Returns the seconds that a `Retry-After` header asks to wait, written as seconds or as a date; 0 for anything else. */
export function parseRetryAfter(header: string | undefined, nowMs = Date.now()): number {
  if (header === undefined) return 0;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - nowMs) / 1_000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 0;
}
