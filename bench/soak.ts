/**
 * `npm run soak`: users send campaigns without a break while the service is killed and stopped at random moments; then every
 * group is read. `--minutes` (or MINUTES, 5 unless given), `--seed` to do the same again. Exits 1 if a post was lost, came twice
 * or out of order, or is counted wrong.
 */
import { parseArgs } from 'node:util';
import { sleep } from '../src/lib/time.ts';
import { removeService } from '../test/support/service.ts';
import { countFaults, waitUntilDrained, type Findings } from './soak/count-faults.ts';
import { startDisturbed, type Disturbances, type Disturbed } from './soak/disturb.ts';
import { seededRandom } from '../test/support/random.ts';
import { askUntilAnswered, createSender, keepSending } from './soak/senders.ts';
import { count } from './support/table.ts';

const SENDERS = [
  { name: 'alice', groups: 8, pause: { minMs: 50, maxMs: 300 } },
  { name: 'bob', groups: 8, pause: { minMs: 50, maxMs: 300 } },
  { name: 'carol', groups: 40, pause: { minMs: 100, maxMs: 600 } },
  // More than go out in one turn.
  { name: 'dave', groups: 600, pause: { minMs: 500, maxMs: 2_500 } },
];

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? process.env['MINUTES'] ?? 5);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
if (!(minutes > 0 && minutes <= 24 * 60) || !Number.isSafeInteger(seed)) {
  console.error('--minutes must be a number over 0 and at most 1440, --seed a whole number.');
  process.exit(2);
}

const disturbed = await startDisturbed({ SANDBOX_SPEED: '20' });
console.log(`${minutes} min, seed ${seed}, in ${disturbed.service().folder}`);
try {
  await soak(disturbed);
} catch (error) {
  await disturbed.service().kill();
  throw error;
}

async function soak({ service, disturbances, keepDisturbing }: Disturbed): Promise<void> {
  const ask = askUntilAnswered(() => service().url);
  const senders = await Promise.all(SENDERS.map((sender) => createSender(service().url, sender)));
  const stop = new AbortController();
  const work = Promise.all([
    keepDisturbing(seededRandom(seed), stop.signal),
    ...senders.map((sender, index) => keepSending(sender, ask, seededRandom(seed + index + 1), stop.signal)),
  ]);
  await Promise.race([work, sleep(minutes * 60_000)]);
  stop.abort();
  await work;
  console.log('draining …');
  await waitUntilDrained(senders, ask);
  const findings = await countFaults(senders, ask);
  const lastExit = await service().stop();
  const uncleanStops = disturbances.uncleanStops + (lastExit === 0 ? 0 : 1);
  report(findings, disturbances, uncleanStops);
  const isGood = uncleanStops === 0 && Object.values(findings.faults).every((found) => found === 0);
  if (isGood) return removeService(service());
  console.error(`\nThe folder is kept: ${service().folder}`);
  process.exitCode = 1;
}

function report({ campaigns, posts, faults }: Findings, disturbances: Disturbances, uncleanStops: number): void {
  console.log(`\n${count(campaigns)} campaigns accepted, ${count(posts)} posts seen`);
  for (const kind of ['kill -9', 'kill -9, PostgreSQL too', 'SIGTERM'] as const)
    console.log(`  ${kind.padEnd(24)} ${disturbances[kind]}`);
  console.log(`  slowest start again      ${count(disturbances.slowestStartMs)} ms\n`);
  console.log('fault                      count');
  for (const [fault, found] of Object.entries({ ...faults, 'stops that were not clean': uncleanStops }))
    console.log(`${fault.padEnd(26)} ${found}`);
}
