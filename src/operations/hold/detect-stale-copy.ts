import type { FencingRecord } from './fencing-record-file.ts';

/** The ledger's own state. */
export interface LedgerState {
  number: number;
  /** null: no worker has served the ledger yet, or none since the hold was ended. */
  token: string | null;
  /** Of the database in which it was last served; null: it was never served, or was resumed since. */
  identity: string | null;
}

export type LedgerVerdict =
  | { kind: 'living' }
  /** The living one in another place, or a copy whose original is at work: that one's fencing record moves within a lease. */
  | { kind: 'moved' }
  /** No fencing record says that it is the newest state. It is, if a worker that knows that raises its number meanwhile. */
  | { kind: 'unproven' }
  | { kind: 'held'; reason: string };

const OLDER =
  'it is older than the fencing record of this installation: it was restored from a backup, or another copy has continued';
const ELSEWHERE = 'its files are a copy: they were last served elsewhere, and STATE_DIR has no fencing record of it';
export const UNPROVEN =
  'no running worker has a fencing record of it in STATE_DIR: it may be an older state that was restored';

/**
 * Split brain: distinguishes the living ledger from an older state of it and from a copy. Read `record` before the ledger: only then has
 * the ledger reached at least the state in the record. `identity` is the identity of the database that holds the ledger now; undefined
 * when unknown. `requiresRecord`: the same identity proves nothing without a fencing record, since an operator's own server that is
 * restored by its files keeps its identity.
 */
export function detectStaleCopy(
  ledger: LedgerState,
  {
    record,
    identity,
    requiresRecord,
  }: { record: FencingRecord | undefined; identity: string | undefined; requiresRecord: boolean },
): LedgerVerdict {
  const isElsewhere = identity !== undefined && ledger.identity !== null && !isSameIdentity(ledger.identity, identity);
  if (!record && isElsewhere) return { kind: 'held', reason: ELSEWHERE };
  if (!record) return { kind: requiresRecord && ledger.token !== null ? 'unproven' : 'living' };
  const isBehind = ledger.number < record.number || (ledger.number === record.number && ledger.token !== record.token);
  if (isBehind) return { kind: 'held', reason: OLDER };
  return { kind: isElsewhere ? 'moved' : 'living' };
}

/** An identity has two parts; the second is empty where it is unknown. */
function isSameIdentity(one: string, other: string): boolean {
  const [first, createdAt = ''] = one.split('@');
  const [second, otherCreatedAt = ''] = other.split('@');
  return first === second && (createdAt === '' || otherCreatedAt === '' || createdAt === otherCreatedAt);
}
