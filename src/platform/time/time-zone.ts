/** The longest name in the IANA database has 32 characters. */
const LONGEST_NAME = 64;
const EPOCH = Temporal.Instant.fromEpochMilliseconds(0);
/** Names in the database's own spelling, some 600 at most. `Temporal` takes 5 µs to find one, and every request for a profile asks. */
const found = new Set<string>();
let listed: readonly string[] | undefined;

/**
 * Returns the IANA time zone of that name in the database's own spelling (`europe/berlin` is `Europe/Berlin`; an alias such as
 * `Asia/Calcutta` stays one), or undefined when `Temporal` knows none. This is the one test for zones: `Intl.DateTimeFormat` accepts
 * names such as `JST` that `Temporal`, which does all calculations, rejects. Offsets such as `+02:00` are no zones, since they have no
 * clock changes.
 */
export function findTimeZone(name: string): string | undefined {
  if (found.has(name)) return name;
  if (name.length > LONGEST_NAME || !/^[a-z]/i.test(name)) return undefined;
  try {
    const id = EPOCH.toZonedDateTimeISO(name).timeZoneId;
    // Temporal also reads the zone out of a longer text: `T10:00[Europe/Berlin]`, `T1000+0530`.
    if (id.toLowerCase() !== name.toLowerCase()) return undefined;
    found.add(id);
    return id;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export function isTimeZone(name: string): boolean {
  return findTimeZone(name) !== undefined;
}

/**
 * Returns the stored zone, or `fallback` when none is stored or this process does not know it: another version of the IANA database
 * may have written it. Never throws, since zones of many accounts are read in one loop.
 */
export function knownTimeZone(stored: string | null, fallback: string): string {
  return (stored === null ? undefined : findTimeZone(stored)) ?? fallback;
}

/** Returns the zones to choose from, one name for each. Programs may send any other name that `findTimeZone` knows. */
export function listTimeZones(): readonly string[] {
  listed ??= ['UTC', ...Intl.supportedValuesOf('timeZone')].filter(isTimeZone);
  return listed;
}
