/**
 * Dead-letter queue without dropping: accounts, workspaces and users whose data made a batch fail are left out of that batch for a while.
 */
import { execute, readRows, sql, type Connection, type Database } from './statements.ts';
import type { Log } from '../log/log.ts';
import { backoff } from './backoff.ts';

/** The batches with a quarantine, each with the owner of its items. */
export const BATCHES = {
  activity: 'workspace',
  commands: 'account',
  credentials: 'account',
  'deleted campaigns': 'workspace',
  'due runs': 'workspace',
  erasure: 'user',
  events: 'workspace',
  'expired mails': 'user',
  failover: 'workspace',
  'group syncs': 'account',
  lanes: 'account',
  'late revisions': 'workspace',
  'late runs': 'workspace',
  mails: 'user',
  notices: 'workspace',
  'notice mails': 'user',
  'old campaigns': 'workspace',
  'old receipts': 'workspace',
  'old rows of accounts': 'account',
  'old rows of users': 'user',
  'old rows of workspaces': 'workspace',
  'orphaned turns': 'account',
  outcomes: 'account',
  'poison suspects': 'account',
  pushes: 'user',
  receipts: 'account',
  requests: 'workspace',
  revisions: 'account',
  'send windows': 'account',
  sessions: 'account',
  sums: 'workspace',
  'sums of minutes': 'workspace',
  'take-over': 'account',
  'unbegun runs': 'workspace',
  'unused media': 'workspace',
  'webhook outcomes': 'workspace',
  webhooks: 'workspace',
  'written deliveries': 'workspace',
  'zone rules': 'workspace',
} as const;

export type BatchName = keyof typeof BATCHES;

export interface QuarantineDeps {
  db: Database;
  log?: Log | undefined;
}

/** The owners that are quarantined from a batch. */
export interface Quarantined {
  /** Owners that must not be retried yet. */
  held: ReadonlySet<number>;
  /** To be tried again, each alone. */
  due: ReadonlySet<number>;
}

/** Maximum age of the cached list, for all batches of a process together. */
const CACHE_MS = 1_000;
const NOBODY: Quarantined = { held: new Set(), due: new Set() };

interface View {
  readAtMs: number;
  batches: Promise<ReadonlyMap<string, Quarantined>>;
}

const views = new WeakMap<Database, View>();

/** Returns the ids of the owners that are quarantined from this batch; at most a second old. `BATCHES` says what kind of owner. */
export async function readQuarantined(db: Database, batch: BatchName): Promise<Quarantined> {
  const nowMs = performance.now();
  let view = views.get(db);
  if (!view || nowMs - view.readAtMs >= CACHE_MS) {
    view = { readAtMs: nowMs, batches: readAll(db) };
    views.set(db, view);
  }
  try {
    return (await view.batches).get(batch) ?? NOBODY;
  } catch (error) {
    if (views.get(db) === view) views.delete(db);
    throw error;
  }
}

/** The ids that a search for this batch's work passes over. */
export async function readHeld(db: Database, batch: BatchName): Promise<number[]> {
  return [...(await readQuarantined(db, batch)).held];
}

/** Clock step: no quarantine lasts longer than an hour, so a later end was stored before the clock was set back. */
async function readAll(db: Database): Promise<ReadonlyMap<string, Quarantined>> {
  const rows = await readRows<{ batch: string; id: number; isDue: boolean }>(db)`
    select batch, coalesce(account_id, workspace_id, user_id) as id, next_try_at <= campanile_now() or next_try_at > campanile_now() + interval '1 hour' as "isDue"
    from quarantine`;
  const batches = new Map<string, { held: Set<number>; due: Set<number> }>();
  for (const { batch, id, isDue } of rows) {
    const found = batches.get(batch) ?? { held: new Set(), due: new Set() };
    batches.set(batch, found);
    (isDue ? found.due : found.held).add(id);
  }
  return batches;
}

const LONGEST_REASON = 500;

/** Quarantines an owner from a batch for a minute, then two, up to an hour, and logs it. A deleted owner is not recorded. */
export async function quarantine(
  { db, log }: QuarantineDeps,
  batch: BatchName,
  { id, error }: { id: number; error: unknown },
): Promise<void> {
  const owner = BATCHES[batch];
  const reason = reasonOf(error);
  const rows = await readRows<{ failures: number; nextTryAt: Date }>(db)`
    insert into quarantine as q (batch, ${sql.ref(`${owner}_id`)}, reason, next_try_at)
    select ${batch}, o.${sql.ref(`${owner}_id`)}, ${reason}, campanile_now() + interval '1 minute'
    from ${sql.table(`${owner}s`)} o where o.${sql.ref(`${owner}_id`)} = ${id}
    on conflict on constraint quarantine_key do update
    set reason = excluded.reason, failures = q.failures + 1,
        next_try_at = ${backoff('q.failures')}
    returning failures, next_try_at as "nextTryAt"`;
  views.delete(db);
  const about = { err: error, batch, [`${owner}Id`]: id, ...rows[0] };
  log?.error(about, `one ${owner} made a batch fail and is left out of it for a while; the others go on`);
}

/** Ends the quarantine of an owner whose retry did not fail. */
export async function endQuarantine({ db, log }: QuarantineDeps, batch: BatchName, id: number): Promise<void> {
  const owner = BATCHES[batch];
  const ended = await execute(db)`
    delete from quarantine where batch = ${batch} and ${sql.ref(`${owner}_id`)} = ${id}`;
  views.delete(db);
  if (ended > 0) log?.info({ batch, [`${owner}Id`]: id }, `one ${owner} takes part in a batch again`);
}

/** Deletes quarantines whose retry has been due for over an hour: the owner has no more work in that batch. */
export async function clearIdleQuarantine(db: Connection): Promise<void> {
  await execute(db)`delete from quarantine where next_try_at < campanile_now() - interval '1 hour'`;
}

/** The error may quote half a surrogate pair, which PostgreSQL cannot store. */
function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replaceAll('\0', '').slice(0, LONGEST_REASON).toWellFormed();
}

/** Returns the number of quarantined owners of each batch; batches without any are missing. */
export async function countQuarantined(db: Connection): Promise<ReadonlyMap<string, number>> {
  const rows = await readRows<{ batch: string; count: number }>(db)`
    select batch, count(*)::int as count from quarantine group by batch`;
  return new Map(rows.map(({ batch, count }) => [batch, count]));
}
