/** The secrets of the installation, and that its ledger is sealed with this key and no other (contract §1). */
import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { execute, readRow, type Connection } from '../database/statements.ts';
import type { Config } from '../config/config.ts';
import { connectDatabase, type PostgresAddress } from '../database/connect.ts';
import { StartupError } from '../errors/errors.ts';
import type { Log } from '../log/log.ts';
import { keyIdOf } from './secret-box.ts';
import { foreignRowsError, missingKeyError, wrongKeyError } from './key-errors.ts';
import {
  ENCRYPTION_KEY_FILE,
  JWT_SECRET_FILE,
  storeSecret,
  readPreviousJwtSecret,
  readSecret,
} from './secret-files.ts';
import { findSealedByOthers } from './sealed-columns.ts';

export interface Secrets {
  jwtSecret: string;
  /** The one before, whose tokens are still taken: as configured, else what `rotateJwtSecret` left within a day. */
  jwtSecretPrevious: string | undefined;
  /** 32 bytes. */
  encryptionKey: Buffer;
}

export type SecretSettings = Pick<
  Config,
  'dataDir' | 'jwtSecret' | 'jwtSecretPrevious' | 'encryptionKey' | 'encryptionKeyPrevious'
>;

/** The secrets' ids in the ledger. null: none was recorded yet. */
export interface RecordedIds {
  keyId: string | null;
  /** The id of the previous key, while data may be sealed with it. */
  formerKeyId: string | null;
  jwtSecretId: string | null;
}

/** Any number; it only has to be the same in every process of this product. */
const SECRETS_LOCK = 718_293_003;

/**
 * The secrets as configured, else those in `DATA_DIR`, where missing ones are made. No encryption key is made for a ledger that has one:
 * throws a StartupError when the key is missing or another one. Two processes that start at once follow each other. Where the ledger knows
 * no key yet, all that is sealed is compared with the key first.
 */
export async function loadSecrets(given: {
  config: SecretSettings;
  address: PostgresAddress;
  log: Log;
}): Promise<Secrets> {
  const { config, address, log } = given;
  // Comparing all that is sealed may take its time.
  const db = connectDatabase(address, { log, name: 'campanile secrets', poolSize: 1, silenceMs: Infinity });
  try {
    return await db.transaction().execute(async (trx) => {
      await lockSecrets(trx);
      const recorded = await readIds(trx);
      const encryptionKey = await findKey(trx, config, recorded);
      const { keyId, formerKeyId } = await requireKey(trx, { ...config, encryptionKey }, recorded);
      const jwtSecrets = await loadJwtSecrets(config);
      const [jwtSecretId = null, ...previousIds] = jwtSecrets.map(jwtSecretIdOf);
      const isKnown = [null, jwtSecretId, ...previousIds].includes(recorded.jwtSecretId);
      if (!isKnown) log.warn(OTHER_JWT_SECRET);
      await recordIds(trx, { keyId, formerKeyId, jwtSecretId });
      const [jwtSecret = '', jwtSecretPrevious] = jwtSecrets;
      return { jwtSecret, jwtSecretPrevious, encryptionKey };
    });
  } finally {
    await db.destroy();
  }
}

/** The one that signs, and the one before where its tokens are still taken. */
async function loadJwtSecrets({ dataDir, jwtSecret, jwtSecretPrevious }: SecretSettings): Promise<string[]> {
  const secret = jwtSecret ?? (await storeSecret(dataDir, JWT_SECRET_FILE));
  const previous = jwtSecretPrevious ?? (jwtSecret === undefined ? await readPreviousJwtSecret(dataDir) : undefined);
  return previous === undefined ? [secret] : [secret, previous];
}

export const OTHER_JWT_SECRET =
  'the secret of the tokens is another one than before: everybody signs in again, and links in mails that were sent do not hold. Processes that share a database need the same JWT_SECRET';

/** Returns 16 hexadecimal digits that identify the secret. Every token lets its holder try secrets in the same way. */
export function jwtSecretIdOf(secret: string): string {
  return createHmac('sha256', secret).update('campanile jwt secret').digest('hex').slice(0, 16);
}

/** The key that is configured or in `DATA_DIR`; undefined where there is none. */
export async function readKey(config: Pick<Config, 'dataDir' | 'encryptionKey'>): Promise<Buffer | undefined> {
  return config.encryptionKey ?? readSecret(config.dataDir, ENCRYPTION_KEY_FILE);
}

async function findKey(trx: Connection, config: SecretSettings, { keyId }: RecordedIds): Promise<Buffer> {
  const key = await readKey(config);
  if (key) return key;
  const sealed = await findSealedByOthers(trx, []);
  if (keyId !== null || sealed.length > 0)
    throw missingKeyError({ keyId, sealed, file: join(config.dataDir, ENCRYPTION_KEY_FILE.name) });
  return storeSecret(config.dataDir, ENCRYPTION_KEY_FILE);
}

/** Throws a StartupError unless the keys open all that is sealed. Returns the ids to record. */
async function requireKey(
  trx: Connection,
  { encryptionKey, encryptionKeyPrevious }: { encryptionKey: Buffer; encryptionKeyPrevious: Buffer | undefined },
  recorded: RecordedIds,
): Promise<Pick<RecordedIds, 'keyId' | 'formerKeyId'>> {
  const keyId = keyIdOf(encryptionKey);
  const previousId = encryptionKeyPrevious ? keyIdOf(encryptionKeyPrevious) : null;
  const keyIds = previousId === null ? [keyId] : [keyId, previousId];
  if (recorded.keyId !== null && !keyIds.includes(recorded.keyId)) throw wrongKeyError(keyId, recorded.keyId);
  const isFormerMissing = recorded.formerKeyId !== null && !keyIds.includes(recorded.formerKeyId);
  if (recorded.keyId === null || isFormerMissing) {
    const sealed = await findSealedByOthers(trx, keyIds);
    if (sealed.length > 0) throw foreignRowsError(keyId, sealed);
  }
  if (recorded.keyId !== keyId) return { keyId, formerKeyId: previousId };
  return { keyId, formerKeyId: isFormerMissing ? null : recorded.formerKeyId };
}

export async function readIds(db: Connection): Promise<RecordedIds> {
  const row = await readRow<RecordedIds>(db)`
    select encryption_key_id as "keyId", former_key_id as "formerKeyId", jwt_secret_id as "jwtSecretId" from ledger`;
  if (!row) throw new StartupError('The ledger has lost the row that says which it is: restore a backup');
  return row;
}

/** Keeps other processes from creating, changing or giving up a key until the transaction ends. */
export async function lockSecrets(trx: Connection): Promise<void> {
  await execute(trx)`set local statement_timeout = 0`;
  await execute(trx)`select pg_advisory_xact_lock(${SECRETS_LOCK})`;
}

export async function recordIds(trx: Connection, { keyId, formerKeyId, jwtSecretId }: RecordedIds): Promise<void> {
  await execute(trx)`
    update ledger set encryption_key_id = ${keyId}, former_key_id = ${formerKeyId}, jwt_secret_id = ${jwtSecretId}
    where (encryption_key_id, former_key_id, jwt_secret_id) is distinct from (${keyId}::text, ${formerKeyId}::text, ${jwtSecretId}::text)`;
}
