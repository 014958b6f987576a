/** Compares the delivery of all events to ten webhooks in order with queue libraries, and measures its cost to senders. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { execute, readRows, type Database } from '../../src/platform/database/statements.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';
import { createSafeHttpClient, type Egress } from '../../src/platform/http-client/safe-http-client.ts';
import { EVENT_TYPES } from '../../src/workspaces/events/event-types.ts';
import type { Log } from '../../src/platform/log/log.ts';
import { createVault } from '../../src/platform/secrets/secret-box.ts';
import { sendWebhooks } from '../../src/notifications/webhooks/send-webhooks.ts';
import { generateSecret } from '../../src/notifications/webhooks/sign.ts';
import { aboutSecret } from '../../src/notifications/webhooks/webhook-store.ts';
import { createOwner } from '../../test/support/ledger.ts';
import { startCluster, type Cluster, type EmptyDatabase } from './support/cluster.ts';
import { drainDeliveries, type Load } from './support/deliveries.ts';
import { measureInTurn } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { rateRow, type Row } from './support/table.ts';
import { until } from './support/until.ts';
import { deliverByGraphile, deliverByPgBoss, type Lanes } from './yardsticks/serial-queues.ts';
import type { WorkspaceId } from '../../src/platform/database/schema.ts';

const LANES = 10;
const vault = createVault({ key: Buffer.alloc(32, 1) });

export async function benchWebhooks({ pick, report }: Bench): Promise<void> {
  await using cluster = await startCluster();
  const lanes = { lanes: LANES, messages: pick(10_000, 2_000, 10) };
  const load = { accounts: pick(20, 20, 2), groups: pick(1_000, 1_000, 10), campaigns: pick(3, 3, 1) };
  await report(`${LANES} webhooks told in order`, () => compare(cluster, lanes, pick(3, 2, 1)));
  await report(`drain beside ${LANES} webhooks`, () => costOf(cluster, load, pick(5, 3, 1)));
}

/** Nothing is sent: measures the queue and its bookkeeping. */
async function compare(cluster: Cluster, lanes: Lanes, rounds: number): Promise<Row> {
  const { ours, ...others } = await measureInTurn(
    {
      ours: () => cluster.withDatabase((database) => deliverByLanes(database, cluster.log, lanes)),
      'pg-boss': () => cluster.withDatabase((database) => deliverByPgBoss(database, lanes)),
      'graphile-worker': () => cluster.withDatabase((database) => deliverByGraphile(database, lanes)),
    },
    { rounds, warmUps: 0 },
  );
  return rateRow(`${LANES} webhooks told in order`, ours, others, 1);
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
  await using stack = new AsyncDisposableStack();
  const webhooks = sendWebhooks({ db, log, egress, vault });
  stack.defer(() => webhooks.stop());
  await until('webhooks', async () => {
    const rows = await readRows(db)`select from webhooks where position < newest or newest = 0 limit 1`;
    return rows.length === 0 && told >= lanes * messages;
  });
  return (lanes * messages) / ((performance.now() - startedAt) / 1_000);
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
async function costOf(cluster: Cluster, load: Load, rounds: number): Promise<Row> {
  const receiver = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(204).end());
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  try {
    const { without, beside } = await measureInTurn(
      {
        without: () => cluster.withDatabase((database) => drainDeliveries(database, cluster.log, load)),
        beside: () => cluster.withDatabase((database) => drainBeside(database, cluster.log, { load, url })),
      },
      { rounds },
    );
    return rateRow(`drain beside ${LANES} webhooks`, beside, { without }, 0.85);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

async function drainBeside(
  database: EmptyDatabase,
  log: Log,
  { load, url }: { load: Load; url: string },
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
