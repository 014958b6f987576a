/**
 * The cost of one delivery for the database and the worker at WhatsApp's pace, one turn each, and the cost of one receipt. From these
 * follows the number of accounts per database (docs/explanation/growth.md). The messenger is a separate process and does not count.
 */
import { execute, readCount, readRows } from '../src/platform/database/statements.ts';
import type { Database } from '../src/platform/database/connect.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { sleep } from '../src/platform/time/time.ts';
import type { MemberEvent } from '../src/messengers/messenger.ts';
import { recordReceipts } from '../src/sending/receipts/record-receipts.ts';
import { removeService, startService, type Service } from '../test/support/service/service.ts';
import { ENTRY, SECRETS } from '../test/witness/start-worker.ts';
import { startWitness } from '../test/witness/start-witness.ts';
import { settle, startCluster } from './support/cluster.ts';
import { cpuMs } from './support/cpu.ts';
import { createManyAccounts, planRuns } from './support/many-accounts.ts';
import { readServerCost } from './support/server-cost.ts';
import { count, type Row } from './support/table.ts';
import type { AccountId } from '../src/platform/database/schema.ts';

/** Of `WHATSAPP_GAP_MS`. */
const GAP = '5000-15000';
const GROUPS = 10;
const IDLE_MS = 20_000;
/** Every account has had a turn by then, so that pages are in the log that are written whole after a checkpoint. */
const WARM_MS = 16_000;
const WINDOW_MS = 40_000;
/** Receipts come in such pieces, of one account each: one by one when little happens, together when a worker cannot keep up. */
const PIECES = [1, 20, 200];
const RECEIPTS = 20_000;
const MOST_PIECES = 2_000;
const A_MILLION = 1_000_000;

export async function benchGrowth({ quick }: { quick: boolean }): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const rows: Row[] = [];
  for (const accounts of quick ? [200] : [1_000, 4_000]) rows.push(...(await measure(accounts)));
  return rows;
}

async function measure(accounts: number): Promise<Row[]> {
  const cluster = await startCluster();
  const witness = await startWitness();
  try {
    return await cluster.withDatabase(async ({ db, url }) => {
      await migrate(db, cluster.log);
      await createManyAccounts(db, { accounts, groups: GROUPS });
      await settle(db, { analyze: true });
      const service = await startService({
        entry: ENTRY,
        environment: {
          ROLE: 'worker',
          DATABASE_URL: url,
          WITNESS_PORT: String(witness.port),
          SANDBOX_GAP_MS: GAP,
          ...SECRETS,
        },
      });
      try {
        const deliveries = await measureDeliveries(db, service, accounts);
        const receipts = [];
        for (const piece of PIECES) receipts.push(await measureReceipts(db, piece));
        return [deliveries, ...receipts, await measureDisk(db)];
      } finally {
        await service.stop();
        await removeService(service);
      }
    });
  } finally {
    await witness.stop();
    await cluster.stop();
  }
}

interface Spent {
  ms: number;
  databaseCpuMs: number;
  workerCpuMs: number;
  walBytes: number;
  sent: number;
}

async function spend(db: Database, service: Service, ms: number): Promise<Spent> {
  const look = async () => ({
    at: performance.now(),
    server: await readServerCost(db),
    workerCpuMs: await cpuMs(service),
    sent: await readSent(db),
  });
  const before = await look();
  await sleep(ms);
  const after = await look();
  return {
    ms: after.at - before.at,
    databaseCpuMs: after.server.cpuMs - before.server.cpuMs,
    workerCpuMs: after.workerCpuMs - before.workerCpuMs,
    walBytes: after.server.walBytes - before.server.walBytes,
    sent: after.sent - before.sent,
  };
}

async function readSent(db: Database): Promise<number> {
  return readCount(db)`select coalesce(sum(sent), 0)::int as sent from runs`;
}

/** What the process and the database do when nothing is sent, in the same time, is taken off. */
async function measureDeliveries(db: Database, service: Service, accounts: number): Promise<Row> {
  const idle = await spend(db, service, IDLE_MS);
  await planRuns(db, { afterMs: 0 });
  await execute(db)`checkpoint`;
  await sleep(WARM_MS);
  const busy = await spend(db, service, WINDOW_MS);
  const each = (of: keyof Spent) => (busy[of] - (idle[of] / idle.ms) * busy.ms) / busy.sent;
  const perS = (busy.sent / busy.ms) * 1_000;
  return row(
    `a delivery, ${count(accounts)} accounts at ${GAP} ms`,
    `database ${each('databaseCpuMs').toFixed(2)} ms of CPU and ${count(each('walBytes'))} bytes of WAL, worker ${each('workerCpuMs').toFixed(2)} ms; ${perS.toFixed(1)}/s`,
    `idle: database ${((idle.databaseCpuMs / idle.ms) * 100).toFixed(1)} %, worker ${((idle.workerCpuMs / idle.ms) * 100).toFixed(1)} % of a core`,
  );
}

/** A member receives, and reads, of each of as many posts as there are pieces. */
async function measureReceipts(db: Database, piece: number): Promise<Row> {
  const rows = await readRows<{ accountId: AccountId; messageId: string }>(db)`
    select account_id as "accountId", message_id as "messageId" from deliveries where status = 'sent'
    order by random() limit ${Math.min(MOST_PIECES, RECEIPTS / piece)}`;
  await execute(db)`checkpoint`;
  const before = await readServerCost(db);
  const processBefore = process.cpuUsage();
  let told = 0;
  for (const { accountId, messageId } of rows) {
    const events = Array.from({ length: piece }, (_, n): MemberEvent => ({
      accountId,
      messageId,
      kind: n % 2 === 0 ? 'delivered' : 'read',
      participant: `${piece} ${n >> 1}`,
      at: new Date(),
    }));
    await recordReceipts(db, events);
    told += events.length;
  }
  const after = await readServerCost(db);
  const { user, system } = process.cpuUsage(processBefore);
  return row(
    `a receipt, ${piece} at a time`,
    `database ${((after.cpuMs - before.cpuMs) / told).toFixed(3)} ms of CPU and ${count((after.walBytes - before.walBytes) / told)} bytes of WAL, worker ${((user + system) / 1_000 / told).toFixed(3)} ms`,
    `${count(told)} receipts`,
  );
}

async function measureDisk(db: Database): Promise<Row> {
  const rows = await readRows<{ perDelivery: number; perReceipt: number }>(db)`
    select pg_total_relation_size('deliveries')::float8 / (select count(*) from deliveries) as "perDelivery",
           pg_total_relation_size('receipts')::float8 / (select count(*) from receipts) as "perReceipt"`;
  const { perDelivery = 0, perReceipt = 0 } = rows[0] ?? {};
  return row(
    'disk, with indexes',
    `${count((perDelivery * A_MILLION) / 1_000_000)} MB a million deliveries, ${count((perReceipt * A_MILLION) / 1_000_000)} MB a million receipts (a member's, delivered and read)`,
    '–',
  );
}

function row(what: string, ours: string, yardstick: string): Row {
  return { what, ours, yardstick, reach: 'for the docs', reached: true };
}
