import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SavedRun } from '../../harness/bench/support/run-benches.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
let names: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campanile-benches-'));
  const { errors } = await runBench(['?']);
  names = /there are (.*)\./.exec(errors)?.[1]?.split(', ') ?? [];
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function runBench(words: readonly string[]): Promise<{ code: number; errors: string }> {
  const child = spawn(process.execPath, ['harness/bench/run.ts', ...words], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const errors: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  return { code, errors: errors.join('') };
}

/** Some need Linux. Whether goals are reached is left to a quiet machine. */
test.runIf(process.platform === 'linux')('each bench measures something, and none fails', async () => {
  const run = async (half: number) => {
    const json = join(folder, `${half}.json`);
    const chosen = names.filter((_, index) => index % 2 === half);
    const { code, errors } = await runBench(['--smallest', '--json', json, ...chosen]);
    expect([0, 1], errors).toContain(code);
    return (JSON.parse(readFileSync(json, 'utf8')) as SavedRun).rows;
  };
  // Two at a time, since they wait for much of their time.
  const rows = (await Promise.all([run(0), run(1)])).flat();
  expect(rows.filter(({ ours }) => ours.startsWith('failed'))).toEqual([]);
  expect(rows.filter((row) => !Number.isFinite(row.ratio ?? row.value) || row.ours.includes('NaN'))).toEqual([]);
  expect(new Set(rows.map(({ bench }) => bench))).toEqual(new Set(names));
});

test('the documents name benches that exist', () => {
  const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: root });
  const commands = documents.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/npm run bench -- ((?:[a-z-]+ ?)+)/g)].map(
      ([, words = '']) => words,
    ),
  );
  const named = commands.flatMap((words) => words.split(' ').filter((word) => word !== '' && !word.startsWith('-')));
  expect(named).toContain('growth');
  expect(named.filter((name) => !names.includes(name))).toEqual([]);
});
