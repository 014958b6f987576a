/** How fast the edge answers, beside a server made of the same parts that does nothing. The load comes from this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import autocannon, { type Result } from 'autocannon';
import { removeService, startService } from '../test/support/service/service.ts';
import { signUp } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import { count, median, type Row } from './support/table.ts';

const CONNECTIONS = 50;
const WARM_UP_SECONDS = 10;
/** The rated load comes in bursts, each connection's share of a second at once: with few of them no longer than a queue of ten. */
const RATED_CONNECTIONS = 10;
const REACH_P99_MS = 10;
const BARE_FASTIFY = join(import.meta.dirname, 'yardsticks/bare-fastify.ts');

interface Target {
  url: string;
  token: string;
}

export async function benchHttp({ quick }: { quick: boolean }): Promise<Row[]> {
  const seconds = quick ? 2 : 5;
  const rounds = quick ? 3 : 5;
  await using undo = new AsyncDisposableStack();
  const cluster = await startCluster();
  undo.defer(cluster.stop);
  return await cluster.withDatabase(async ({ url }) => {
    await using started = new AsyncDisposableStack();
    const service = await startService({
      environment: { SANDBOX_SPEED: '0', DATABASE_URL: url, PREVIEW_RATE_LIMIT: '1000000' },
    });
    started.defer(() => removeService(service));
    started.defer(async () => void (await service.stop()));
    const bare = await startBareFastify(url);
    started.defer(async () => void (await bare.stop()));
    const ours = await signUp(service.url, 'alice');
    const compare = (compared: Compared) => compareRates(ours, bare, { ...compared, seconds, rounds });
    return [await compare(PREVIEW), await compare(PROFILE), await profileAtHalfLoad(ours, seconds)];
  });
}

interface Compared {
  operation: string;
  body: object;
  yardstick: string;
  reach: number;
}

const PREVIEW: Compared = {
  operation: 'venom/preview-campaign',
  body: { html: '<p>Hello <b>you</b></p>' },
  yardstick: 'bare Fastify',
  reach: 0.75,
};
const PROFILE: Compared = { operation: 'user/get_profile', body: {}, yardstick: 'Fastify + pg', reach: 0.7 };

async function startBareFastify(databaseUrl: string): Promise<Target & { stop(): Promise<unknown> }> {
  const child = spawn(process.execPath, [BARE_FASTIFY], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const target = JSON.parse(line) as Target;
  return {
    ...target,
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** What answers is compiled bit by bit, and has far more to compile than the yardstick: each is warmed up until that is through. */
async function compareRates(
  ours: Target,
  bare: Target,
  { operation, body, yardstick, reach, seconds, rounds }: Compared & { seconds: number; rounds: number },
): Promise<Row> {
  const rateOf = async (target: Target) => (await load(target, operation, body, seconds)).requests.average;
  for (let warm = 0; warm < WARM_UP_SECONDS; warm += seconds) {
    await rateOf(ours);
    await rateOf(bare);
  }
  const oursPerS: number[] = [];
  const barePerS: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    oursPerS.push(await rateOf(ours));
    barePerS.push(await rateOf(bare));
    console.log(`  round ${round}: ours ${count(oursPerS.at(-1) ?? 0)}/s, bare ${count(barePerS.at(-1) ?? 0)}/s`);
  }
  const [mine, theirs] = [median(oursPerS), median(barePerS)];
  const ratio = mine / theirs;
  return {
    what: `${operation.split('/')[1]}, ${CONNECTIONS} connections`,
    ours: `${count(mine)}/s`,
    yardstick: `${yardstick} ${count(theirs)}/s`,
    ratio,
    reach: `≥ ${reach}`,
    reached: ratio >= reach,
  };
}

async function profileAtHalfLoad(ours: Target, seconds: number): Promise<Row> {
  await load(ours, 'user/get_profile', {}, seconds);
  const full = (await load(ours, 'user/get_profile', {}, seconds)).requests.average;
  const { latency, requests } = await load(ours, 'user/get_profile', {}, seconds, Math.round(full / 2));
  return {
    what: `get_profile, ${count(requests.average)}/s of ${count(full)}/s`,
    ours: `p50 ${latency.p50} ms, p99 ${latency.p99} ms`,
    yardstick: 'the clock',
    reach: `p99 ≤ ${REACH_P99_MS} ms`,
    reached: latency.p99 <= REACH_P99_MS,
  };
}

/** At full load, or at so many requests per second. Throws when anything but 200 comes back: it would be no measure. */
async function load(target: Target, operation: string, body: object, seconds: number, perS?: number): Promise<Result> {
  const result = await autocannon({
    url: `${target.url}/api/v1/${operation}`,
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${target.token}` },
    body: JSON.stringify(body),
    duration: seconds,
    connections: perS === undefined ? CONNECTIONS : RATED_CONNECTIONS,
    ...(perS === undefined ? {} : { overallRate: perS }),
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${operation}: ${result.non2xx} refusals, ${result.errors} errors`);
  return result;
}
