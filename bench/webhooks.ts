/** Compares the delivery of all events to ten webhooks in order with queue libraries, and measures its cost to senders. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute, readRows } from '../src/platform/database/statements.ts';
import type { Database } from '../src/platform/database/connect.ts';
import { migrate } from '../src/platform/database/migrate.ts';
import { readAllowedHosts } from '../src/platform/network/allowed-hosts.ts';
import { createSafeHttpClient, type Egress } from '../src/platform/http-client/safe-http-client.ts';
import { EVENT_TYPES } from '../src/workspaces/events/event-types.ts';
import type { Log } from '../src/platform/log/log.ts';
import { createVault } from '../src/platform/secrets/secret-box.ts';
import { sendWebhooks } from '../src/notifications/webhooks/send-webhooks.ts';
import { generateSecret } from '../src/notifications/webhooks/sign.ts';
import { aboutSecret } from '../src/notifications/webhooks/webhook-store.ts';
import { createOwner } from '../test/support/ledger.ts';
import { startCluster, type Cluster, type EmptyDatabase } from './support/cluster.ts';
import { drainDeliveries } from './support/deliveries.ts';
import { count, median, type Row } from './support/table.ts';
import { until } from './support/until.ts';
import { deliverByGraphile, deliverByPgBoss, type Lanes } from './yardsticks/serial-queues.ts';
import type { WorkspaceId } from '../src/platform/database/schema.ts';

const LANES = 10;
const vault = createVault({ key: Buffer.alloc(32, 1) });

export async function benchWebhooks({ quick }: { quick: boolean }): Promise<Row[]> {
  const cluster = await startCluster();
  try {
    const lanes = { lanes: LANES, messages: quick ? 2_000 : 10_000 };
    return [await compare(cluster, lanes, quick ? 2 : 3), await costOf(cluster, quick ? 3 : 5)];
  } finally {
    await cluster.stop();
  }
}

/** Nothing is sent: measures the queue and its bookkeeping. */
async function compare(cluster: Cluster, lanes: Lanes, rounds: number): Promise<Row> {
  const speeds: Array<[ours: number, pgBoss: number, graphile: number]> = [];
  for (let round = 0; round < rounds; round++) {
    const ours = await cluster.withDatabase((database) => deliverByLanes(database, cluster.log, lanes));
    const pgBoss = await cluster.withDatabase((database) => deliverByPgBoss(database, lanes));
    const graphile = await cluster.withDatabase((database) => deliverByGraphile(database, lanes));
    speeds.push([ours, pgBoss, graphile]);
    console.log(`  ours ${count(ours)}/s, pg-boss ${count(pgBoss)}/s, graphile-worker ${count(graphile)}/s`);
  }
  const [ours = 0, pgBoss = 0, graphile = 0] = [0, 1, 2].map((place) => median(speeds.map((one) => one[place] ?? 0)));
  const best = Math.max(pgBoss, graphile);
  return {
    what: `${LANES} webhooks told in order`,
    ours: `${count(ours)}/s`,
    yardstick: `pg-boss ${count(pgBoss)}/s, graphile-worker ${count(graphile)}/s`,
    ratio: ours / best,
    reach: '≥ 1',
    reached: ours >= best,
  };
}

async function deliverByLanes({ db }: EmptyDatabase, log: Log, { lanes, messages }: Lanes): Promise<number> {
  await migrate(db, log);
  const { workspaceId } = await createOwner(db, 1);
  await addWebhooks(db, lanes, 'http://127.0.0.1:9/');
  await execute(db)`
    insert into events (workspace_id, type, data)
    select ${workspaceId}, 'run.completed', jsonb_build_object('run_id', n) from generate_series(1, ${messages}::int) n`;
  let told = 0;
  const egress: Egress = {
    requireUrl: () => undefined,
    async post() {
      told += 1;
      return { status: 204, retryAfterSeconds: 0, body: '' };
    },
    close() {},
  };
  const startedAt = performance.now();
  const webhooks = sendWebhooks({ db, log, egress, vault });
  await until('webhooks', async () => {
    const rows = await readRows(db)`select from webhooks where position < newest or newest = 0 limit 1`;
    return rows.length === 0 && told >= lanes * messages;
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  await webhooks.stop();
  return (lanes * messages) / seconds;
}

/** So many in all, to one workspace after the other. */
async function addWebhooks(db: Database, all: number, url: string): Promise<void> {
  const rows = await readRows<{ workspace_id: WorkspaceId }>(db)`select workspace_id from workspaces order by 1`;
  for (let webhook = 0; webhook < all; webhook++) {
    const workspace_id = rows[webhook % rows.length]?.workspace_id;
    const id = randomUUID();
    await execute(db)`
        insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
        values (${id}, ${workspace_id}, 0, ${url}, '', ${[...EVENT_TYPES]}::text[], 'v1', ${vault.seal(generateSecret(), aboutSecret(id))}, 0, 0)`;
  }
}

/** Drains campaigns without and with ten webhooks, told by the same process, which is their receiver, too. */
async function costOf(cluster: Cluster, rounds: number): Promise<Row> {
  const load = { accounts: 20, groups: 1_000, campaigns: 3 };
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const speeds: Array<[alone: number, beside: number]> = [];
  for (let round = 0; round <= rounds; round++) {
    const alone = await cluster.withDatabase((database) => drainDeliveries(database, cluster.log, load));
    const beside = await cluster.withDatabase((database) => drainBeside(database, cluster.log, { load, url }));
    if (round > 0) speeds.push([alone, beside]);
    console.log(`  drain: without ${count(alone)}/s, with ${LANES} webhooks ${count(beside)}/s`);
  }
  receiver.closeAllConnections();
  receiver.close();
  const [alone = 0, beside = 0] = [0, 1].map((place) => median(speeds.map((one) => one[place] ?? 0)));
  return {
    what: `drain beside ${LANES} webhooks`,
    ours: `${count(beside)}/s`,
    yardstick: `without ${count(alone)}/s`,
    ratio: beside / alone,
    reach: '≥ 0.85',
    reached: beside / alone >= 0.85,
  };
}

async function drainBeside(
  database: EmptyDatabase,
  log: Log,
  { load, url }: { load: Parameters<typeof drainDeliveries>[2]; url: string },
): Promise<number> {
  const allowed = readAllowedHosts(['127.0.0.1']);
  if (!allowed) throw new Error('no such hosts');
  const egress = createSafeHttpClient({ allowHttp: true, allowed });
  let webhooks: ReturnType<typeof sendWebhooks> | undefined;
  try {
    return await drainDeliveries(database, log, load, async () => {
      await addWebhooks(database.db, LANES, url);
      webhooks = sendWebhooks({ db: database.db, log, egress, vault });
    });
  } finally {
    await webhooks?.stop();
    egress.close();
  }
}
