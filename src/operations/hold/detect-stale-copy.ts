import type { FencingRecord } from './fencing-record-file.ts';

/** What the ledger says of itself. */
export interface LedgerState {
  number: number;
  /** null: no worker has served it yet, or none since it was released. */
  token: string | null;
  /** Where it was last served; null: never, or it was released. */
  place: string | null;
}

export type LedgerVerdict =
  | { kind: 'living' }
  /** The living one in another place, or a copy whose original is at work: that one's mark moves within a lease. */
  | { kind: 'moved' }
  /** No mark says that it is the newest state. It is, if a worker that knows that raises its number meanwhile. */
  | { kind: 'unproven' }
  | { kind: 'held'; reason: string };

const OLDER =
  'it is older than the fencing record of this installation: it was restored from a backup, or another copy has continued';
const ELSEWHERE = 'its files are a copy: they were last served elsewhere, and STATE_DIR has no fencing record of it';
export const UNPROVEN =
  'no running worker has a fencing record of it in STATE_DIR: it may be an older state that was restored';

/**
 * Tells the living ledger from an older state of it and from a copy. `mark` was read before the ledger was: the one that wrote it has
 * what it says on its disk. `place` is where the ledger is now; undefined: that cannot be told here. `requiresRecentAuth`: without a mark the same place
 * proves nothing, since a server of one's own that is restored by its files has the identity that it had.
 */
export function detectStaleCopy(
  ledger: LedgerState,
  {
    mark,
    place,
    requiresRecord,
  }: { mark: FencingRecord | undefined; place: string | undefined; requiresRecord: boolean },
): LedgerVerdict {
  const isElsewhere = place !== undefined && ledger.place !== null && !isSameIdentity(ledger.place, place);
  if (!mark && isElsewhere) return { kind: 'held', reason: ELSEWHERE };
  if (!mark) return { kind: requiresRecord && ledger.token !== null ? 'unproven' : 'living' };
  const isBehind = ledger.number < mark.number || (ledger.number === mark.number && ledger.token !== mark.token);
  if (isBehind) return { kind: 'held', reason: OLDER };
  return { kind: isElsewhere ? 'moved' : 'living' };
}

/** Two parts, the second of which is not known everywhere. */
function isSameIdentity(one: string, other: string): boolean {
  const [first, createdAt = ''] = one.split('@');
  const [second, otherCreatedAt = ''] = other.split('@');
  return first === second && (createdAt === '' || otherCreatedAt === '' || createdAt === otherCreatedAt);
}
