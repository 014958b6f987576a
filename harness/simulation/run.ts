/** `npm run simulate`: see docs/explanation/reliability.md, "The simulation". */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { parseArgs } from 'node:util';
import { openChildren } from './children.ts';
import { checkHistory } from './check-history.ts';
import type { Line } from './line.ts';
import { MUTATIONS, type Mutation } from './mutations.ts';
import { startServer } from './server.ts';
import { shrink } from './shrink.ts';
import { tryMutation } from './run-mutations.ts';
import { tryCrashPoints } from './run-crash-points.ts';
import type { Report } from './child.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    steps: { type: 'string', default: '500' },
    only: { type: 'string' },
    check: { type: 'string' },
    out: { type: 'string', default: join(tmpdir(), 'campanile-simulation') },
    processes: { type: 'string', default: '2' },
    /** Tells the hash of each, to compare two runs. */
    hashes: { type: 'boolean', default: false },
    'crash-points': { type: 'boolean', default: false },
    /** Of the crash points, each of so many. */
    every: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1,2' },
    mutations: { type: 'boolean', default: false },
    /** Runs the mutations with this text in their name, also those that a test finds. */
    named: { type: 'string', default: '' },
    shrink: { type: 'boolean', default: false },
  },
});

const steps = Number(values.steps);
const write = (text: string) => void process.stdout.write(`${text}\n`);

function checkFile(file: string): void {
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const faults = checkHistory(lines);
  write(faults.length === 0 ? 'nothing is wrong' : faults.join('\n'));
  process.exitCode = faults.length > 0 ? 1 : 0;
}

function save(name: string, lines: readonly Line[] | null): string {
  mkdirSync(values.out, { recursive: true });
  const file = join(values.out, name);
  writeFileSync(file, (lines ?? []).map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

async function runSeeds(): Promise<void> {
  const first = Number(values.seed ?? values.from);
  const seeds = Array.from(
    { length: values.seed === undefined ? Number(values.seeds) : 1 },
    (_, index) => first + index,
  );
  const only = values.only?.split(',').filter(Boolean).map(Number);
  const count = Math.min(Number(values.processes), seeds.length);
  const servers = await Promise.all(Array.from({ length: count }, startServer));
  const children = openChildren(servers.map(({ address }) => address));
  let isStopped = false;
  const close = async () => {
    await children.close();
    await Promise.all(servers.map((server) => server.stop()));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => {
      isStopped = true;
      void close().then(() => process.exit(130));
    });
  const begunMs = performance.now();
  let done = 0;
  const failed: number[] = [];
  const sums = { statements: 0, harmed: 0, campaigns: 0, posts: 0, changes: 0 };
  const run = async (seed: number) => {
    const report = await children.run({
      seed,
      steps,
      only,
      isComplete: values.seed !== undefined,
    });
    done += 1;
    sums.harmed += report.harmed.length;
    for (const name of ['statements', 'campaigns', 'posts', 'changes'] as const) sums[name] += report[name];
    if (values.hashes) write(`hash of ${seed}: ${report.hash}`);
    if (values.seed !== undefined) tellOne(seed, report);
    if (report.faults.length > 0) {
      failed.push(seed);
      await reportFailure(seed, report);
    } else if (done % 25 === 0)
      write(
        `${done} of ${seeds.length}, ${Math.round((performance.now() - begunMs) / 1000)} s, ${failed.length} failed`,
      );
  };
  const reportFailure = async (seed: number, report: Report) => {
    write(`seed ${seed}: ${report.faults.slice(0, 5).join('\n  ')}`);
    const file = save(`seed-${seed}.jsonl`, report.lines);
    const least = await shrink({ seed, steps, harmed: report.harmed }, (asked) =>
      children.run({ ...asked, isComplete: false }),
    );
    const shrunk = await children.run({ ...least, isComplete: true });
    write(`  history: ${file}\n  shrunk: ${save(`seed-${seed}-shrunk.jsonl`, shrunk.lines)}`);
    write(`  again: npm run simulate -- --seed ${seed} --steps ${least.steps} --only ${least.only.join(',') || '0'}`);
  };
  try {
    await Promise.all(seeds.map(run));
    write(
      `${seeds.length} seeds in ${Math.round((performance.now() - begunMs) / 1000)} s, failed: ${failed.join(', ') || 'none'}`,
    );
    write(
      `in all ${Object.entries(sums)
        .map(([name, sum]) => `${sum} ${name}`)
        .join(', ')}`,
    );
    process.exitCode = failed.length > 0 ? 1 : 0;
  } finally {
    // Who was interrupted has it closed already.
    await (isStopped ? new Promise(() => undefined) : close());
  }
}

function tellOne(seed: number, report: Report): void {
  const file = save(`seed-${seed}.jsonl`, report.lines);
  write(
    `seed ${seed}: ${report.statements} statements, ${report.harmed.length} harmed, ${Math.round(report.tookMs)} ms`,
  );
  write(`hash ${report.hash}\nhistory ${file}`);
}

async function runCrashPoints(): Promise<void> {
  const servers = await Promise.all(Array.from({ length: Number(values.processes) }, startServer));
  const children = openChildren(servers.map(({ address }) => address));
  try {
    for (const workers of values.workers.split(',').map(Number)) {
      const begunMs = performance.now();
      const { statements, points, wrong } = await tryCrashPoints(children, { workers, every: Number(values.every) });
      for (const { statement, fault, faults, lines } of wrong) {
        const file = save(`crash-point-${workers}-${statement}-${fault.replace(' ', '-')}.jsonl`, lines);
        write(`${fault} at statement ${statement}: ${faults.slice(0, 5).join('\n  ')}\n  history: ${file}`);
      }
      const seconds = Math.round((performance.now() - begunMs) / 1000);
      write(`${workers} workers: ${statements} statements, ${points} points in ${seconds} s, ${wrong.length} wrong`);
      if (wrong.length > 0) process.exitCode = 1;
    }
  } finally {
    await children.close();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

async function runMutations(): Promise<void> {
  const servers = await Promise.all(Array.from({ length: Number(values.processes) }, startServer));
  const addresses = servers.map(({ address }) => address);
  const seeds = Math.min(100, Number(values.seeds));
  try {
    write('| mutation | seed | what the checker reported | steps |\n| --- | --- | --- | --- |');
    const isWanted = ({ name, test }: Mutation) => (values.named === '' ? !test : name.includes(values.named));
    for (const mutation of MUTATIONS.filter(isWanted)) {
      const found = await tryMutation(addresses, mutation, { seeds, steps, isShrunk: values.shrink });
      if (!found) process.exitCode = 1;
      write(
        `| ${mutation.name} | ${found ? `${found.seed} | ${found.rule} | ${found.steps}` : `none of ${seeds} | | `} |`,
      );
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

if (values.check !== undefined) checkFile(values.check);
else if (values.mutations) await runMutations();
else if (values['crash-points']) await runCrashPoints();
else await runSeeds();
