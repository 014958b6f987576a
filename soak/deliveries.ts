/**
 * `npm run soak`: users send campaigns without a break while every process but the messaging application is killed, stopped, frozen and
 * cut off, and one account is logged out. Then compares the application's log with the accepted campaigns. `--minutes` (5 unless given); `--seed` repeats the faults of a
 * run. After that, once per five minutes, restores a ledger from an earlier copy, or starts its copy beside it. Exits 1 if anything was
 * lost, came twice, out of order or too fast, or was counted wrong.
 */
import { parseArgs } from 'node:util';
import { putBack } from './deliveries/put-back.ts';
import { runSoak, type SoakFindings } from './deliveries/run-soak.ts';
import { count } from '../bench/support/table.ts';

const SENDERS = [
  { name: 'alice', groups: 12, paced: true },
  { name: 'bob', groups: 40, paced: true },
  { name: 'carol', groups: 40, paced: false, hasSecond: true },
  { name: 'dave', groups: 150, paced: false },
];
const BEHAVIOUR = {
  delayMs: [0, 15],
  refuse: 0.01,
  refuseForGood: 0.003,
  loseAck: 0.003,
  vanish: 0.003,
  breakOff: 0.002,
  receiptMs: 15_000,
} as const;

const MINUTES_PER_PUT_BACK = 5;

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? 5);
const seed = Number(values.seed ?? Math.floor(Math.random() * 1e6));
if (!(minutes > 0 && minutes <= 24 * 60) || !Number.isSafeInteger(seed)) {
  console.error('--minutes must be a number over 0 and at most 1440, --seed a whole number.');
  process.exit(2);
}

const startedAt = performance.now();
const say = (what: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
say(`${minutes} min, seed ${seed}`);
const findings = await runSoak({
  seed,
  ms: minutes * 60_000,
  senders: SENDERS,
  pause: { minMs: 400, maxMs: 2_600 },
  behaviour: BEHAVIOUR,
  settings: { fsync: 'on' },
  say,
});
report(findings);
if (Object.values(findings.faults).some((found) => found > 0)) process.exitCode = 1;
await putBackTimes(Math.ceil(minutes / MINUTES_PER_PUT_BACK));
console.log(`\nthe same faults again: npm run soak -- --minutes ${minutes} --seed ${seed}`);

async function putBackTimes(times: number): Promise<void> {
  console.log('\nledger put back, or copied           seed  must be zero');
  for (let own = seed; own < seed + times; own++) {
    const faults = await putBack(own);
    const found = Object.entries(faults).filter(([, times]) => times !== 0);
    console.log(
      `${' '.repeat(36)} ${own}  ${found.map(([fault, times]) => `${fault} ${times}`).join(', ') || 'nothing'}`,
    );
    if (found.length > 0) process.exitCode = 1;
  }
}

function report({ campaigns, verdicts, survived, handedOver, failedStarts, faults, details }: SoakFindings): void {
  const { accepted, copies, refusedForGood: rejectedForGood } = verdicts;
  console.log(
    `\n${count(campaigns)} campaigns, ${count(accepted)} posts accepted, ${count(rejectedForGood)} refused for good`,
  );
  console.log(`${count(handedOver)} deliveries handed over from the account that was logged out`);
  console.log(`${count(copies)} repeats dropped, ${count(failedStarts)} starts tried again\n`);
  console.log('survived                                 count');
  const kinds = [...survived].toSorted(([one], [other]) => one.localeCompare(other));
  for (const [kind, times] of kinds) console.log(`${kind.padEnd(40)} ${times}`);
  const kills = kinds.filter(([kind]) => kind.includes('kill -9')).reduce((sum, [, times]) => sum + times, 0);
  console.log(`${'kills in all'.padEnd(40)} ${kills}\n`);
  console.log('must be zero                             count');
  for (const [fault, found] of Object.entries(faults)) console.log(`${fault.padEnd(40)} ${found}`);
  for (const detail of details.slice(0, 20)) console.log(`  ${detail}`);
}
