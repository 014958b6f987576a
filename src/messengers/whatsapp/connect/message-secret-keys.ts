/**
 * What the numbers of a workspace have to know of each other, so that each can decrypt what members encrypt about the posts of all: the key
 * that message secrets derive from, and the ids of the numbers that have sent. Both outlive a link and an account.
 */
import { randomBytes } from 'node:crypto';
import { execute, readRow, readValue, type Connection, type Database } from '../../../platform/database/statements.ts';
import { resealColumn } from '../../../platform/secrets/sealed-columns.ts';
import type { Vault } from '../../../platform/secrets/secret-box.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';
import type { OwnIds } from '../client/client.ts';
import { readIds, type Ids } from '../inbound/participants.ts';

export interface MessageSecretKeys {
  /** Of the workspace, 32 bytes. */
  key: Buffer;
  /** To be awaited before a message leaves: from then on `findAuthor` knows its author. */
  recordAuthor(accountId: AccountId, me: OwnIds | undefined): Promise<void>;
  /** Returns both ids of the number with one of these ids, if it has sent for the workspace. */
  findAuthor(ids: Ids): Promise<Ids | undefined>;
  /** Returns the ids of the number that this account of the workspace has last sent with, also if it was removed since. */
  findNumberOf(accountId: AccountId): Promise<Ids | undefined>;
}

const KEY_BYTES = 32;
const aboutOf = (workspaceId: WorkspaceId) => `message secrets of workspace ${workspaceId}`;

/** An undefined workspace is being deleted: nothing is sent for it, and nothing is decrypted. */
export async function openMessageSecretKeys(
  db: Database,
  vault: Vault,
  workspaceId: WorkspaceId | undefined,
): Promise<MessageSecretKeys> {
  if (workspaceId === undefined)
    return {
      key: randomBytes(KEY_BYTES),
      recordAuthor: async () => undefined,
      findAuthor: async () => undefined,
      findNumberOf: async () => undefined,
    };
  let recorded: string | undefined;
  return {
    key: await loadKey(db, vault, workspaceId),
    async recordAuthor(accountId, me) {
      const ids = readIds([me?.id, me?.lid]);
      if (!ids || recorded === JSON.stringify(ids)) return;
      await storeNumber(db, { workspaceId, accountId }, ids);
      recorded = JSON.stringify(ids);
    },
    async findAuthor({ lid, number }) {
      const row = await readRow<{ number: string; lid: string | null }>(db)`
        select number, lid from whatsapp_numbers
        where workspace_id = ${workspaceId} and (number = ${number ?? null} or lid = ${lid ?? null}) limit 1`;
      return row && { number: row.number, lid: row.lid ?? lid };
    },
    async findNumberOf(accountId) {
      const row = await readRow<{ number: string; lid: string | null }>(db)`
        select number, lid from whatsapp_numbers where workspace_id = ${workspaceId} and account_id = ${accountId}`;
      return row && { number: row.number, lid: row.lid ?? undefined };
    },
  };
}

/** Creates the key at the first call for a workspace. Concurrent calls return the same key. */
async function loadKey(db: Connection, vault: Vault, workspaceId: WorkspaceId): Promise<Buffer> {
  const known = await readValue<Buffer>(db)`
    select sealed from message_secret_keys where workspace_id = ${workspaceId}`;
  return vault.open(known ?? (await insertKey(db, vault, workspaceId)), aboutOf(workspaceId));
}

async function insertKey(db: Connection, vault: Vault, workspaceId: WorkspaceId): Promise<Buffer> {
  const created = vault.seal(randomBytes(KEY_BYTES), aboutOf(workspaceId));
  // `do nothing` would return no row when another session has created it meanwhile.
  const sealed = await readValue<Buffer>(db)`
    insert into message_secret_keys as k (workspace_id, sealed) values (${workspaceId}, ${created})
    on conflict (workspace_id) do update set sealed = k.sealed returning sealed`;
  return sealed ?? created;
}

/** An account's LID may become known later than its number, and its number may change. */
async function storeNumber(
  db: Connection,
  { workspaceId, accountId }: { workspaceId: WorkspaceId; accountId: AccountId },
  { number, lid }: Ids,
): Promise<void> {
  if (number === undefined) return;
  await execute(db)`
    with former as (
      update whatsapp_numbers set account_id = null
      where workspace_id = ${workspaceId} and account_id = ${accountId} and number <> ${number}
    )
    insert into whatsapp_numbers as n (workspace_id, number, lid, account_id)
    values (${workspaceId}, ${number}, ${lid ?? null}, ${accountId})
    on conflict (workspace_id, number) do update set lid = coalesce(excluded.lid, n.lid), account_id = excluded.account_id
    where (n.lid, n.account_id) is distinct from (coalesce(excluded.lid, n.lid), excluded.account_id)`;
}

/** Key rotation, as `resealColumn`. */
export function resealMessageSecretKeys(db: Database, vault: Vault): Promise<number> {
  return resealColumn(db, vault, { table: 'message_secret_keys', column: 'sealed', id: 'workspace_id' }, aboutOf);
}
