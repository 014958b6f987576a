const names = new Map<string, string | undefined>();

/** Returns how this browser calls the zone (`Asia/Calcutta` for `Asia/Kolkata`); undefined when it does not know it. */
export function browserNameOf(zone: string): string | undefined {
  if (!names.has(zone)) names.set(zone, resolve(zone));
  return names.get(zone);
}

/**
 * Returns the zone itself when this browser can show its clocks, else `UTC`. The service may know zones that are newer than the browser,
 * and answers the zone of an old campaign as it is stored.
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
