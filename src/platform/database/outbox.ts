/** Transactional outbox: the one way to claim rows that wait to be sent. */
import { readColumn, readRows, sql, type RawBuilder, type Connection } from './statements.ts';
import { backoff } from './backoff.ts';
import { isolateStatement, ownedBy, type Owners } from './isolate-statement.ts';
import type { BatchName, QuarantineDeps } from './quarantine.ts';

/** Nothing is sent from a ledger that is held. */
export const IS_LEDGER_LIVE = sql<boolean>`not exists (select from ledger where held_since is not null)`;

/** A table whose rows have `due_at`, `tries` and `user_id`. In all of its SQL `q` is the row. */
export interface Outbox {
  batch: BatchName;
  table: 'mails' | 'notice_turns';
  key: 'mail_id' | 'turn_id';
  isUnsent: RawBuilder<boolean>;
  /** Default is `q.user_id`. */
  owner?: RawBuilder<number | null>;
  /** Columns that a claim sets beside `tries` and `due_at`. */
  set?: RawBuilder<unknown>;
  /** The columns that a claim returns, and the joins that they need. */
  columns: RawBuilder<unknown>;
  joins?: RawBuilder<unknown>;
}

/**
 * Transactional outbox: claims up to `limit` rows, longest due first, and none of a `busy` user. A claim postpones the row by a minute,
 * then two, up to an hour. The claimant must finish within that time; after a crash the row is due again. Poison message: a user whose
 * rows cannot be claimed is left out (`isolateStatement`) and later tried alone, so that more than `limit` rows may come.
 */
export async function claimDueRows<Row>(
  deps: QuarantineDeps,
  outbox: Outbox,
  { limit, busy = [] }: { limit: number; busy?: readonly number[] },
): Promise<Row[]> {
  return (
    await isolateDueRows(deps, outbox, (owners) => claimRowsOf<Row>(deps.db, outbox, { limit, busy, owners }))
  ).flat();
}

/** Runs `run`, which claims rows of some owners by `claimRowsOf`, for all owners but those in quarantine. */
export function isolateDueRows<Result>(
  deps: QuarantineDeps,
  { batch, table, isUnsent }: Outbox,
  run: (owners: Owners) => Promise<Result>,
): Promise<Result[]> {
  const findOwners = () =>
    readColumn<number>(deps.db)`
      select distinct q.user_id as id from ${sql.table(table)} q
      where ${isUnsent} and q.due_at <= campanile_now() and q.user_id is not null`;
  return isolateStatement(deps, batch, { findOwners, run });
}

/** The condition that a row of the outbox is due, and may be sent. */
export function hasDueRows({ table, isUnsent }: Outbox): RawBuilder<boolean> {
  return sql`exists (select from ${sql.table(table)} q where ${isUnsent} and q.due_at <= campanile_now() and ${IS_LEDGER_LIVE})`;
}

/** The statement of `claimDueRows`, for some owners. */
export async function claimRowsOf<Row>(
  db: Connection,
  { table, key, isUnsent, owner = sql`q.user_id`, set, columns, joins = sql`` }: Outbox,
  { limit, busy, owners }: { limit: number; busy: readonly number[]; owners: Owners },
): Promise<Row[]> {
  return readRows<Row>(db)`
    with claimed as (
      update ${sql.table(table)} q set tries = q.tries + 1, due_at = ${backoff('q.tries')}${set ? sql`, ${set}` : sql``}
      where q.${sql.ref(key)} = any(array(
        select q.${sql.ref(key)} from ${sql.table(table)} q
        where ${isUnsent} and q.due_at <= campanile_now() and (${owner} <> all(${[...busy]}::bigint[])) is not false
          and ${IS_LEDGER_LIVE} and ${ownedBy('q.user_id', owners)}
        order by q.due_at limit ${limit} for update of q skip locked))
      returning q.*)
    select ${columns} from claimed q ${joins}`;
}
