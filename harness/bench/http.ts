/** How fast the edge answers, beside a server made of the same parts that does nothing. The load comes from this process. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import autocannon, { type Result } from 'autocannon';
import { signUp } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import { measureInTurn } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { count, limitRow, rateRow, type Row } from './support/table.ts';

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

export async function benchHttp({ pick, report }: Bench): Promise<void> {
  const seconds = pick(5, 2, 1);
  const rounds = { rounds: pick(5, 3, 1), warmUps: pick(WARM_UP_SECONDS, WARM_UP_SECONDS, 0) / seconds };
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ url }) => {
    await using service = await startBenchService({
      environment: { SANDBOX_SPEED: '0', DATABASE_URL: url, PREVIEW_RATE_LIMIT: '1000000' },
    });
    await using bare = await startBareFastify(url);
    const ours = await signUp(service.url, 'alice');
    // What answers is compiled bit by bit, and has far more to compile than the yardstick: each is warmed up until that is through.
    for (const { operation, body, yardstick, reach } of [PREVIEW, PROFILE]) {
      const what = `${operation.split('/')[1]}, ${CONNECTIONS} connections`;
      await report(what, async () => {
        const rateOf = async (target: Target) => (await load(target, operation, body, seconds)).requests.average;
        const found = await measureInTurn({ ours: () => rateOf(ours), bare: () => rateOf(bare) }, rounds);
        return rateRow(what, found.ours, { [yardstick]: found.bare }, reach);
      });
    }
    const what = 'get_profile at half load';
    await report(what, () => profileAtHalfLoad(ours, what, seconds));
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

async function startBareFastify(databaseUrl: string): Promise<Target & AsyncDisposable> {
  const child = spawn(process.execPath, [BARE_FASTIFY], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const target = JSON.parse(line) as Target;
  return {
    ...target,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function profileAtHalfLoad(ours: Target, what: string, seconds: number): Promise<Row> {
  await load(ours, 'user/get_profile', {}, seconds);
  const full = (await load(ours, 'user/get_profile', {}, seconds)).requests.average;
  const { latency, requests } = await load(ours, 'user/get_profile', {}, seconds, Math.round(full / 2));
  const inWords = `p50 ${latency.p50} ms, p99 ${latency.p99} ms at ${count(requests.average)}/s of ${count(full)}/s`;
  return limitRow(what, latency.p99, REACH_P99_MS, { name: 'p99 ', ours: inWords });
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
