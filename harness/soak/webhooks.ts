/**
 * `npm run soak -- webhooks`: a service tells webhooks, and a stream, what happens, while their receiver is killed, slow, wrong and back
 * again, and the service itself killed; then everyone has to have been told everything in order. `--minutes` (20 unless given),
 * `--events` in all (100000), `--endpoints` (2), `--seed`. Exits 1 if anything was lost, came out of order, or twice with another id.
 */
import { createServer } from 'node:net';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { execute, type Database } from '../../src/platform/database/statements.ts';
import { createClient } from '../../clients/typescript/client.ts';
import { sleep } from '../../src/platform/time/time.ts';
import { drawMs, pick, seededRandom } from '../../test/support/inputs/random.ts';
import { removeService, startService, type Service } from '../../test/support/service/service.ts';
import { signUp, type Client } from '../bench/support/client.ts';
import { startCluster } from '../bench/support/cluster.ts';
import { count } from '../bench/support/table.ts';
import { startReceiver, type Mood, type Receiver } from './webhooks/receiver.ts';

const WRITE_MS = 100;
const PAUSE = { minMs: 3_000, maxMs: 9_000 };
/** The second try is made after 5 s, the third after 5 minutes: that is for who is away for long. */
const HARM = { minMs: 500, maxMs: 8_000 };
const POLL_MS = 500;
/** After all harm; a claim of a service that was killed ends after a minute. */
const CATCH_UP_MS = 10 * 60_000;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    events: { type: 'string', default: '100000' },
    endpoints: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e6)) },
  },
});
const [minutes, events, endpoints, seed] = [values.minutes, values.events, values.endpoints, values.seed].map(Number);
if (!minutes || !events || !endpoints || seed === undefined || !(endpoints <= 20) || !Number.isSafeInteger(seed)) {
  console.error('--minutes and --events must be numbers over 0, --endpoints at most 20, --seed a whole number.');
  process.exit(2);
}

const startedAt = performance.now();
const say = (what: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
const random = seededRandom(seed);
const harms = new Map<string, number>();

await using cluster = await startCluster();
await cluster.withDatabase(({ url, db }) => soak(url, db, { minutes, events, endpoints }));

async function soak(
  databaseUrl: string,
  db: Database,
  plan: { minutes: number; events: number; endpoints: number },
): Promise<void> {
  const receiver = await startReceiver(plan.endpoints, random);
  const environment = {
    DATABASE_URL: databaseUrl,
    PORT: String(await freePort()),
    ALLOW_HTTP_WEBHOOKS: 'true',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  };
  let service = await startService({ environment });
  try {
    const alice = await signUp(service.url, 'alice');
    const webhooks = await Promise.all(
      Array.from({ length: plan.endpoints }, (_, endpoint) =>
        alice.call<{ webhook_id: string }>('venom/create-webhook', {
          url: receiver.url(endpoint),
          events: ['run.completed'],
        }),
      ),
    );
    const stream = await follow(alice);
    const endsAt = performance.now() + plan.minutes * 60_000;
    const writing = write(db, plan.events, plan.minutes * 60_000);
    say(`${count(plan.events)} events, ${plan.endpoints} endpoints, ${plan.minutes} min, seed ${seed}`);
    while (performance.now() < endsAt) {
      service = await harm(receiver, service, environment);
      await sleep(Math.min(drawMs(random, PAUSE), Math.max(0, endsAt - performance.now())));
    }
    await writing;
    say('harm ends');
    const catchUpMs = await waitForAll(receiver, alice, { webhooks, events: plan.events, numbers: stream.numbers });
    stream.leave();
    report(receiver, { events: plan.events, numbers: stream.numbers, catchUpMs });
  } finally {
    await service.stop();
    await removeService(service);
    await receiver.close();
  }
}

/** The receiver in a bad mood for a while, or the service killed in the middle of its work. */
async function harm(receiver: Receiver, service: Service, environment: Record<string, string>): Promise<Service> {
  const kind = pick(random, ['receiver killed', 'receiver slow', 'receiver wrong', 'service kill -9'] as const);
  harms.set(kind, (harms.get(kind) ?? 0) + 1);
  if (kind === 'service kill -9') {
    await service.kill();
    return startService({ environment, folder: service.folder });
  }
  await receiver.become(kind.slice('receiver '.length) as Mood);
  await sleep(drawMs(random, HARM));
  await receiver.become('well');
  return service;
}

/** Writes events at an even pace, numbered from 1 in the order in which they happen; some are committed late. */
async function write(db: Database, all: number, ms: number): Promise<void> {
  const begunAt = performance.now();
  for (let written = 0; written < all;) {
    const upTo = Math.min(all, Math.ceil((all * (performance.now() - begunAt)) / ms));
    const pauseMs = random() < 0.1 ? 50 : 0;
    if (upTo > written)
      await db.transaction().execute(async (trx) => {
        await execute(trx)`
          insert into events (workspace_id, type, data)
          select w.workspace_id, 'run.completed', jsonb_build_object('n', n)
          from (select min(workspace_id) as workspace_id from workspaces) w, generate_series(${written + 1}::int, ${upTo}::int) n order by n`;
        if (pauseMs > 0) await sleep(pauseMs);
      });
    written = upTo;
    await sleep(WRITE_MS);
  }
}

/** A stream that is followed by the client through everything. */
async function follow({ url, token }: Client): Promise<{ numbers: number[]; leave(): void }> {
  const numbers: number[] = [];
  const leaving = new AbortController();
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  const followed = (async () => {
    for await (const one of createClient({ url, token }).events({ signal: leaving.signal })) {
      if (one.event === 'message') numbers.push((one.data.data as unknown as { n: number }).n);
      if (one.event === 'expired') throw new Error('the stream has lost its place');
      if (one.event === 'account') resolve();
    }
  })();
  followed.catch((error: unknown) => {
    if (leaving.signal.aborted) return;
    console.error(error);
    process.exitCode = 1;
  });
  await listening;
  return { numbers, leave: () => leaving.abort() };
}

/** As an owner would: a test has what failed for long tried at once. Resolves to how long it took. */
async function waitForAll(
  receiver: Receiver,
  alice: Client,
  {
    webhooks,
    events,
    numbers,
  }: { webhooks: ReadonlyArray<{ webhook_id: string }>; events: number; numbers: readonly number[] },
): Promise<number> {
  const begunAt = performance.now();
  for (const { webhook_id } of webhooks) await alice.call('venom/test-webhook', { webhook_id });
  const isAll = () => numbers.length >= events && receiver.verdicts().every(({ taken }) => taken >= events);
  while (!isAll() && performance.now() - begunAt < CATCH_UP_MS) await sleep(POLL_MS);
  return performance.now() - begunAt;
}

function report(
  receiver: Receiver,
  { events, numbers, catchUpMs }: { events: number; numbers: readonly number[]; catchUpMs: number },
): void {
  for (const [kind, times] of harms) console.log(`${kind.padEnd(40)} ${times}`);
  console.log(`told everything after                    ${(catchUpMs / 1_000).toFixed(0)} s\n`);
  console.log('endpoint   taken  lost  out of order  twice, same id  twice, other id');
  for (const [endpoint, { taken, doubles, tooEarly, otherIds }] of receiver.verdicts().entries()) {
    const lost = events - taken;
    console.log(
      `${String(endpoint).padStart(8)} ${count(taken).padStart(7)} ${String(lost).padStart(5)} ${String(tooEarly).padStart(13)} ${String(doubles).padStart(15)} ${String(otherIds).padStart(16)}`,
    );
    if (lost > 0 || tooEarly > 0 || otherIds > 0) process.exitCode = 1;
  }
  const wrong = numbers.filter((n, index) => n !== index + 1).length;
  console.log(`\nthe stream: ${count(numbers.length)} told, ${wrong} of them lost, twice or out of order`);
  if (wrong > 0 || numbers.length !== events) process.exitCode = 1;
  console.log(`\nthe same harm again: npm run soak -- webhooks --minutes ${minutes} --events ${events} --seed ${seed}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
