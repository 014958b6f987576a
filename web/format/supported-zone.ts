const names = new Map<string, string | undefined>();

/** Returns this browser's name of the zone (`Asia/Calcutta` for `Asia/Kolkata`); undefined if it does not know the zone. */
export function browserNameOf(zone: string): string | undefined {
  if (!names.has(zone)) names.set(zone, resolve(zone));
  return names.get(zone);
}

/**
 * Returns the zone if this browser supports it, else `UTC`. The service may know newer zones, and returns the zone of an old campaign as
 * stored.
 */
export function supportedZone(zone: string): string {
  return browserNameOf(zone) === undefined ? 'UTC' : zone;
}

function resolve(zone: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
