import { hasRow, type Connection } from '../platform/database/statements.ts';
import { LEASE_MS } from '../sending/leases/leases.ts';
import { StartupError } from '../platform/errors/errors.ts';
import { createVault, keyIdOf } from '../platform/secrets/secret-box.ts';
import { lockSecrets, readIds, readKey, recordIds } from '../platform/secrets/load-secrets.ts';
import { describeSealed, findSealedByOthers } from '../platform/secrets/sealed-columns.ts';
import { ENCRYPTION_KEY_FILE, storeSecret, rotateJwtSecret } from '../platform/secrets/secret-files.ts';
import type { Shell } from './command.ts';
import { giveUpSealed } from './give-up-sealed.ts';
import { withUsers } from './open-users.ts';
import { recordCommand } from './record-command.ts';
import { withDatabase, type Opened } from './with-database.ts';

/** `campanile secrets rotate`. Throws a StartupError with the remedy when the operator has to change something. */
export async function rotateSecret({ output }: Shell): Promise<number> {
  output.write(`${await rotate()}\n`);
  return 0;
}

/** `campanile secrets give-up`. Throws a StartupError with the remedy when the operator has to change something. */
export async function giveUpSecrets({ options: { yes }, output }: Shell & { options: { yes: boolean } }) {
  output.write(`${await withDatabase((opened) => giveUp(opened, yes))}\n`);
  return 0;
}

/** Replaces the token secret if it is a file in DATA_DIR. */
async function rotate(): Promise<string> {
  await withUsers(async (_deps, { db, config }) => {
    if (config.jwtSecret !== undefined)
      throw new StartupError(
        'JWT_SECRET sets the token secret. Set a new value there, and keep the present one in JWT_SECRET_PREVIOUS for 24 hours.',
      );
    await db.transaction().execute(async (trx) => {
      await recordCommand(trx, 'secrets.rotated', 'jwt');
      await rotateJwtSecret(config.dataDir);
    });
  });
  return (
    'Created a new token secret. Restart the service to use it. Tokens of the previous secret stay valid for 24 hours, so no user is signed out. ' +
    'To change ENCRYPTION_KEY, see docs/how-to/change-the-encryption-key.md.'
  );
}

/** Lists the secrets that no configured key opens, and discards them if `isSure`. Throws a StartupError while a worker runs. */
async function giveUp({ config, db }: Opened, isSure: boolean): Promise<string> {
  const { encryptionKeyPrevious: previousKey } = config;
  return db.transaction().execute(async (trx) => {
    await lockSecrets(trx);
    const recorded = await readIds(trx);
    const present = await readKey(config);
    const keyIds = [present, previousKey].flatMap((one) => (one ? [keyIdOf(one)] : []));
    const sealed = await findSealedByOthers(trx, keyIds);
    const isOpen = present !== undefined && (recorded.keyId === null || keyIds.includes(recorded.keyId));
    if (sealed.length === 0 && isOpen) return 'Nothing to give up: the configured keys open all sealed data';
    const lost = describeSealed(sealed) || 'no sealed data';
    if (await isServiceRunning(trx))
      throw new StartupError(
        'A worker is running and has the key. Give this command the same ENCRYPTION_KEY, or stop all processes first.',
      );
    if (!isSure)
      throw new StartupError(
        `No configured key opens ${lost}. --yes deletes this data permanently: its accounts must be linked again, its users sign in with the password alone, ` +
          'its webhooks get new secrets, which their owners must copy, and browsers must be subscribed to notices again.',
      );
    const key = present ?? (await storeSecret(config.dataDir, ENCRYPTION_KEY_FILE));
    await giveUpSealed(trx, createVault({ key, previousKey }));
    const formerKeyId = previousKey ? keyIdOf(previousKey) : null;
    await recordIds(trx, { ...recorded, keyId: keyIdOf(key), formerKeyId });
    await recordCommand(trx, 'secrets.given_up', lost);
    return `Gave up ${lost}. The next start seals with the key ${keyIdOf(key)}.`;
  });
}

async function isServiceRunning(trx: Connection): Promise<boolean> {
  return hasRow(trx)`
    select from workers where beat_at > campanile_now() - ${LEASE_MS} * interval '1 millisecond' limit 1`;
}
