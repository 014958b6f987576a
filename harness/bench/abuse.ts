/**
 * The cost of an abusive client to everybody else: the latency of another user's small request relative to idle moments of the same run,
 * the number of rejected requests, readiness, the duration of a campaign, and memory.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { readRows, type Database } from '../../src/platform/database/statements.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { PNG } from '../../test/support/inputs/sample-files.ts';
import type { Service } from '../../test/support/service/service.ts';
import { WORST_HTML } from '../../test/support/inputs/worst-html.ts';
import { benchSlowWebhooks } from './slow-webhooks.ts';
import { listGroupIds, signUp, type Client } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import { memoryMb } from './support/memory.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { count, median, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const REACH = 2;
const REACH_ANALYTICS = 1.1;
const REACH_MORE_MB = 250;
const PAUSE_MS = 20;
const FILE_BYTES = 16 * 1024 * 1024 - 1_024;

interface Attack {
  what: string;
  /** The limit for other users' latency, as a multiple of idle. */
  reach: number;
  /** Goes on until `signal` is aborted. */
  run(signal: AbortSignal): Promise<unknown>;
}

/** The victim works for `seconds` beside each attack, and the service is left alone for `restMs` afterwards. */
const FULL = { seconds: 15, restMs: 2_000, strangers: 700, deaf: 72, groups: 10_000 };
type Scale = typeof FULL;
const SMALLEST: Scale = { seconds: 0.3, restMs: 50, strangers: 5, deaf: 5, groups: 100 };

export async function benchAbuse(bench: Bench): Promise<void> {
  if (process.platform !== 'linux') return;
  const scale = bench.pick(FULL, { ...FULL, seconds: 5, groups: 1_000 }, SMALLEST);
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ url, db }) => {
    await using service = await startBenchService({
      environment: {
        SANDBOX_SPEED: '0',
        DATABASE_URL: url,
        ALLOW_HTTP_WEBHOOKS: 'true',
        WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      },
    });
    const victim = await signUp(service.url, 'victim');
    const culprit = await signUp(service.url, 'culprit');
    const attacks = await prepareAttacks(db, service, culprit, scale);
    await feel(service, victim, scale.seconds);
    for (const attack of attacks)
      await bench.report(`beside ${attack.what}`, () => beside(attack, { service, victim, scale }));
    await bench.report('beside slow webhooks', () => benchSlowWebhooks(service.url, bench));
  });
}

async function prepareAttacks(
  db: Database,
  { url }: Service,
  culprit: Client,
  { strangers, deaf, groups }: Scale,
): Promise<Attack[]> {
  const sha256 = await sendFile(culprit);
  const campaignId = await sendLargest(db, culprit, groups);
  const html = (WORST_HTML['marks that open again in each paragraph'] ?? String)(16 * 1_024);
  const again = (times: number, operation: string, body: object) => (signal: AbortSignal) =>
    Promise.all(Array.from({ length: times }, () => repeat(signal, () => culprit.call(operation, body))));
  return [
    {
      what: `${strangers} connections that sign in`,
      reach: REACH,
      run: (signal) => sendFromNewAddresses(url, strangers, signal),
    },
    {
      what: `${deaf} connections that fetch 16 MiB and read nothing`,
      reach: REACH,
      run: (signal) => holdDeaf(url, culprit, { sha256, deaf }, signal),
    },
    {
      what: '25 MB of escapes, two at a time',
      reach: REACH,
      run: (signal) => sendEscapes(url, culprit, signal),
    },
    { what: 'html of 16 KiB, four at a time', reach: REACH, run: again(4, 'venom/preview-campaign', { html }) },
    {
      what: `analytics of ${count(groups)} groups, four at a time`,
      reach: REACH_ANALYTICS,
      run: again(4, 'analytics/get-campaign-group-analytics-master', { campaign_id: campaignId }),
    },
  ];
}

async function sendFile(culprit: Client): Promise<string> {
  const file = Buffer.concat([PNG, randomBytes(FILE_BYTES)]);
  const groupIds = await listGroupIds(culprit);
  const body = { name: 'Large', html: 'Hello', group_metadata_ids: groupIds.slice(0, 1) };
  await culprit.call('venom/add-campaign', { ...body, image: file.toString('base64') });
  return createHash('sha256').update(file).digest('hex');
}

/** Gives the culprit so many groups more, and sends to them. Resolves when all of it has been sent. */
async function sendLargest(db: Database, culprit: Client, groups: number): Promise<string> {
  const rows = await readRows<{ group_id: number }>(db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select distinct on (n) g.workspace_id, n || '@bench', g.send_to, 'group', 'Group ' || n, 3, true
    from groups g join accounts a using (workspace_id) join memberships m using (workspace_id) join users u using (user_id),
         generate_series(1, ${groups}::int) n
    where u.user_name = ${culprit.name} and g.kind = 'group' returning group_id`;
  const ids = rows.map((row) => row.group_id);
  return sendAndWait(culprit, ids);
}

/** Resolves to the id of a campaign that has ended. */
async function sendAndWait(client: Client, groupIds: readonly number[]): Promise<string> {
  const body = { name: 'Hello', html: 'Hello', group_metadata_ids: groupIds };
  const { campaign_id } = await client.call<{ campaign_id: string }>('venom/add-campaign', body);
  const isDone = async () =>
    (await client.call<{ status: string }>('venom/get-campaign', { campaign_id })).status.startsWith('completed');
  await until('a campaign', isDone, { pauseMs: PAUSE_MS });
  return campaign_id;
}

/** Whatever comes of it: who misbehaves does not care. */
async function repeat(signal: AbortSignal, work: () => Promise<unknown>): Promise<void> {
  while (!signal.aborted) await Promise.allSettled([work()]);
}

/** JSON that takes long to parse, from a thread of its own. */
async function sendEscapes(url: string, { headers }: Client, signal: AbortSignal): Promise<void> {
  const thread = new Worker(new URL('support/flood.ts', import.meta.url));
  const body = `{"image":"${'\\n'.repeat(12_500_000)}"}`;
  const request = { headers: { ...headers, 'content-type': 'application/json' }, body };
  thread.postMessage({ url: `${url}/api/v1/venom/check-campaign`, requests: [request], inFlight: 2, isSlow: false });
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await thread.terminate();
}

/** In a thread of their own, so that they hold up nobody on this side. */
async function sendFromNewAddresses(url: string, strangers: number, signal: AbortSignal): Promise<void> {
  const thread = new Worker(new URL('support/strangers.ts', import.meta.url), {
    workerData: { url, strangers },
  });
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await thread.terminate();
}

/** Connections that are closed are made anew. */
async function holdDeaf(
  url: string,
  { token }: Client,
  { sha256, deaf }: { sha256: string; deaf: number },
  signal: AbortSignal,
): Promise<void> {
  const body = JSON.stringify({ sha256 });
  const head = `POST /api/v1/venom/get-media HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}`;
  const sockets = new Set<Socket>();
  const open = () => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').pause();
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => {
      sockets.delete(socket);
      if (!signal.aborted) open();
    });
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
  };
  for (let index = 0; index < deaf; index++) open();
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  for (const socket of sockets) socket.destroy();
}

/** The service as a well-behaved user experiences it for a number of seconds. */
interface Felt {
  p50Ms: number;
  asked: number;
  refused: number;
  isReady: boolean;
}

async function feel({ url }: Service, victim: Client, seconds: number): Promise<Felt> {
  const times: number[] = [];
  let refused = 0;
  let isReady = true;
  const endsAt = performance.now() + seconds * 1_000;
  for (let asked = 0; performance.now() < endsAt; asked++) {
    const startedAt = performance.now();
    await victim.call('user/get_profile').catch(() => (refused += 1));
    times.push(performance.now() - startedAt);
    if (asked % 50 === 0) isReady &&= (await fetch(`${url}/health/ready`)).ok;
    await sleep(PAUSE_MS);
  }
  return { p50Ms: median(times), asked: times.length, refused, isReady };
}

/** Idle before and after, since the machine may be another from one minute to the next. */
async function beside(
  { what, reach, run }: Attack,
  { service, victim, scale: { seconds, restMs } }: { service: Service; victim: Client; scale: Scale },
): Promise<Row> {
  const before = await feel(service, victim, seconds / 3);
  const [idleMb, groupIds] = [await memoryMb(service, 'VmRSS'), await listGroupIds(victim)];
  const over = new AbortController();
  const attack = run(over.signal);
  await sleep(restMs / 2);
  const felt = await feel(service, victim, seconds);
  const startedAt = performance.now();
  const sent = await Promise.race([
    sendAndWait(victim, groupIds).then(() => `sent in ${Math.round(performance.now() - startedAt)} ms`),
    sleep(30_000).then(() => 'NOT SENT'),
  ]).catch(() => 'campaign refused');
  const moreMb = (await memoryMb(service, 'VmRSS')) - idleMb;
  over.abort();
  await attack;
  await sleep(restMs);
  const after = await feel(service, victim, seconds / 3);
  const idleMs = (before.p50Ms + after.p50Ms) / 2;
  const ratio = felt.p50Ms / idleMs;
  const told = `${felt.p50Ms.toFixed(1)} ms, ${felt.refused} of ${felt.asked} refused, ${felt.isReady ? 'ready' : 'NOT READY'}, ${sent}, ${moreMb} MB more`;
  console.log(`  ${what}: ${told}`);
  return {
    what: `beside ${what}`,
    ours: told,
    yardstick: `idle ${idleMs.toFixed(1)} ms`,
    ratio,
    reach: `≤ ${reach}×, none refused, ≤ ${REACH_MORE_MB} MB more`,
    reached: ratio <= reach && felt.refused === 0 && felt.isReady && moreMb <= REACH_MORE_MB,
  };
}
