/** The credentials of accounts in the database: sealed, changed in single transactions, and only by the session opened last. */
import {
  execute,
  hasRow,
  readColumn,
  readCount,
  readRows,
  readValue,
  sql,
  type Connection,
  type Database,
} from '../../../platform/database/statements.ts';
import { isolateStatement, ownedBy, type Owners } from '../../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../../platform/database/quarantine.ts';
import type { Vault } from '../../../platform/secrets/secret-box.ts';
import type { KeyChange, KeyStorage } from '../client/key-storage.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** One account's credentials, for the session that claimed them. Writing throws ClaimLostError when a later session has. */
export type KeyTable = Awaited<ReturnType<typeof claimKeys>>;

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
export async function claimKeys(db: Database, vault: Vault, accountId: AccountId) {
  const claim = await readCount(db)`
    insert into account_sessions (account_id, number) values (${accountId}, 1)
    on conflict (account_id) do update set number = account_sessions.number + 1 returning number`;
  const open = (kind: string, rows: ReadonlyArray<{ name: string; sealed: Buffer }>) =>
    new Map(rows.map(({ name, sealed }) => [name, vault.open(sealed, aboutOf(accountId, kind, name))]));

  const keys: KeyStorage = {
    async read(kind, names) {
      if (names.length === 0) return new Map();
      const rows = await readRows<{ name: string; sealed: Buffer }>(db)`
        select name, sealed from account_keys
        where account_id = ${accountId} and kind = ${kind} and name = any(${names}::text[])`;
      return open(kind, rows);
    },
    async list(kind) {
      const rows = await readRows<{ name: string; sealed: Buffer }>(db)`
        select name, sealed from account_keys where account_id = ${accountId} and kind = ${kind}`;
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
  };
  return {
    ...keys,
    /** Deletes them all. */
    async clear() {
      await db.transaction().execute(async (trx) => {
        await requireClaim(trx, accountId, claim);
        await execute(trx)`delete from account_keys where account_id = ${accountId}`;
        await execute(trx)`update account_sessions set ended_at = null where account_id = ${accountId}`;
      });
    },
    /** Marks the link as ended: the credentials are kept for a week from then on. Resolves to the rest of it, in milliseconds. */
    async markEnded() {
      const leftMs = await readValue<number>(db)`
        update account_sessions set ended_at = coalesce(ended_at, campanile_now())
        where account_id = ${accountId} and number = ${claim} returning ${KEPT_LEFT_MS} as "leftMs"`;
      if (leftMs === undefined) throw new ClaimLostError();
      return leftMs;
    },
    /** For how many milliseconds yet they are kept; undefined if the link has not ended. */
    endedLeftMs: () => readValue<number>(db)`
      select ${KEPT_LEFT_MS} as "leftMs" from account_sessions
      where account_id = ${accountId} and ended_at is not null`,
    /** The ended link is tried once more. */
    async revive() {
      const isClaimed = await hasRow(db)`
        update account_sessions set ended_at = null
        where account_id = ${accountId} and number = ${claim} returning 1`;
      if (!isClaimed) throw new ClaimLostError();
    },
    /** Throws ClaimLostError when a later session has claimed them. */
    requireClaim: () => requireClaim(db, accountId, claim),
  };
}

async function requireClaim(trx: Connection, accountId: AccountId, claim: number): Promise<void> {
  const isClaimed = await hasRow(trx)`
    select from account_sessions where account_id = ${accountId} and number = ${claim} for share`;
  if (!isClaimed) throw new ClaimLostError();
}

async function deleteKeys(trx: Connection, accountId: AccountId, keys: readonly KeyChange[]): Promise<void> {
  await execute(trx)`
    delete from account_keys k
    using unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ name }) => name)}::text[]) g (kind, name)
    where k.account_id = ${accountId} and k.kind = g.kind and k.name = g.name`;
}

async function upsertKeys(
  trx: Connection,
  accountId: AccountId,
  keys: ReadonlyArray<{ kind: string; name: string; sealed: Buffer }>,
): Promise<void> {
  await execute(trx)`
    insert into account_keys (account_id, kind, name, sealed)
    select ${accountId}::bigint, * from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ name }) => name)}::text[],
                                               ${keys.map(({ sealed }) => sealed)}::bytea[])
    on conflict (account_id, kind, name) do update set sealed = excluded.sealed`;
}

/** Whether an account has credentials. */
export async function hasKeys(db: Connection, accountId: AccountId): Promise<boolean> {
  return hasRow(db)`select from account_keys where account_id = ${accountId} limit 1`;
}

/** Deletes the credentials of a deleted account, regardless of claims. */
export async function dropKeys(db: Connection, accountId: AccountId): Promise<void> {
  await execute(db)`
    with keys as (delete from account_keys where account_id = ${accountId})
    delete from account_sessions where account_id = ${accountId}`;
}

/** Deletes the credentials of links that ended a week ago. */
export async function dropEndedKeys(deps: QuarantineDeps): Promise<void> {
  const { db } = deps;
  const isOver = sql<boolean>`ended_at < campanile_now() - ${KEPT}`;
  await isolateStatement(deps, 'credentials', {
    findOwners: () => readColumn<number>(db)`select account_id as id from account_sessions where ${isOver}`,
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
    findOwners: () => readColumn<number>(db)`
      select distinct account_id as id from account_keys
      where substring(sealed for ${vault.keyIdPrefix.length}) <> ${vault.keyIdPrefix}`,
    run: (owners) => db.transaction().execute((trx) => resealThose(trx, vault, owners)),
  });
  return resealed.reduce((sum, count) => sum + count, 0);
}

async function resealThose(trx: Connection, vault: Vault, owners: Owners): Promise<number> {
  const rows = await readRows<{ account_id: AccountId; kind: string; name: string; sealed: Buffer }>(trx)`
    select account_id, kind, name, sealed from account_keys
    where substring(sealed for ${vault.keyIdPrefix.length}) <> ${vault.keyIdPrefix} and ${ownedBy('account_id', owners)}
    order by account_id, kind, name limit ${RESEALED_PER_STEP} for update skip locked`;
  const resealed = rows.map(({ account_id, kind, name, sealed }) => {
    const about = aboutOf(account_id, kind, name);
    return vault.seal(vault.open(sealed, about), about);
  });
  await execute(trx)`
    update account_keys k set sealed = n.sealed
    from unnest(${rows.map((row) => row.account_id)}::bigint[], ${rows.map((row) => row.kind)}::text[],
                ${rows.map((row) => row.name)}::text[], ${resealed}::bytea[]) n (account_id, kind, name, sealed)
    where k.account_id = n.account_id and k.kind = n.kind and k.name = n.name`;
  return rows.length;
}
