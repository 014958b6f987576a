import { createContext, use, type ReactNode } from 'react';

const Zone = createContext('UTC');

/** The zone that all times below are shown in: the user's. */
export function ZoneProvider({ zone, children }: { zone: string; children: ReactNode }) {
  return <Zone value={zone}>{children}</Zone>;
}

/** IANA. */
export function useZone(): string {
  return use(Zone);
}
