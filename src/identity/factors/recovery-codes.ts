import { createHash, randomInt } from 'node:crypto';
import type { UserId } from '../../platform/database/schema.ts';
import { execute, readCount, type Connection } from '../../platform/database/statements.ts';

/** No letters that are taken for digits or for each other. 31 of them. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';
const CODES = 10;
const GROUPS = 6;
const CHARACTERS_PER_GROUP = 4;

function drawGroup(): string {
  return Array.from({ length: CHARACTERS_PER_GROUP }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** Returns the stored hash of a code. Case, blanks and dashes do not matter. */
export function hashRecoveryCode(code: string): Buffer {
  return createHash('sha256').update(code.toLowerCase().replaceAll(/[\s-]/g, '')).digest();
}

/** Returns the codes that come with a user's first factor; none for a user who has some. The user must be locked. */
export async function issueFirstRecoveryCodes(trx: Connection, userId: UserId): Promise<string[]> {
  return (await countRecoveryCodes(trx, userId)) > 0 ? [] : issueRecoveryCodes(trx, userId);
}

/**
 * Returns ten codes, which replace all codes of before: of 118 random bits, `abcd-efgh-jkmn-pqrs-tuvw-xyz2`, random enough for a plain
 * sha256.
 */
export async function issueRecoveryCodes(trx: Connection, userId: UserId): Promise<string[]> {
  const codes = Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, drawGroup).join('-'));
  await execute(trx)`delete from recovery_codes where user_id = ${userId}`;
  await execute(trx)`
    insert into recovery_codes (user_id, hash) select ${userId}, unnest(${codes.map(hashRecoveryCode)}::bytea[])`;
  return codes;
}

export function countRecoveryCodes(db: Connection, userId: UserId): Promise<number> {
  return readCount(db)`select count(*) from recovery_codes where user_id = ${userId}`;
}
