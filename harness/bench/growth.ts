/**
 * The cost of one delivery for the database and the worker at WhatsApp's pace, one turn each, and the cost of one receipt. From these
 * follows the number of accounts per database (docs/explanation/growth.md). The messenger is a separate process and does not count.
 */
import { execute, readCount, readRows, type Database } from '../../src/platform/database/statements.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sleep } from '../../src/platform/time/time.ts';
import type { MemberEvent } from '../../src/messengers/messenger.ts';
import { recordReceipts } from '../../src/sending/receipts/record-receipts.ts';
import type { Service } from '../../test/support/service/service.ts';
import { ENTRY, SECRETS } from '../witness/start-worker.ts';
import { startWitness } from '../witness/start-witness.ts';
import { settle, startCluster } from './support/cluster.ts';
import { cpuMs } from './support/cpu.ts';
import { createManyAccounts, planRuns } from './support/many-accounts.ts';
import { readServerCost } from './support/server-cost.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { count, plainRow, type Row } from './support/table.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const GROUPS = 10;
/** Receipts come in such pieces, of one account each: one by one when little happens, together when a worker cannot keep up. */
const PIECES = [1, 20, 200];
const MOST_PIECES = 2_000;
const A_MILLION = 1_000_000;

const SCALE = {
  /** Of `WHATSAPP_GAP_MS`. */
  gap: '5000-15000',
  idleMs: 20_000,
  /** Every account has had a turn by then, so that pages are in the log that are written whole after a checkpoint. */
  warmMs: 16_000,
  windowMs: 40_000,
  receipts: 20_000,
};
type Scale = typeof SCALE;
const SMALLEST: Scale = { gap: '100-300', idleMs: 300, warmMs: 300, windowMs: 1_000, receipts: 200 };

export async function benchGrowth({ pick, report }: Bench): Promise<void> {
  if (process.platform !== 'linux') return;
  const scale = pick(SCALE, SCALE, SMALLEST);
  for (const accounts of pick([1_000, 4_000], [200], [10])) {
    await using cluster = await startCluster();
    await using stack = new AsyncDisposableStack();
    const witness = await startWitness();
    stack.defer(witness.stop);
    await cluster.withDatabase(async ({ db, url }) => {
      await migrate(db, cluster.log);
      await createManyAccounts(db, { accounts, groups: GROUPS });
      await settle(db);
      await using service = await startBenchService({
        entry: ENTRY,
        environment: {
          ROLE: 'worker',
          DATABASE_URL: url,
          WITNESS_PORT: String(witness.port),
          SANDBOX_GAP_MS: scale.gap,
          ...SECRETS,
        },
      });
      const what = `a delivery, ${count(accounts)} accounts at ${scale.gap} ms`;
      await report(what, () => measureDeliveries(db, service, what, scale));
      for (const piece of PIECES) {
        const whatOfPiece = `a receipt, ${count(accounts)} accounts, ${piece} at a time`;
        await report(whatOfPiece, () => measureReceipts(db, whatOfPiece, piece, scale));
      }
      const whatOfDisk = `disk, with indexes, ${count(accounts)} accounts`;
      await report(whatOfDisk, () => measureDisk(db, whatOfDisk));
    });
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
async function measureDeliveries(
  db: Database,
  service: Service,
  what: string,
  { idleMs, warmMs, windowMs }: Scale,
): Promise<Row> {
  const idle = await spend(db, service, idleMs);
  await planRuns(db, { afterMs: 0 });
  await execute(db)`checkpoint`;
  await sleep(warmMs);
  const busy = await spend(db, service, windowMs);
  const each = (of: keyof Spent) => (busy[of] - (idle[of] / idle.ms) * busy.ms) / busy.sent;
  const perS = (busy.sent / busy.ms) * 1_000;
  return plainRow(
    what,
    each('databaseCpuMs'),
    `database ${each('databaseCpuMs').toFixed(2)} ms of CPU and ${count(each('walBytes'))} bytes of WAL, worker ${each('workerCpuMs').toFixed(2)} ms; ${perS.toFixed(1)}/s`,
    `idle: database ${((idle.databaseCpuMs / idle.ms) * 100).toFixed(1)} %, worker ${((idle.workerCpuMs / idle.ms) * 100).toFixed(1)} % of a core`,
  );
}

/** A member receives, and reads, of each of as many posts as there are pieces. */
async function measureReceipts(db: Database, what: string, piece: number, { receipts }: Scale): Promise<Row> {
  const rows = await readRows<{ accountId: AccountId; messageId: string }>(db)`
    select account_id as "accountId", message_id as "messageId" from deliveries where status = 'sent'
    order by random() limit ${Math.min(MOST_PIECES, receipts / piece)}`;
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
  const databaseMs = (after.cpuMs - before.cpuMs) / told;
  return plainRow(
    what,
    databaseMs,
    `database ${databaseMs.toFixed(3)} ms of CPU and ${count((after.walBytes - before.walBytes) / told)} bytes of WAL, worker ${((user + system) / 1_000 / told).toFixed(3)} ms`,
    `${count(told)} receipts`,
  );
}

async function measureDisk(db: Database, what: string): Promise<Row> {
  const rows = await readRows<{ perDelivery: number; perReceipt: number }>(db)`
    select pg_total_relation_size('deliveries')::float8 / (select count(*) from deliveries) as "perDelivery",
           pg_total_relation_size('receipts')::float8 / (select count(*) from receipts) as "perReceipt"`;
  const { perDelivery = 0, perReceipt = 0 } = rows[0] ?? {};
  return plainRow(
    what,
    perDelivery,
    `${count((perDelivery * A_MILLION) / 1_000_000)} MB a million deliveries, ${count((perReceipt * A_MILLION) / 1_000_000)} MB a million receipts (a member's, delivered and read)`,
  );
}
