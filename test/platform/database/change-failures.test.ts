/** Changes of posts that came to nothing before their failures had codes keep their sentences. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { explainFailure, type StoredFailure } from '../../../src/sending/analytics/explain-failure.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';

const TOO_LATE = 'Too late: a post can be deleted for everyone for 60 hours';

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeAll(async () => {
  database = await createEmptyDatabase();
  const { db } = database;
  await migrateFromFirst(db, { below: 59 });
  // Without the runs that they belong to.
  await db.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`
      insert into revisions (workspace_id, run_id, position, number, is_channel, account_id, error)
      values (1, 1, 1, 1, false, 1, ${TOO_LATE}), (1, 1, 2, 1, false, 1, null)`.execute(trx);
    await sql`
      insert into pins (workspace_id, run_id, position, group_id, number, account_id, error)
      values (1, 1, 1, 1, 1, 1, ${TOO_LATE}), (1, 1, 2, 2, 1, 1, null)`.execute(trx);
    await sql`
      insert into everyone_mentions (workspace_id, run_id, position, group_id, day, left_out)
      values (1, 1, 1, 1, '2032-01-01', ${TOO_LATE}), (1, 1, 2, 2, '2032-01-01', null)`.execute(trx);
    await sql`
      insert into group_sums (workspace_id, campaign_id, group_id, revised, revision_error_run_id, revision_error)
      values (1, 1, 1, 1, 1, ${TOO_LATE}), (1, 1, 2, 0, null, null)`.execute(trx);
  });
  await migrate(db, createLog('silent'));
});
afterAll(() => database.drop());

test.each([
  ['revisions', 'failure', 'position'],
  ['pins', 'failure', 'position'],
  ['everyone_mentions', 'left_out', 'position'],
  ['group_sums', 'revision_failure', 'group_id'],
])('%s keep the sentence, with the code of one that is not known', async (table, column, order) => {
  const { rows } = await sql<{ failure: StoredFailure | null }>`
    select ${sql.ref(column)} as failure from ${sql.table(table)} order by ${sql.ref(order)}`.execute(database.db);
  expect(rows.map(({ failure }) => failure)).toEqual([{ error: TOO_LATE, code: 'other', params: null }, null]);
  expect(explainFailure(rows[0]?.failure ?? null, false)).toMatchObject({
    error: TOO_LATE,
    errorCode: 'other',
    errorParams: { text: TOO_LATE },
  });
});
