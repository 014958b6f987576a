import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SavedRun } from '../../harness/bench/support/run-benches.ts';

const MODULES = ['run-benches', 'table'].map((name) =>
  join(import.meta.dirname, `../../harness/bench/support/${name}.ts`),
);
const folder = mkdtempSync(join(tmpdir(), 'campanile-benches-'));

/** Runs benches in a process of their own, as `npm run bench` does, and returns the output and the saved run. */
function run(benches: string, options: object = {}): { lines: string[]; saved: SavedRun } {
  const json = join(folder, 'run.json');
  const script = `
    import { runBenches } from ${JSON.stringify(MODULES[0])};
    import { limitRow, rateRow } from ${JSON.stringify(MODULES[1])};
    await runBenches({ ${benches} }, ${JSON.stringify({ size: 'smallest', json, ...options })});
    console.log('the end');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1), stderr).toBe('the end');
  return { lines, saved: JSON.parse(readFileSync(json, 'utf8')) as SavedRun };
}

describe('benches', () => {
  const QUICK = `quick: ({ report }) => report('latency', async () => limitRow('latency', 30, 20))`;

  test('print and save each row when it is there', () => {
    const { lines } = run(`
      first: async ({ report }) => {
        await report('rate', async () => rateRow('rate', 50, { 'a library': 100, another: 80 }, 0.5));
        console.log('then', (await import('node:fs')).readFileSync(${JSON.stringify(join(folder, 'run.json'))}, 'utf8').includes('a library'));
      },
      ${QUICK}`);
    expect(lines.slice(0, 5)).toEqual([
      'first …',
      '  rate | 50/s | a library 100/s, another 80/s | 0.50 | ≥ 0.5 reached',
      'then true',
      'quick …',
      '  latency | 30 ms | the clock | – | ≤ 20 ms MISSED',
    ]);
    expect(lines.slice(6, -1).map((line) => line.split(/ {2,}/)[0])).toEqual(['row', 'rate', 'latency']);
  });

  test('that fail say why, and the other parts and benches go on', () => {
    const { saved } = run(`
      parts: async ({ report }) => {
        await report('one', async () => { throw new Error('no such table'); });
        await report('two', async () => [limitRow('two', 1, 2)]);
      },
      whole: async () => { throw new Error('no server'); },
      stray: async ({ report }) => {
        setTimeout(() => { throw new Error('lost'); }, 1);
        await new Promise((resolve) => setTimeout(resolve, 50));
      },
      ${QUICK}`);
    expect(saved.rows.map(({ bench, what, ours, reached }) => [bench, what, ours, reached])).toEqual([
      ['parts', 'one', 'failed: no such table', false],
      ['parts', 'two', '1 ms', true],
      ['whole', 'whole', 'failed: no server', false],
      ['stray', 'stray', 'failed: lost', false],
      ['quick', 'latency', '30 ms', false],
    ]);
  });

  test('are compared with an earlier run of the same size', () => {
    const compare = join(folder, 'earlier.json');
    const rate = (ours: number) =>
      `rate: ({ report }) => report('rate', async () => rateRow('rate', ${ours}, { other: 100 }, 1))`;
    run(`${rate(40)}, ${QUICK}`, { json: compare });
    const { lines } = run(
      `${rate(60)}, ${QUICK.replace('30', '15')}, fresh: ({ report }) => report('new', async () => limitRow('new', 1, 2))`,
      { compare },
    );
    expect(lines.filter((line) => line.startsWith('  ')).map((line) => line.split(' | ').at(-1))).toEqual([
      '1.50',
      '0.50',
      '–',
    ]);
    expect(() => run(QUICK, { compare, size: 'quick' })).toThrow('has a run of the size smallest');
  });
});
