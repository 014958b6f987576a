import { readRow, type Database } from '../../../platform/database/statements.ts';
import { PINNED_ON, PINNED_VERSION } from './pinned-version.ts';

/** WhatsApp has refused versions that were 80 to 153 days old. */
export const OLD_CLIENT_DAYS = 60;
/** The operator has so many days to upgrade. */
const LAST_DAYS = 14;
const DAY_MS = 24 * 60 * 60_000;

/** The version of WhatsApp's client in use: that of the last accepted login. */
export interface ClientInUse {
  version: string;
  /** When WhatsApp first accepted it here. */
  acceptedAt: Date;
  /** At least so many milliseconds have passed since its publication. */
  ageMs: number;
  /** When WhatsApp stops taking it, and in how many milliseconds; undefined if it has not told. */
  end: { at: Date; inMs: number } | undefined;
}

/** Undefined if no account has ever logged in. */
export async function readClientInUse(db: Database): Promise<ClientInUse | undefined> {
  const row = await readRow<{ version: string; acceptedAt: Date; endsAt: Date | null; now: Date }>(db)`
    select version, let_in_at as "acceptedAt", ends_at as "endsAt", campanile_now() as now from whatsapp_version`;
  if (!row) return undefined;
  const { version, acceptedAt, endsAt, now } = row;
  const end = endsAt ? { at: endsAt, inMs: endsAt.getTime() - now.getTime() } : undefined;
  return { version, acceptedAt, ageMs: ageOf(version, acceptedAt, now), end };
}

/** Returns the age of this release's version, in days. */
export function pinnedAgeDays(now: Date): number {
  return toDays(now.getTime() - Date.parse(PINNED_ON));
}

export const toDays = (ms: number): number => Math.max(0, Math.floor(ms / DAY_MS));

/** Whether WhatsApp stops taking the version soon, or has done so. */
export const endsSoon = ({ end }: ClientInUse): boolean => end !== undefined && end.inMs < LAST_DAYS * DAY_MS;

/** A version has no date. The pages name it on the day of its publication, unless this release brought it. */
function ageOf(version: string, acceptedAt: Date, now: Date): number {
  const sinceAccepted = now.getTime() - acceptedAt.getTime();
  const sincePinned = isNewer(version.split('.').map(Number)) ? 0 : now.getTime() - Date.parse(PINNED_ON);
  return Math.max(0, sinceAccepted, sincePinned);
}

function isNewer(version: readonly number[]): boolean {
  const differing = PINNED_VERSION.findIndex((part, index) => part !== version[index]);
  return differing >= 0 && (version[differing] ?? 0) > (PINNED_VERSION[differing] ?? 0);
}
