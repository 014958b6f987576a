/**
 * What the numbers of a workspace have to know of each other, so that each can decrypt what members encrypt about the posts of all: the key
 * that message secrets derive from, and the ids of the numbers that have sent. Both outlive a link and an account.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import type { Vault } from '../../../platform/secrets/secret-box.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import type { OwnIds } from '../client/client.ts';
import { readIds, type Ids } from '../inbound/participants.ts';

export interface MessageSecretKeys {
  /** Of the workspace, 32 bytes. */
  key: Buffer;
  /** To be awaited before a message leaves: from then on `findAuthor` knows its author. */
  recordAuthor(me: OwnIds | undefined): Promise<void>;
  /** Returns both ids of the number with one of these ids, if it has sent for the workspace. */
  findAuthor(ids: Ids): Promise<Ids | undefined>;
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
    return { key: randomBytes(KEY_BYTES), recordAuthor: async () => undefined, findAuthor: async () => undefined };
  let recorded: string | undefined;
  return {
    key: await loadKey(db, vault, workspaceId),
    async recordAuthor(me) {
      const ids = readIds([me?.id, me?.lid]);
      if (!ids || recorded === JSON.stringify(ids)) return;
      await storeNumber(db, workspaceId, ids);
      recorded = JSON.stringify(ids);
    },
    async findAuthor({ lid, number }) {
      const { rows } = await sql<{ number: string; lid: string | null }>`
        select number, lid from whatsapp_numbers
        where workspace_id = ${workspaceId} and (number = ${number ?? null} or lid = ${lid ?? null}) limit 1`.execute(
        db,
      );
      return rows[0] && { number: rows[0].number, lid: rows[0].lid ?? lid };
    },
  };
}

/** Creates the key at the first call for a workspace. Concurrent calls return the same key. */
async function loadKey(db: Connection, vault: Vault, workspaceId: WorkspaceId): Promise<Buffer> {
  const known = await sql<{ sealed: Buffer }>`
    select sealed from message_secret_keys where workspace_id = ${workspaceId}`.execute(db);
  const sealed = known.rows[0]?.sealed ?? (await insertKey(db, vault, workspaceId));
  return vault.open(sealed, aboutOf(workspaceId));
}

async function insertKey(db: Connection, vault: Vault, workspaceId: WorkspaceId): Promise<Buffer> {
  const created = vault.seal(randomBytes(KEY_BYTES), aboutOf(workspaceId));
  // `do nothing` would return no row when another session has created it meanwhile.
  const { rows } = await sql<{ sealed: Buffer }>`
    insert into message_secret_keys as k (workspace_id, sealed) values (${workspaceId}, ${created})
    on conflict (workspace_id) do update set sealed = k.sealed returning sealed`.execute(db);
  return rows[0]?.sealed ?? created;
}

/** An account's LID may become known later than its number. */
async function storeNumber(db: Connection, workspaceId: WorkspaceId, { number, lid }: Ids): Promise<void> {
  if (number === undefined) return;
  await sql`
    insert into whatsapp_numbers as n (workspace_id, number, lid) values (${workspaceId}, ${number}, ${lid ?? null})
    on conflict (workspace_id, number) do update set lid = excluded.lid where n.lid is distinct from excluded.lid and excluded.lid is not null`.execute(
    db,
  );
}

/** Key rotation: reseals the keys of the previous encryption key with the present one. Resolves to their number. */
export async function resealMessageSecretKeys(db: Database, vault: Vault): Promise<number> {
  const { rows } = await sql<{ workspaceId: WorkspaceId; sealed: Buffer }>`
    select workspace_id as "workspaceId", sealed from message_secret_keys
    where substring(sealed for ${vault.keyIdPrefix.length}) <> ${vault.keyIdPrefix}`.execute(db);
  const resealed = rows.map(({ workspaceId, sealed }) =>
    vault.seal(vault.open(sealed, aboutOf(workspaceId)), aboutOf(workspaceId)),
  );
  await sql`
    update message_secret_keys k set sealed = n.sealed
    from unnest(${rows.map((row) => row.workspaceId)}::bigint[], ${resealed}::bytea[]) n (workspace_id, sealed)
    where k.workspace_id = n.workspace_id`.execute(db);
  return rows.length;
}
