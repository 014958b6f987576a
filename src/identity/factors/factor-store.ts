/** The SQL of second factors, TOTP steps and recovery codes. */
import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
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
  return db
    .selectFrom('factors')
    .select(['factor_id as factorId', 'kind', 'name', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', userId)
    .where('confirmed', '=', true)
    .orderBy('factor_id')
    .execute();
}

export async function hasFactor(db: Connection, userId: UserId): Promise<boolean> {
  return (await selectFactors(db, userId)).length > 0;
}

/** Returns the user's TOTP factor: the confirmed one, or the one that is being set up. */
export async function findTotp(db: Connection, userId: UserId, confirmed: boolean): Promise<TotpFactor | undefined> {
  return db
    .selectFrom('factors')
    .select(['factor_id as factorId', sql<Buffer>`secret`.as('secret')])
    .where('user_id', '=', userId)
    .where('kind', '=', 'totp')
    .where('confirmed', '=', confirmed)
    .executeTakeFirst();
}

/** Takes the place of one that was not confirmed. False when one is in use. */
export async function insertTotp(db: Connection, userId: UserId, secret: Buffer): Promise<boolean> {
  const { rows } = await sql`
    insert into factors (user_id, kind, name, secret, confirmed) values (${userId}, 'totp', '', ${secret}, false)
    on conflict (user_id) where kind = 'totp' do update set secret = excluded.secret, created_at = excluded.created_at
      where not factors.confirmed
    returning 1`.execute(db);
  return rows.length > 0;
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
  const { rows } = await sql`
    update factors set used = ${step}, confirmed = true, last_used_at = campanile_now()
    where factor_id = ${factorId} and secret = ${secret} and used < ${step} returning 1`.execute(db);
  return rows.length > 0;
}

export async function insertPasskey(
  db: Connection,
  passkey: Omit<Passkey, 'factorId'>,
  name: string,
): Promise<boolean> {
  const { rows } = await sql`
    insert into factors (user_id, kind, name, credential_id, public_key, used)
    values (${passkey.userId}, 'passkey', ${name}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.uses})
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}

export async function selectPasskeys(
  db: Connection,
  where: { userId: UserId } | { credentialId: string },
): Promise<Passkey[]> {
  const [column, value] =
    'userId' in where ? (['user_id', where.userId] as const) : (['credential_id', where.credentialId] as const);
  return db
    .selectFrom('factors')
    .select(['factor_id as factorId', 'user_id as userId', sql<string>`credential_id`.as('credentialId')])
    .select([sql<Buffer>`public_key`.as('publicKey'), 'used as uses'])
    .where('kind', '=', 'passkey')
    .where(column, '=', value as never)
    .execute();
}

export async function recordPasskeyUse(db: Connection, factorId: number, uses: number): Promise<void> {
  await sql`update factors set used = ${uses}, last_used_at = campanile_now() where factor_id = ${factorId}`.execute(
    db,
  );
}

/** The factor's kind; undefined when the user has no such factor. With the last one the recovery codes go. */
export async function deleteFactor(trx: Connection, userId: UserId, factorId: number): Promise<Factor | undefined> {
  await lockOwner(trx, userId);
  const factor = (await selectFactors(trx, userId)).find((one) => one.factorId === factorId);
  if (!factor) return undefined;
  await sql`delete from factors where factor_id = ${factorId}`.execute(trx);
  if (!(await hasFactor(trx, userId))) await sql`delete from recovery_codes where user_id = ${userId}`.execute(trx);
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
  const { rows } = await sql`delete from factors where user_id = ${userId} returning 1`.execute(trx);
  await sql`delete from recovery_codes where user_id = ${userId}`.execute(trx);
  return rows.length > 0;
}

/** In place of all codes of before. */
export async function replaceRecoveryCodes(trx: Connection, userId: UserId, hashes: readonly Buffer[]): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId}`.execute(trx);
  await sql`insert into recovery_codes (user_id, hash) select ${userId}, unnest(${[...hashes]}::bytea[])`.execute(trx);
}

export async function countRecoveryCodes(db: Connection, userId: UserId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from recovery_codes where user_id = ${userId}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Deletes a recovery code. Returns false when there is no such code, or it was used already. */
export async function spendRecoveryCode(db: Connection, userId: UserId, hash: Buffer): Promise<boolean> {
  const { rows } = await sql`
    delete from recovery_codes where user_id = ${userId} and hash = ${hash} returning 1`.execute(db);
  return rows.length > 0;
}

/** False when it was spent before. */
export async function spendChallenge(db: Connection, challenge: string, expiresAtMs: number): Promise<boolean> {
  const { rows } = await sql`
    insert into spent_challenges (challenge, expires_at) values (${challenge}, ${new Date(expiresAtMs)})
    on conflict do nothing returning 1`.execute(db);
  return rows.length > 0;
}

export async function clearSpentChallenges(db: Connection): Promise<void> {
  await sql`delete from spent_challenges where expires_at < campanile_now() - interval '1 hour'`.execute(db);
}

/** Sealed secrets that begin otherwise than `prefix` says. */
export async function selectSealedOtherwise(
  db: Connection,
  prefix: Buffer,
): Promise<Array<TotpFactor & { userId: UserId }>> {
  const { rows } = await sql<TotpFactor & { userId: UserId }>`
    select factor_id as "factorId", user_id as "userId", secret from factors
    where secret is not null and substring(secret from 1 for ${prefix.length}) <> ${prefix}`.execute(db);
  return rows;
}

export async function resealTotp(db: Connection, factor: TotpFactor, sealed: Buffer): Promise<void> {
  await sql`
    update factors set secret = ${sealed} where factor_id = ${factor.factorId} and secret = ${factor.secret}`.execute(
    db,
  );
}
