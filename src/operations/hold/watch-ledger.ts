/**
 * Split brain: two copies of one ledger must not both send, and a restored ledger must send nothing twice (contract §5). Each heartbeat
 * raises the ledger's number, and writes it as the fencing record into STATE_DIR before the renewed lease counts. So at any send the
 * fencing record is at most one lease behind.
 */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { execute, hasRow, readOne, readValue } from '../../platform/database/statements.ts';
import { readIfThere } from '../../platform/database/embedded/folder.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { Log } from '../../platform/log/log.ts';
import { createDatabaseIdentifier, identifyFolder } from './database-identity.ts';
import { detectStaleCopy, UNPROVEN, type LedgerVerdict, type LedgerState } from './detect-stale-copy.ts';
import type { FencingRecord, FencingRecords } from './fencing-record-file.ts';

export interface LedgerWatchOptions {
  db: Database;
  log: Log;
  /** The fencing records in STATE_DIR. */
  fencingRecords: FencingRecords;
  /** Undefined: the database is on a server of one's own. */
  dataDir: string | undefined;
  /** A moved ledger sends only after the fencing record of a possible other server has stood still for so long: a lease. */
  patienceMs: number;
}

/** Returns whether this ledger may send, until the next call. */
export type MaySend = () => Promise<boolean>;

/** In DATA_DIR: why its ledger is to be held from now on. `campanile restore` leaves it there, or an operator. */
export const HOLD_FILE = 'hold';

export function watchLedger({ db, log, fencingRecords, dataDir, patienceMs }: LedgerWatchOptions): MaySend {
  const findIdentity = dataDir === undefined ? createDatabaseIdentifier(db) : () => identifyFolder(dataDir);
  const still = createStillnessTimer(patienceMs);
  const peers = watchPeers();
  /** The fencing record as in STATE_DIR. Without a STATE_DIR this process remembers its own. */
  let own: FencingRecord | undefined;
  let said: string | undefined;
  let hasNoState = false;

  function logHeld(reason: string): false {
    if (said !== reason)
      log.error({ held: true, reason }, `the ledger is held and sends nothing: ${reason}; see campanile release`);
    said = reason;
    return false;
  }

  /** A STATE_DIR that is of no use costs protection, and must not cost the service. */
  async function withState<T>(use: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await use();
      hasNoState = false;
      return result;
    } catch (error) {
      if (!hasNoState) log.warn({ err: error }, 'STATE_DIR cannot be used, so a restored backup may not be recognised');
      hasNoState = true;
      return undefined;
    }
  }

  return async function maySend() {
    const asked = dataDir === undefined ? undefined : await readHoldFile(dataDir);
    if (asked !== undefined) await db.transaction().execute((trx) => holdLedger(trx, asked));
    if (asked !== undefined && dataDir !== undefined) await rm(join(dataDir, HOLD_FILE), { force: true });
    const installationId = await identify(db);
    const identity = await findIdentity();
    // The fencing record first: the ledger that wrote it has then at least that state.
    const record = newest(await withState(() => fencingRecords.read(installationId)), own);
    const { verdict, next } = await db.transaction().execute(async (trx) => {
      const ledger = await readOne<LedgerState & { heldReason: string | null }>(trx)`
        select number, token, database_identity as identity, held_reason as "heldReason"
        from ledger for no key update`;
      // A ledger without runs has sent nothing, so nothing can be sent twice.
      const requiresRecord = dataDir === undefined && !record && (await hasRow(trx)`select from runs limit 1`);
      const first =
        ledger.heldReason === null
          ? detectStaleCopy(ledger, { record, identity, requiresRecord })
          : heldVerdict(ledger.heldReason);
      const verdict = first.kind === 'unproven' ? peers.prove(ledger.number) : first;
      if (verdict.kind === 'held' && ledger.heldReason === null) {
        log.error(
          { ledger: ledger.number, record: record?.number, isSameToken: record?.token === ledger.token },
          'the ledger and the fencing record in STATE_DIR have different histories',
        );
        await holdLedger(trx, verdict.reason);
      }
      const maySend = verdict.kind === 'living' || (verdict.kind === 'moved' && still.isStill(record));
      return { verdict, next: maySend ? await raiseNumber(trx, identity) : undefined };
    });
    if (verdict.kind === 'held') return logHeld(verdict.reason);
    if (said !== undefined) log.info('the ledger was released and sends again');
    said = undefined;
    if (verdict.kind === 'unproven') peers.say(log);
    if (!next) return false;
    own = next;
    await withState(() => fencingRecords.write(installationId, next));
    return true;
  };
}

const heldVerdict = (reason: string): LedgerVerdict => ({ kind: 'held', reason });

/** Measures for how long a fencing record has stayed the same. */
function createStillnessTimer(patienceMs: number) {
  let seen: { token: string | undefined; sinceMs: number } | undefined;
  return {
    isStill(record: FencingRecord | undefined): boolean {
      if (!seen || seen.token !== record?.token) seen = { token: record?.token, sinceMs: performance.now() };
      return performance.now() - seen.sinceMs >= patienceMs;
    },
  };
}

const newest = (kept: FencingRecord | undefined, own: FencingRecord | undefined) =>
  kept && own && own.number > kept.number ? own : (kept ?? own);

/** Heartbeats without a sign of another worker, 30 s: a live worker beats five times in a third of that. */
const SILENT_BEATS = 15;

/**
 * Proves a ledger by other workers: only one that has a fencing record, or was proven itself, raises the number. Heartbeats are counted, and not
 * seconds, since a machine that was suspended has kept the others from beating, too.
 */
function watchPeers() {
  let seen: number | undefined;
  let beats = 0;
  let isSaid = false;
  return {
    prove(number: number): LedgerVerdict {
      const isRaised = seen !== undefined && number > seen;
      // Lower: it was put back just now.
      if (seen === undefined || number < seen) beats = 0;
      seen = number;
      beats += 1;
      if (isRaised) return { kind: 'living' };
      return beats > SILENT_BEATS ? heldVerdict(UNPROVEN) : { kind: 'unproven' };
    },
    say(log: Log): void {
      if (!isSaid)
        log.warn(
          'STATE_DIR has no fencing record of this ledger: nothing is sent before another worker vouches for it',
        );
      isSaid = true;
    },
  };
}

async function readHoldFile(dataDir: string): Promise<string | undefined> {
  const reason = (await readIfThere(join(dataDir, HOLD_FILE)))?.trim();
  return reason === '' ? 'somebody asked for that' : reason;
}

async function identify(db: Connection): Promise<string> {
  const known = await readValue<string | null>(db)`select installation_id from ledger`;
  if (known) return known;
  const { id } = await readOne<{ id: string }>(db)`
    update ledger set installation_id = coalesce(installation_id, gen_random_uuid()) returning installation_id as id`;
  return id;
}

/** Holds the ledger: nothing is sent from it until the hold is ended. */
export async function holdLedger(trx: Connection, reason: string): Promise<void> {
  await execute(trx)`update ledger set held_since = coalesce(held_since, campanile_now()), held_reason = ${reason}`;
}

async function raiseNumber(trx: Connection, identity: string | undefined): Promise<FencingRecord | undefined> {
  const token = randomUUID();
  const number = await readValue<number>(trx)`
    update ledger set number = number + 1, token = ${token}, served_at = campanile_now(),
                      database_identity = coalesce(${identity ?? null}, database_identity)
    returning number`;
  return number === undefined ? undefined : { number, token };
}
