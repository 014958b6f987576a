/** The delay of one workspace's webhook while other workspaces' endpoints take 14 s to answer, relative to idle moments of the same run. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sleep } from '../../src/platform/time/time.ts';
import { signUp, type Client } from './support/client.ts';
import type { Bench } from './support/run-benches.ts';
import { median, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const GIVEN_UP_MS = 240_000;
const TOLD_PATIENCE_MS = 600_000;
const REACH = 2;

interface Receiver {
  url: string;
  /** Resolves when a message comes to `/fast`. */
  next(): Promise<void>;
  close(): void;
}

/** The service at `url` has to send webhooks to `http://127.0.0.1`. */
export async function benchSlowWebhooks(url: string, { pick }: Bench): Promise<Row> {
  const samples = pick(20, 8, 2);
  const culpritsWanted = pick(10, 10, 2);
  const endpoints = pick(20, 20, 2);
  // Below the 15 s after which an answer is given up.
  const receiver = await startReceiver(pick(14_000, 14_000, 300));
  try {
    const bystander = await signUp(url, 'hooked');
    const [fast = ''] = await createWebhooks(bystander, 1, `${receiver.url}/fast`);
    const measure = () => measureLatencies(bystander, { webhookId: fast, receiver, samples });
    await measure();
    const idle = await measure();
    const culprits = await Promise.all(
      Array.from({ length: culpritsWanted }, async (_, index) => {
        const culprit = await signUp(url, `slow${index}`);
        return { culprit, webhookIds: await createWebhooks(culprit, endpoints, `${receiver.url}/slow`) };
      }),
    );
    // The first time nobody knows that they are slow.
    const rounds: number[][] = [];
    for (let round = 0; round < 2; round++) {
      await Promise.all(culprits.map((one) => sendTests(one.culprit, one.webhookIds)));
      rounds.push(await measure());
      if (round === 0) await waitUntilTold(culprits);
    }
    return compare(`another workspace's webhook beside ${culpritsWanted} × ${endpoints} slow ones`, idle, rounds);
  } finally {
    receiver.close();
  }
}

function compare(what: string, idle: readonly number[], rounds: ReadonlyArray<readonly number[]>): Row {
  const idleMs = median(idle);
  const worstMs = Math.max(...rounds.map((latencies) => median(latencies)));
  const told = rounds
    .map((one) => `p50 ${seconds(median(one))} s, longest ${seconds(Math.max(...one))} s`)
    .join('; then ');
  const ratio = worstMs / idleMs;
  return {
    what,
    ours: told,
    yardstick: `idle p50 ${seconds(idleMs)} s, longest ${seconds(Math.max(...idle))} s`,
    ratio,
    reach: `≤ ${REACH}×`,
    reached: ratio <= REACH,
  };
}

async function startReceiver(answerMs: number): Promise<Receiver> {
  let arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === '/slow') return void setTimeout(() => response.writeHead(204).end(), answerMs);
      response.writeHead(204).end();
      arrived.resolve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    next: () => (arrived = Promise.withResolvers<void>()).promise,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function createWebhooks(client: Client, webhooks: number, url: string): Promise<string[]> {
  const ids: string[] = [];
  for (let webhook = 0; webhook < webhooks; webhook++)
    ids.push((await client.call<{ webhook_id: string }>('venom/create-webhook', { url })).webhook_id);
  return ids;
}

async function sendTests(client: Client, webhookIds: readonly string[]): Promise<void> {
  for (const webhook_id of webhookIds) await client.call('venom/test-webhook', { webhook_id });
}

/** In milliseconds, at random moments of the service's loop. Ends early at a message that takes minutes. */
async function measureLatencies(
  client: Client,
  { webhookId, receiver, samples }: { webhookId: string; receiver: Receiver; samples: number },
): Promise<number[]> {
  const latencies: number[] = [];
  while (latencies.length < samples && (latencies.at(-1) ?? 0) < GIVEN_UP_MS / 10) {
    await sleep(Math.random() * 500);
    const arrival = receiver.next();
    const startedAt = performance.now();
    await sendTests(client, [webhookId]);
    await Promise.race([arrival, sleep(GIVEN_UP_MS)]);
    latencies.push(performance.now() - startedAt);
  }
  return latencies;
}

async function waitUntilTold(culprits: ReadonlyArray<{ culprit: Client }>): Promise<void> {
  for (const { culprit } of culprits) {
    const isTold = async () => {
      const { webhooks } = await culprit.call<{ webhooks: Array<{ is_behind: boolean }> }>('venom/list-webhooks');
      return webhooks.every((webhook) => !webhook.is_behind);
    };
    await until('the slow webhooks', isTold, { patienceMs: TOLD_PATIENCE_MS, pauseMs: 1_000 });
  }
}

const seconds = (ms: number) => (ms / 1_000).toFixed(2);
