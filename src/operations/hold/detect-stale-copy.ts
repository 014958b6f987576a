import type { FencingRecord } from './fencing-record-file.ts';

/** What the ledger says of itself. */
export interface LedgerState {
  number: number;
  /** null: no worker has served it yet, or none since it was released. */
  token: string | null;
  /** Of the database in which it was last served; null: it was never served, or was resumed since. */
  identity: string | null;
}

export type LedgerVerdict =
  | { kind: 'living' }
  /** The living one in another place, or a copy whose original is at work: that one's mark moves within a lease. */
  | { kind: 'moved' }
  /** No mark says that it is the newest state. It is, if a worker that knows that raises its number meanwhile. */
  | { kind: 'unproven' }
  | { kind: 'held'; reason: string };

const OLDER =
  'it is older than what this installation has sent since: it was restored from a backup, or another copy of it has gone on';
const ELSEWHERE = 'its files are a copy: they are not where it was last served, and STATE_DIR has no mark of it';
export const UNPROVEN =
  'no worker has a mark of it in its STATE_DIR, and none that has one is at work: it may be an older state, restored under folders that are new or were lost';

/**
 * Tells the living ledger from an older state of it and from a copy. `mark` was read before the ledger was: the one that wrote it has
 * what it says on its disk. `identity` is that of the database that holds the ledger now; undefined: unknown. `requiresRecord`: without a mark the same identity
 * proves nothing, since an operator's own server that is restored by its files keeps its identity.
 */
export function detectStaleCopy(
  ledger: LedgerState,
  {
    mark,
    identity,
    requiresRecord,
  }: { mark: FencingRecord | undefined; identity: string | undefined; requiresRecord: boolean },
): LedgerVerdict {
  const isElsewhere = identity !== undefined && ledger.identity !== null && !isSameIdentity(ledger.identity, identity);
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
