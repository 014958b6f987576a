/**
 * Recording receipts beside a bare upsert of the same rows, in batches as they come: one by one while little happens, together while much
 * does. The yardstick is one prepared statement on (delivery, member, kind), with the same commit.
 */
import { execute, readRows, type Database } from '../../src/platform/database/statements.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';
import type { MemberEvent } from '../../src/messengers/messenger.ts';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import { settle, startCluster } from './support/cluster.ts';
import { measureInTurn, timeMs } from './support/in-turn.ts';
import { beginAllRuns, createManyAccounts, planRuns } from './support/many-accounts.ts';
import type { Bench } from './support/run-benches.ts';
import { count } from './support/table.ts';

const GROUPS = 10;
/** Batches of a round, by how many receipts each has. */
const PIECES = { 1: 400, 20: 200, 200: 50, 2_000: 8 };
const REACH = 2;

export async function benchReceipts({ pick, report }: Bench): Promise<void> {
  const { accounts, rounds, share } = pick(
    { accounts: 200, rounds: 5, share: 1 },
    { accounts: 200, rounds: 3, share: 1 },
    { accounts: 4, rounds: 1, share: 0.02 },
  );
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ db: own, address }) => {
    await migrate(own, cluster.log);
    await createManyAccounts(own, { accounts, groups: GROUPS });
    await planRuns(own, { afterMs: 0 });
    await beginAllRuns(own);
    await execute(own)`update deliveries set status = 'sent', sent_at = campanile_now(), recipients = 3`;
    await execute(own)`
      update runs set status = 'completed', finished_at = campanile_now(), queued = 0, sent = targets, next_position = targets + 1`;
    await execute(own)`update campaigns set status = 'completed', open_runs = 0, finished_at = campanile_now()`;
    await execute(own)`
      create table bare_receipts (delivery text, member text, kind smallint, at timestamptz, primary key (delivery, member, kind))`;
    await settle(own);
    // As a worker has it.
    const db = connectDatabase(address, { log: cluster.log, poolSize: 4, name: 'bench' });
    try {
      for (const [piece, most] of Object.entries(PIECES)) {
        const what = `receipts, ${count(Number(piece))} at a time`;
        const batches = Math.ceil(most * share);
        await report(what, async () => {
          const found = await compare(db, { piece: Number(piece), batches, rounds });
          const ratio = found.ours / found.bare;
          const each = (ms: number) => `${(ms / batches).toFixed(2)} ms a batch`;
          return {
            what,
            ours: each(found.ours),
            yardstick: `a bare upsert ${each(found.bare)}`,
            ratio,
            reach: `≤ ${REACH}×`,
            reached: ratio <= REACH,
          };
        });
      }
    } finally {
      await db.destroy();
    }
  });
}

let told = 0;

async function compare(db: Database, { piece, batches, rounds }: { piece: number; batches: number; rounds: number }) {
  const posts = await readRows<{ accountId: AccountId; messageIds: string[] }>(db)`
    select account_id as "accountId", array_agg(message_id) as "messageIds" from deliveries group by 1 order by random()`;
  const makeBatches = () =>
    Array.from({ length: batches }, (_, batch) => {
      const { accountId, messageIds } = posts[batch % posts.length] ?? { accountId: 0 as AccountId, messageIds: [] };
      const member = told++;
      return Array.from({ length: piece }, (_event, n): Extract<MemberEvent, { isProvisional?: boolean }> => ({
        accountId,
        messageId: messageIds[n % messageIds.length] ?? '',
        kind: n % 2 === 0 ? 'delivered' : 'read',
        participant: `${member} ${n >> 1}@lid`,
        at: new Date(),
      }));
    });
  return measureInTurn(
    {
      ours: () => {
        const made = makeBatches();
        return timeMs(async () => {
          for (const events of made) await recordReceipts(db, events);
        });
      },
      bare: () => {
        const made = makeBatches();
        return timeMs(async () => {
          for (const events of made)
            await execute(db)`
              insert into bare_receipts
              select * from unnest(${events.map((one) => one.messageId)}::text[], ${events.map((one) => one.participant)}::text[],
                ${events.map(({ kind }) => (kind === 'read' ? 1 : 0))}::smallint[], ${events.map(({ at }) => at)}::timestamptz[])
              on conflict (delivery, member, kind) do nothing`;
        });
      },
    },
    { rounds, unit: ' ms' },
  );
}
