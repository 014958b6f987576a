import { execute, readRows, type Database } from '../../../src/platform/database/statements.ts';
import { expect, onTestFinished, test } from 'vitest';
import { createManyAccounts, planRuns } from '../../../harness/bench/support/many-accounts.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { createTestDatabase } from '../../support/database.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

// Rows are counted here and not time, since only time depends on the machine.

const MESSAGES = 100;

async function countReads(db: Database, work: () => Promise<unknown>): Promise<number> {
  const readsSoFar = async () => {
    await execute(db)`select pg_stat_force_next_flush()`;
    const rows = await readRows<{ reads: number }>(db)`
      select (sum(seq_tup_read) + sum(idx_tup_fetch))::float8 as reads from pg_stat_user_tables
      where relname in ('deliveries', 'runs', 'receipts', 'groups', 'lanes')`;
    return rows[0]?.reads ?? Number.NaN;
  };
  const before = await readsSoFar();
  await work();
  return (await readsSoFar()) - before;
}

test('counts receipts by a few lookups each in a ledger that has grown since planning', async () => {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  // A single session: others report what they have read only some time later.
  const db = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1, silenceMs: Infinity });
  onTestFinished(() => db.destroy());
  await execute(db)`analyze`;
  await createManyAccounts(db, { accounts: 3, groups: 4_000 });
  await planRuns(db, { afterMs: 0 });
  const shards = Array.from({ length: 256 }, (_, shard) => shard);
  for (let step = 0; step < 8; step++) await beginDueRuns(db, shards);
  await execute(db)`update deliveries set status = 'sent', sent_at = campanile_now()`;
  const rows = await readRows<{ account_id: AccountId; message_id: string }>(db)`
    select account_id, message_id from deliveries where workspace_id = (select min(workspace_id) from lanes)
    order by md5(position::text) limit ${MESSAGES}`;
  expect(rows).toHaveLength(MESSAGES);
  const messages = rows.map((row) => ({ accountId: row.account_id, messageId: row.message_id, at: new Date() }));
  const record = (events: Parameters<typeof recordReceipts>[1]) => countReads(db, () => recordReceipts(db, events));
  const receipts = await record(messages.map((one) => ({ ...one, kind: 'read', participant: 'somebody' })));
  expect(receipts / MESSAGES).toBeLessThan(12);
  const tallies = await record(messages.map((one) => ({ ...one, kind: 'tally', views: 5, reactions: 1 })));
  expect(tallies / MESSAGES).toBeLessThan(12);
});
