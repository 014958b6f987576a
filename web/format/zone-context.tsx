import { createContext, use, type ReactNode } from 'react';

const Zone = createContext('UTC');

/** The time zone for all times below: the user's. */
export function ZoneProvider({ zone, children }: { zone: string; children: ReactNode }) {
  return <Zone value={zone}>{children}</Zone>;
}

/** Returns an IANA time zone. */
export function useZone(): string {
  return use(Zone);
}
