import { execute, readRow, type Connection, type Database } from '../../platform/database/statements.ts';
import { resealColumn } from '../../platform/secrets/sealed-columns.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';

const ABOUT = 'push keys';

/** The installation's VAPID keys for push services, as base64url. */
export interface PushKeys {
  publicKey: string;
  /** Sealed. */
  privateKey: Buffer;
}

/** Returns the VAPID keys of the installation; generates them the first time. A browser accepts pushes only of the keys it subscribed for. */
export async function loadPushKeys(db: Database, vault: Vault): Promise<PushKeys> {
  const kept = await readPushKeys(db);
  if (kept) return kept;
  const { default: webPush } = await import('web-push');
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  // Of two processes that do so at once, both use what the first one made.
  await execute(db)`
    insert into push_keys (public_key, private_key) values (${publicKey}, ${vault.seal(Buffer.from(privateKey), ABOUT)})
    on conflict do nothing`;
  const made = await readPushKeys(db);
  if (!made) throw new Error('the keys for push services were not kept');
  return made;
}

export function openPrivateKey(vault: Vault, { privateKey }: PushKeys): string {
  return vault.open(privateKey, ABOUT).toString();
}

/** Key rotation, as `resealColumn`. */
export function resealPushKeys(db: Database, vault: Vault): Promise<number> {
  return resealColumn(db, vault, { table: 'push_keys', column: 'private_key', id: 'public_key' }, () => ABOUT);
}

async function readPushKeys(db: Connection): Promise<PushKeys | undefined> {
  return readRow<PushKeys>(db)`
    select public_key as "publicKey", private_key as "privateKey" from push_keys`;
}
