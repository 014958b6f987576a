/** The migration that begins to count posts by quarter hours. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';
import { createOwner } from '../../support/ledger.ts';

const log = createLog('silent');

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeAll(async () => {
  database = await createEmptyDatabase();
  await migrateFromFirst(database.db, { below: 10 });
});
afterAll(async () => {
  await database.drop();
});

test('counts the posts of the last days and those in hand', async () => {
  const { db } = database;
  const owner = await createOwner(db, 0);
  // As the service did then.
  await db.transaction().execute(async (trx) => {
    // The functions of triggers are those of today.
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`
    with campaign as (
      insert into campaigns (account_id, name, description, is_channel_campaign, is_schedule, status, open_runs)
      values (${owner.accountId}, 'Test', '', false, false, 'running', 1) returning campaign_id
    ), run as (
      insert into runs (account_id, campaign_id, status, due_at, started_at, progress_at, targets, expanded, queued)
      select ${owner.accountId}, campaign_id, 'running', now(), now(), now(), 6, 6, 6 from campaign returning account_id, run_id
    )
    insert into deliveries (account_id, run_id, position, group_id, message_id)
    select account_id, run_id, n, n, 'message ' || n from run, generate_series(1, 6) n`.execute(trx);
  });
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    // Two posts in one quarter hour of today, one of yesterday, one of last week, one in hand, and one waiting.
    await sql`
    update deliveries set status = 'sent', sent_at = date_trunc('hour', now()) - case position
      when 1 then interval '8 minutes' when 2 then interval '14 minutes' when 3 then interval '1 day' else interval '7 days' end
    where position <= 4`.execute(trx);
    await sql`update runs set sent = 4, queued = 2`.execute(trx);
    await sql`update lanes set in_hand_run_id = (select run_id from runs), in_hand = '{[5,6)}', work_at = null`.execute(
      trx,
    );
  });
  await migrate(db, log);
  const { rows } = await sql`
    select posts, (date_trunc('hour', now()) - slot)::text as age from sent_slots where account_id = ${owner.accountId}
    order by slot desc`.execute(db);
  expect(rows).toEqual([
    { posts: 2, age: '00:15:00' },
    { posts: 1, age: '1 day' },
  ]);
  const { rows: lanes } = await sql<{ sent: number }>`select sent_in_slot as sent from lanes`.execute(db);
  expect(lanes).toEqual([{ sent: 1 }]);
});
