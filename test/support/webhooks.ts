import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/statements.ts';
import type { Vault } from '../../src/platform/secrets/secret-box.ts';
import { claimLanes, type Lane } from '../../src/notifications/webhooks/lane-store.ts';
import { generateSecret } from '../../src/notifications/webhooks/sign.ts';
import { aboutSecret } from '../../src/notifications/webhooks/webhook-store.ts';
import type { Owner } from './ledger.ts';

/** Creates a webhook of a workspace for `run.completed`, without deliveries. Resolves to its id. */
export async function insertWebhook(
  db: Database,
  vault: Vault,
  { workspaceId, userId }: Owner,
  url: string,
): Promise<string> {
  const id = randomUUID();
  const secret = vault.seal(generateSecret(), aboutSecret(id));
  await sql`
    insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
    values (${id}, ${workspaceId}, ${userId}, ${url}, '', '{run.completed}', 'v1', ${secret}, 0, 0)`.execute(db);
  return id;
}

/** Writes events numbered `from` to `to` for a workspace, as if runs had ended. */
export async function insertEvents(db: Database, { workspaceId }: Owner, from: number, to: number): Promise<void> {
  await sql`
    insert into events (workspace_id, type, data)
    select ${workspaceId}, 'run.completed', jsonb_build_object('number', n) from generate_series(${from}::int, ${to}::int) n`.execute(
    db,
  );
}

/** Claims all webhooks that are due. */
export async function claimDue(db: Database): Promise<Lane[]> {
  const owners = { skipped: [], wanted: null };
  const claim = (isSlow: boolean) => claimLanes(db, { isSlow, perWorkspace: 100 }, { busy: [], room: 100, owners });
  return [...(await claim(false)), ...(await claim(true))];
}
