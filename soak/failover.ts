/**
 * `npm run soak -- failover`: users send campaigns without a break while the leader of three PostgreSQL 15 under Patroni is killed, frozen
 * and cut off. `--times`: how often (20 unless given); `--seed` repeats the faults of a run. Then compares the messaging application's log
 * with the accepted campaigns, and prints the time until sending resumed. Exits 1 if anything was lost, came twice, out of order or too
 * fast, or was counted wrong; 3 if Patroni is not installed.
 */
import { writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPatroni, startPatroni } from '../test/support/servers/patroni.ts';
import { runFailovers, type Failover } from './deliveries/failovers.ts';
import { count, median } from '../bench/support/table.ts';

const SENDERS = [
  { name: 'alice', groups: 12, paced: true },
  { name: 'bob', groups: 40, paced: true },
  { name: 'carol', groups: 60, paced: false },
  { name: 'dave', groups: 150, paced: false },
];
const BEHAVIOUR = {
  delayMs: [0, 15],
  refuse: 0.01,
  refuseForGood: 0.003,
  loseAck: 0.003,
  vanish: 0.003,
  receiptMs: 15_000,
} as const;

const { values } = parseArgs({ options: { times: { type: 'string' }, seed: { type: 'string' } } });
const times = Number(values.times ?? 20);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
if (!(Number.isSafeInteger(times) && times >= 1 && times <= 1_000) || !Number.isSafeInteger(seed)) {
  console.error('--times must be a whole number from 1 to 1000, --seed a whole number.');
  process.exit(2);
}
if (!hasPatroni) {
  console.error('It needs Patroni: apt-get install patroni etcd-server haproxy postgresql-15');
  process.exit(3);
}

const startedAt = performance.now();
const say = (what: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${what}; load ${load()}`);
say(`${times} times, seed ${seed}`);
const patroni = await startPatroni();
try {
  const found = await runFailovers(patroni, { seed, times, senders: SENDERS, behaviour: BEHAVIOUR, say });
  const { accepted, copies, refusedForGood } = found.verdicts;
  console.log(
    `\n${count(found.campaigns)} campaigns, ${count(accepted)} posts accepted, ${count(refusedForGood)} refused for good`,
  );
  console.log(`${count(copies)} repeats dropped\n`);
  printTimes(found.failovers);
  console.log('\nmust be zero                             count');
  for (const [fault, number] of Object.entries(found.faults)) console.log(`${fault.padEnd(40)} ${number}`);
  for (const detail of found.details.slice(0, 20)) console.log(`  ${detail}`);
  if (Object.values(found.faults).some((number) => number > 0)) process.exitCode = 1;
} catch (error) {
  const file = join(tmpdir(), `campanile-failover-${process.pid}.log`);
  await writeFile(file, patroni.log());
  console.error(`what the members said is in ${file}`);
  throw error;
} finally {
  await patroni.stop();
}
console.log(`\nthe same again: npm run soak -- failover --times ${times} --seed ${seed}`);

function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

function printTimes(failovers: readonly Failover[]): void {
  console.log('seconds from the harm until           times    min  median    p90    max');
  const measures = [
    ['another leader', 'leaderMs'],
    ['a campaign is accepted', 'acceptedMs'],
    ['its post leaves', 'postMs'],
    ['three members', 'wholeMs'],
  ] as const;
  for (const [what, key] of measures)
    for (const how of ['killed', 'frozen', 'cut off', undefined]) {
      const own = failovers.filter((one) => how === undefined || one.how === how);
      const line = formatSpread(own.map((one) => one[key] / 1_000));
      console.log(`${`${what}, ${how ?? 'all'}`.padEnd(36)} ${String(own.length).padStart(6)} ${line}`);
    }
}

function formatSpread(values: readonly number[]): string {
  if (values.length === 0) return '';
  const sorted = values.toSorted((one, other) => one - other);
  const p90 = sorted[Math.ceil(sorted.length * 0.9) - 1] ?? Number.NaN;
  const spread = [sorted[0] ?? Number.NaN, median(sorted), p90, sorted.at(-1) ?? Number.NaN];
  return spread.map((value) => value.toFixed(1).padStart(6)).join(' ');
}
