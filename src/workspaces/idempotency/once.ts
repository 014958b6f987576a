/**
 * Makes a request that is sent again take effect once (contract §4, `Idempotency-Key`). The same key with the same body within
 * 24 hours gets the first result again; with another body it is a conflict.
 */
import { execute, hasRow, readRow, readValue } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';

/** An `Idempotency-Key` and the request that it was sent with. */
export interface IdempotencyKey {
  workspaceId: WorkspaceId;
  /** 1 to 255 characters, chosen by the client. */
  key: string;
  /** Which operation it was sent to: a key is good for one. */
  operation: string;
  /** sha256 of the request's meaning; see `hashBody`. */
  bodyHash: Buffer;
  /** When the request came, by the clock of the process. */
  arrivedMs: number;
  /** Called when the stored result is answered again. */
  replayed?: () => void;
}

/** After so long a key is too old to matter. */
export const LIFETIME_HOURS = 24;
/** Longer than any operation: an earlier attempt has ended by then. */
const LONGEST_ATTEMPT_MS = 60_000;

interface Row<Result> {
  operation: string;
  body_hash: Buffer;
  result: Result | null;
  age_ms: number;
}

/** The result of the first attempt, when the key has one already. Throws `conflict` when it cannot be used again. */
export async function findResult<Result>(
  db: Connection,
  key: Omit<IdempotencyKey, 'arrivedMs'> | undefined,
): Promise<Result | undefined> {
  if (!key) return undefined;
  const row = await readRow<Row<Result>>(db)`
    select operation, body_hash, result, (extract(epoch from campanile_now() - created_at) * 1000)::float8 as age_ms
    from idempotency_keys
    where workspace_id = ${key.workspaceId} and key = ${key.key}
      and created_at > campanile_now() - ${LIFETIME_HOURS} * interval '1 hour'
    -- A lock is written, and a commit that writes waits for the replica: what is answered again is there after a failover, too.
    for key share`;
  if (!row) return undefined;
  if (row.operation !== key.operation || !row.body_hash.equals(key.bodyHash))
    throw new AppError(
      'idempotency_key_reused',
      'This Idempotency-Key was used before with another request. Use a new key.',
    );
  if (row.result === null)
    throw new AppError(
      row.age_ms < LONGEST_ATTEMPT_MS ? 'idempotency_key_in_progress' : 'idempotency_key_outcome_unknown',
      row.age_ms < LONGEST_ATTEMPT_MS
        ? 'The first request with this Idempotency-Key has not finished. Try again in a moment.'
        : 'The outcome is unknown: sync your groups to see whether the group exists, and use a new Idempotency-Key to try again',
    );
  key.replayed?.();
  return row.result;
}

/** Returns the result that is stored for a key of one of these operations, without the request; undefined if there is none. */
export async function findStoredResult<Result>(
  db: Connection,
  { workspaceId, key, operations }: Pick<IdempotencyKey, 'workspaceId' | 'key'> & { operations: readonly string[] },
): Promise<Result | undefined> {
  return readValue<Result>(db)`
    select result from idempotency_keys
    where workspace_id = ${workspaceId} and key = ${key} and operation = any(${[...operations]}) and result is not null
      and created_at > campanile_now() - ${LIFETIME_HOURS} * interval '1 hour'`;
}

/**
 * Runs `act` in the caller's transaction, together with its key: both are there afterwards, or neither. Of several at once with
 * the same key the first goes ahead; the others wait for it and get its result.
 */
export async function actOnce<Result>(
  trx: Connection,
  key: IdempotencyKey | undefined,
  act: () => Promise<Result>,
): Promise<Result> {
  if (!key) return act();
  if (!(await claimKey(trx, key))) {
    const first = await findResult<Result>(trx, key);
    // The one we waited for took its key back.
    if (first === undefined) return actOnce(trx, key, act);
    return first;
  }
  const result = await act();
  await storeResult(trx, key, result);
  return result;
}

/**
 * For an action that cannot be part of a transaction. The key is durable before `act` begins, and the result is stored together with the
 * writes of `record`. If `act` throws a failure without any effect, the key is deleted. If the outcome is unknown, or the process dies,
 * the key stays, so that the action never runs again.
 */
export async function createOnce<Made, Result>(
  db: Database,
  key: IdempotencyKey | undefined,
  { act, record }: { act: () => Promise<Made>; record: (trx: Connection, made: Made) => Promise<Result> },
): Promise<Result> {
  const first = await findResult<Result>(db, key);
  if (first !== undefined) return first;
  if (key && !(await claimKey(db, key))) return createOnce(db, key, { act, record });
  let made: Made;
  try {
    made = await act();
  } catch (error) {
    const hadNoEffect = error instanceof AppError && !error.outcomeUnknown;
    if (key && hadNoEffect)
      await execute(db)`
        delete from idempotency_keys where workspace_id = ${key.workspaceId} and key = ${key.key} and result is null`;
    throw error;
  }
  return db.transaction().execute(async (trx) => {
    const result = await record(trx, made);
    if (key) await storeResult(trx, key, result);
    return result;
  });
}

/**
 * True when the key is now this request's. Waits for a transaction that is just taking the same. Throws `database_slow` for a request that
 * has waited longer than any does: the machine slept over it, and what was stored for the key may be too old by now to be found.
 */
async function claimKey(
  db: Connection,
  { workspaceId, key, operation, bodyHash, arrivedMs }: IdempotencyKey,
): Promise<boolean> {
  if (Date.now() - arrivedMs > LONGEST_ATTEMPT_MS)
    throw new AppError('database_slow', 'The request has waited for too long and had no effect. Send it again.');
  return hasRow(db)`
    insert into idempotency_keys as k (workspace_id, key, operation, body_hash)
    values (${workspaceId}, ${key}, ${operation}, ${bodyHash})
    on conflict (workspace_id, key) do update
      set operation = excluded.operation, body_hash = excluded.body_hash, result = null, created_at = campanile_now()
      where k.created_at <= campanile_now() - ${LIFETIME_HOURS} * interval '1 hour'
    returning 1`;
}

async function storeResult(db: Connection, { workspaceId, key }: IdempotencyKey, result: unknown): Promise<void> {
  await execute(db)`
    update idempotency_keys set result = ${JSON.stringify(result)}::jsonb
    where workspace_id = ${workspaceId} and key = ${key}`;
}
