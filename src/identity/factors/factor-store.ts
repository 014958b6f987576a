/** The SQL of second factors, TOTP steps and recovery codes. */
import { execute, hasRow, readRow, readRows, sql, type Connection } from '../../platform/database/statements.ts';
import type { FactorKind, UserId } from '../../platform/database/schema.ts';
import { userGoneError } from '../get-profile.ts';
import { lockUser } from '../store.ts';

/** A factor as its owner sees it. */
export interface Factor {
  factorId: number;
  kind: FactorKind;
  name: string;
  createdAt: Date;
  /** null: never. */
  lastUsedAt: Date | null;
}

export interface TotpFactor {
  factorId: number;
  /** Sealed. */
  secret: Buffer;
}

export interface Passkey {
  factorId: number;
  userId: UserId;
  credentialId: string;
  publicKey: Buffer;
  /** How often its authenticator says that it was used; 0 for ever where it does not count. */
  uses: number;
}

/** Returns the confirmed factors, oldest first. */
export async function selectFactors(db: Connection, userId: UserId): Promise<Factor[]> {
  return readRows<Factor>(db)`
    select factor_id as "factorId", kind, name, created_at as "createdAt", last_used_at as "lastUsedAt"
    from factors where user_id = ${userId} and confirmed order by factor_id`;
}

export async function hasFactor(db: Connection, userId: UserId): Promise<boolean> {
  return (await selectFactors(db, userId)).length > 0;
}

/** Returns the user's TOTP factor: the confirmed one, or the one that is being set up. */
export async function findTotp(db: Connection, userId: UserId, confirmed: boolean): Promise<TotpFactor | undefined> {
  return readRow<TotpFactor>(db)`
    select factor_id as "factorId", secret from factors
    where user_id = ${userId} and kind = 'totp' and confirmed = ${confirmed}`;
}

/**
 * Notes that the code of a step was taken, and that the factor is in use. False, and nothing changes, when this one or a later one was
 * taken before (RFC 6238, 5.2), or when the key is another by now.
 */
export async function consumeTotpStep(
  db: Connection,
  { factorId, secret }: TotpFactor,
  step: number,
): Promise<boolean> {
  return hasRow(db)`
    update factors set used = ${step}, confirmed = true, last_used_at = campanile_now()
    where factor_id = ${factorId} and secret = ${secret} and used < ${step} returning 1`;
}

export async function selectPasskeys(
  db: Connection,
  where: { userId: UserId } | { credentialId: string },
): Promise<Passkey[]> {
  const isWanted = 'userId' in where ? sql`user_id = ${where.userId}` : sql`credential_id = ${where.credentialId}`;
  return readRows<Passkey>(db)`
    select factor_id as "factorId", user_id as "userId", credential_id as "credentialId", public_key as "publicKey", used as uses
    from factors where kind = 'passkey' and ${isWanted}`;
}

/** The factor's kind; undefined when the user has no such factor. With the last one the recovery codes go. */
export async function deleteFactor(trx: Connection, userId: UserId, factorId: number): Promise<Factor | undefined> {
  await lockOwner(trx, userId);
  const factor = (await selectFactors(trx, userId)).find((one) => one.factorId === factorId);
  if (!factor) return undefined;
  await execute(trx)`delete from factors where factor_id = ${factorId}`;
  if (!(await hasFactor(trx, userId))) await execute(trx)`delete from recovery_codes where user_id = ${userId}`;
  return factor;
}

/**
 * Locks the user until the transaction ends, so that the number of their factors cannot change. Throws `unauthenticated` when the user was
 * deleted.
 */
export async function lockOwner(trx: Connection, userId: UserId): Promise<void> {
  if (!(await lockUser(trx, userId))) throw userGoneError();
}

/** All of them, with the recovery codes. False when there was none. */
export async function deleteFactors(trx: Connection, userId: UserId): Promise<boolean> {
  const rows = await readRows(trx)`delete from factors where user_id = ${userId} returning 1`;
  await execute(trx)`delete from recovery_codes where user_id = ${userId}`;
  return rows.length > 0;
}

export async function clearSpentChallenges(db: Connection): Promise<void> {
  await execute(db)`delete from spent_challenges where expires_at < campanile_now() - interval '1 hour'`;
}
