import { sql } from 'kysely';
import webPush from 'web-push';
import type { Connection, Database } from '../../platform/database/connect.ts';
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
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  // Of two processes that do so at once, both use what the first one made.
  await sql`
    insert into push_keys (public_key, private_key) values (${publicKey}, ${vault.seal(Buffer.from(privateKey), ABOUT)})
    on conflict do nothing`.execute(db);
  const made = await readPushKeys(db);
  if (!made) throw new Error('the keys for push services were not kept');
  return made;
}

export function openPrivateKey(vault: Vault, { privateKey }: PushKeys): string {
  return vault.open(privateKey, ABOUT).toString();
}

/** Seals them with the present key where they were sealed with the previous one. Resolves to whether they were. */
export async function resealPushKeys(db: Database, vault: Vault): Promise<boolean> {
  const keys = await readPushKeys(db);
  if (!keys || keys.privateKey.subarray(0, vault.keyIdPrefix.length).equals(vault.keyIdPrefix)) return false;
  const sealed = vault.seal(vault.open(keys.privateKey, ABOUT), ABOUT);
  await sql`update push_keys set private_key = ${sealed} where private_key = ${keys.privateKey}`.execute(db);
  return true;
}

async function readPushKeys(db: Connection): Promise<PushKeys | undefined> {
  const { rows } = await sql<PushKeys>`
    select public_key as "publicKey", private_key as "privateKey" from push_keys`.execute(db);
  return rows[0];
}
