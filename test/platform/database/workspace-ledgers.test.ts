/** The migration that keeps what a workspace owns under its id, and names the account of each delivery. */
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';
import { createOwner, type Owner } from '../../support/ledger.ts';

const log = createLog('silent');

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
  await migrateFromFirst(database.db, { below: 35 });
});
afterEach(async () => {
  await database.drop();
});

/** Three posts of a workspace as version 0.1.0 kept them: two of the default account, one of another, and a receipt of the first. */
async function plant(): Promise<{ owner: Owner; second: number }> {
  const { db } = database;
  const owner = await createOwner(db, 0);
  const { rows } = await db.transaction().execute(async (trx) => {
    // The functions of triggers are those of today.
    await sql`set local session_replication_role = replica`.execute(trx);
    return sql<{ second: number }>`
    with further as (
      insert into accounts (workspace_id, messenger, status, is_default, name)
      values (${owner.workspaceId}, 'sandbox', 'connected', false, 'Second') returning account_id
    ), lane as (
      insert into lanes (account_id, messenger, ledger_id) select account_id, 'sandbox', ${owner.accountId} from further
    ), grouped as (
      insert into groups (account_id, chat_id, send_to, kind, name, participants, can_send)
      select ${owner.accountId}, n || '@g.us', n || '@g.us', 'group', 'Group ' || n, 3, true from generate_series(1, 3) n returning group_id
    ), campaign as (
      insert into campaigns (account_id, name, description, is_channel_campaign, is_schedule, status, open_runs)
      values (${owner.accountId}, 'Test', '', false, false, 'running', 1) returning campaign_id
    ), run as (
      insert into runs (account_id, campaign_id, status, due_at, started_at, progress_at, targets, expanded, queued, sent, is_shared, delivered, read)
      select ${owner.accountId}, campaign_id, 'running', now(), now(), now(), 3, 3, 2, 1, true, 1, 1 from campaign returning account_id, run_id
    ), delivery as (
      insert into deliveries (account_id, run_id, position, group_id, message_id, sender_id, status, sent_at, recipients, delivered, read)
      select r.account_id, r.run_id, row_number() over (order by group_id), group_id, 'message ' || row_number() over (order by group_id),
             case when row_number() over (order by group_id) = 3 then (select account_id from further) end,
             case when row_number() over (order by group_id) = 1 then 'sent' else 'queued' end::delivery_status,
             case when row_number() over (order by group_id) = 1 then now() end,
             (row_number() over (order by group_id) = 1)::int * 2, (row_number() over (order by group_id) = 1)::int,
             (row_number() over (order by group_id) = 1)::int
      from run r, grouped
    ), receipt as (
      insert into receipts (account_id, run_id, position, participant, delivered_at, read_at, flags, fresh)
      select account_id, run_id, 1, hashtextextended('ann', account_id), now(), now(), 3, 0 from run
    )
    select account_id as second from further`.execute(trx);
  });
  return { owner, second: rows[0]?.second ?? Number.NaN };
}

describe.each([
  ['have the same ids as', 0],
  ['have other ids than', 500],
])('where workspaces %s their accounts', (_name, offset) => {
  test('gives each row its workspace, and each delivery its account', async () => {
    const { db } = database;
    await sql`select setval('workspaces_workspace_id_seq', ${offset + 1}, false)`.execute(db);
    const { owner, second } = await plant();
    expect(owner.workspaceId - owner.accountId).toBe(offset);
    await migrate(db, log);
    const { rows: deliveries } = await sql`
      select d.workspace_id, d.account_id, r.shard, l.legacy_account_id
      from deliveries d join runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id
      join campaigns c on c.campaign_id = r.campaign_id and c.workspace_id = r.workspace_id
      join groups g on g.group_id = d.group_id and g.workspace_id = d.workspace_id
      join workspace_ledgers l on l.workspace_id = d.workspace_id order by d.position`.execute(db);
    const about = {
      workspace_id: owner.workspaceId,
      shard: owner.workspaceId % 256,
      legacy_account_id: owner.accountId,
    };
    expect(deliveries).toEqual(
      [owner.accountId, owner.accountId, second].map((account_id) => ({ ...about, account_id })),
    );
    const { rows: lanes } = await sql`select account_id, workspace_id from lanes order by 1`.execute(db);
    expect(lanes).toEqual(
      [owner.accountId, second].map((account_id) => ({ account_id, workspace_id: owner.workspaceId })),
    );
  });

  test('counts nobody twice whose receipt was counted before', async () => {
    const { db } = database;
    await sql`select setval('workspaces_workspace_id_seq', ${offset + 1}, false)`.execute(db);
    const { owner } = await plant();
    await migrate(db, log);
    const event = { kind: 'read' as const, accountId: owner.accountId, messageId: 'message 1', at: new Date() };
    await recordReceipts(db, [
      { ...event, participant: 'ann' },
      { ...event, participant: 'ben' },
    ]);
    const { rows } = await sql`select read from deliveries where position = 1`.execute(db);
    expect(rows).toEqual([{ read: 2 }]);
  });
});
