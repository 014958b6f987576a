/** The credentials of accounts in the database: sealed, changed in single transactions, and only by the session opened last. */
import { sql } from 'kysely';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { isolateStatement, ownedBy, type Owners } from '../../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../../platform/database/quarantine.ts';
import type { Vault } from '../../../platform/secrets/secret-box.ts';
import type { KeyChange, KeyStorage } from '../client/key-storage.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** One account's credentials, for the session that claimed them. `write` throws ClaimLostError when a later session has. */
export interface KeyTable extends KeyStorage {
  /** Deletes them all. Throws ClaimLostError when a later session has claimed them. */
  clear(): Promise<void>;
  /**
   * Marks the link as ended: the credentials are kept for a week from then on. Resolves to the rest of it, in milliseconds. Throws
   * ClaimLostError when a later session has claimed them.
   */
  markEnded(): Promise<number>;
  /** For how many milliseconds yet they are kept; undefined if the link has not ended. */
  endedLeftMs(): Promise<number | undefined>;
  /** The ended link is tried once more. Throws ClaimLostError when a later session has claimed them. */
  revive(): Promise<void>;
  /** Throws ClaimLostError when a later session has claimed them. */
  requireClaim(): Promise<void>;
}

/** Another session of the account was opened after this one; this one must not write any more. */
export class ClaimLostError extends Error {
  constructor() {
    super('another session has taken over the credentials of the account');
    this.name = 'ClaimLostError';
  }
}

/** How long the credentials of an ended link are kept: a number that WhatsApp asks for a passkey cannot be linked again. */
const KEPT = sql`interval '7 days'`;
const KEPT_LEFT_MS = sql<number>`greatest(0, extract(epoch from ended_at + ${KEPT} - campanile_now()) * 1000)::float8`;

/** The associated data that a credential is sealed with. */
export const aboutOf = (accountId: AccountId, kind: string, name: string) => `account ${accountId} ${kind} ${name}`;

/** Fencing token: claims an account's credentials. Earlier claimants can read, and not write any more. */
export async function claimKeys(db: Database, vault: Vault, accountId: AccountId): Promise<KeyTable> {
  const { rows } = await sql<{ number: number }>`
    insert into account_sessions (account_id, number) values (${accountId}, 1)
    on conflict (account_id) do update set number = account_sessions.number + 1 returning number`.execute(db);
  const claim = rows[0]?.number ?? 0;
  const open = (kind: string, rows: ReadonlyArray<{ name: string; sealed: Buffer }>) =>
    new Map(rows.map(({ name, sealed }) => [name, vault.open(sealed, aboutOf(accountId, kind, name))]));

  return {
    async read(kind, names) {
      if (names.length === 0) return new Map();
      const { rows } = await sql<{ name: string; sealed: Buffer }>`
        select name, sealed from account_keys
        where account_id = ${accountId} and kind = ${kind} and name = any(${names}::text[])`.execute(db);
      return open(kind, rows);
    },
    async list(kind) {
      const { rows } = await sql<{ name: string; sealed: Buffer }>`
        select name, sealed from account_keys where account_id = ${accountId} and kind = ${kind}`.execute(db);
      return open(kind, rows);
    },
    async write(changes) {
      await db.transaction().execute(async (trx) => {
        await requireClaim(trx, accountId, claim);
        const gone = changes.filter(({ value }) => value === null);
        if (gone.length > 0) await deleteKeys(trx, accountId, gone);
        const kept = changes.flatMap(({ kind, name, value }) =>
          value === null ? [] : [{ kind, name, sealed: vault.seal(value, aboutOf(accountId, kind, name)) }],
        );
        if (kept.length > 0) await upsertKeys(trx, accountId, kept);
      });
    },
    async clear() {
      await db.transaction().execute(async (trx) => {
        await requireClaim(trx, accountId, claim);
        await sql`delete from account_keys where account_id = ${accountId}`.execute(trx);
        await sql`update account_sessions set ended_at = null where account_id = ${accountId}`.execute(trx);
      });
    },
    async markEnded() {
      const { rows } = await sql<{ leftMs: number }>`
        update account_sessions set ended_at = coalesce(ended_at, campanile_now())
        where account_id = ${accountId} and number = ${claim} returning ${KEPT_LEFT_MS} as "leftMs"`.execute(db);
      if (!rows[0]) throw new ClaimLostError();
      return rows[0].leftMs;
    },
    async endedLeftMs() {
      const { rows } = await sql<{ leftMs: number }>`
        select ${KEPT_LEFT_MS} as "leftMs" from account_sessions
        where account_id = ${accountId} and ended_at is not null`.execute(db);
      return rows[0]?.leftMs;
    },
    async revive() {
      await db.transaction().execute(async (trx) => {
        await requireClaim(trx, accountId, claim);
        await sql`update account_sessions set ended_at = null where account_id = ${accountId}`.execute(trx);
      });
    },
    requireClaim: () => requireClaim(db, accountId, claim),
  };
}

async function requireClaim(trx: Connection, accountId: AccountId, claim: number): Promise<void> {
  const { rows } = await sql`
    select from account_sessions where account_id = ${accountId} and number = ${claim} for share`.execute(trx);
  if (rows.length === 0) throw new ClaimLostError();
}

async function deleteKeys(trx: Connection, accountId: AccountId, keys: readonly KeyChange[]): Promise<void> {
  await sql`
    delete from account_keys k
    using unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ name }) => name)}::text[]) g (kind, name)
    where k.account_id = ${accountId} and k.kind = g.kind and k.name = g.name`.execute(trx);
}

async function upsertKeys(
  trx: Connection,
  accountId: AccountId,
  keys: ReadonlyArray<{ kind: string; name: string; sealed: Buffer }>,
): Promise<void> {
  await sql`
    insert into account_keys (account_id, kind, name, sealed)
    select ${accountId}::bigint, * from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ name }) => name)}::text[],
                                               ${keys.map(({ sealed }) => sealed)}::bytea[])
    on conflict (account_id, kind, name) do update set sealed = excluded.sealed`.execute(trx);
}

/** Whether an account has credentials. */
export async function hasKeys(db: Connection, accountId: AccountId): Promise<boolean> {
  const { rows } = await sql`select from account_keys where account_id = ${accountId} limit 1`.execute(db);
  return rows.length > 0;
}

/** Deletes the credentials of a deleted account, regardless of claims. */
export async function dropKeys(db: Connection, accountId: AccountId): Promise<void> {
  await sql`
    with keys as (delete from account_keys where account_id = ${accountId})
    delete from account_sessions where account_id = ${accountId}`.execute(db);
}

/** Deletes the credentials of links that ended a week ago. */
export async function dropEndedKeys(deps: QuarantineDeps): Promise<void> {
  const { db } = deps;
  const isOver = sql<boolean>`ended_at < campanile_now() - ${KEPT}`;
  await isolateStatement(deps, 'credentials', {
    findOwners: async () => {
      const { rows } = await sql<{ id: number }>`select account_id as id from account_sessions where ${isOver}`.execute(
        db,
      );
      return rows.map(({ id }) => id);
    },
    run: (owners) =>
      sql`
        with over as materialized (
          select account_id from account_sessions where ${isOver} and ${ownedBy('account_id', owners)} for update skip locked
        ), gone as (delete from account_keys k using over where k.account_id = over.account_id)
        update account_sessions s set ended_at = null from over where s.account_id = over.account_id`.execute(db),
  });
}

const RESEALED_PER_STEP = 500;

/** Key rotation: reseals some rows of the previous key with the present one. Resolves to their number; 0 when none is left. */
export async function resealKeys(deps: QuarantineDeps, vault: Vault): Promise<number> {
  const { db } = deps;
  const resealed = await isolateStatement(deps, 'credentials', {
    findOwners: async () => {
      const { rows } = await sql<{ id: number }>`
        select distinct account_id as id from account_keys
        where substring(sealed for ${vault.keyIdPrefix.length}) <> ${vault.keyIdPrefix}`.execute(db);
      return rows.map(({ id }) => id);
    },
    run: (owners) => db.transaction().execute((trx) => resealThose(trx, vault, owners)),
  });
  return resealed.reduce((sum, count) => sum + count, 0);
}

async function resealThose(trx: Connection, vault: Vault, owners: Owners): Promise<number> {
  const { rows } = await sql<{ account_id: AccountId; kind: string; name: string; sealed: Buffer }>`
    select account_id, kind, name, sealed from account_keys
    where substring(sealed for ${vault.keyIdPrefix.length}) <> ${vault.keyIdPrefix} and ${ownedBy('account_id', owners)}
    order by account_id, kind, name limit ${RESEALED_PER_STEP} for update skip locked`.execute(trx);
  const resealed = rows.map(({ account_id, kind, name, sealed }) => {
    const about = aboutOf(account_id, kind, name);
    return vault.seal(vault.open(sealed, about), about);
  });
  await sql`
    update account_keys k set sealed = n.sealed
    from unnest(${rows.map((row) => row.account_id)}::bigint[], ${rows.map((row) => row.kind)}::text[],
                ${rows.map((row) => row.name)}::text[], ${resealed}::bytea[]) n (account_id, kind, name, sealed)
    where k.account_id = n.account_id and k.kind = n.kind and k.name = n.name`.execute(trx);
  return rows.length;
}
