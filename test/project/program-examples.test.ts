/** The examples of "Program the API without a client": those of each language run one after the other, with a test key. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { createTestKey } from '../support/test-keys.ts';

const run = promisify(execFile);
const app = await useTestApp();
const owner = await app.signUp('owner');
const { key } = await createTestKey(app, owner);
const folder = await mkdtemp(join(tmpdir(), 'campanile-program-'));
afterAll(() => rm(folder, { recursive: true, force: true }));
const page = await readFile(join(import.meta.dirname, '../../docs/how-to/program-the-api.md'), 'utf8');

/** Language, and the program that runs it. PHP is tried where it is installed. */
const PROGRAMS = [
  ['sh', 'sh'],
  ['js', process.execPath],
  ['python', 'python3'],
  ['php', 'php'],
] as const;

function examplesIn(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\n\`\`\``, 'g'))].map(([, code = '']) => code);
  return blocks.filter((code) => !code.startsWith('export ')).join('\n');
}

describe.each(PROGRAMS)('%s', (language, program) => {
  test('says the same as the others', async ({ skip }) => {
    const isThere = await run(program, [language === 'sh' ? '-c' : '--version', ':']).then(
      () => true,
      () => false,
    );
    skip(!isThere, `${program} is not installed`);
    const file = join(folder, `program.${language === 'js' ? 'mjs' : language}`);
    await writeFile(file, examplesIn(language));
    const { stdout } = await run(program, [file], { env: { ...process.env, BASE: app.url, KEY: key } });
    expect(stdout).toContain('*Spring fair* at nine');
    for (const name of ['Running club', 'Village news', 'a test key: nothing is sent']) expect(stdout).toContain(name);
    // Nine o’clock on both sides of a clock change.
    for (const due of ['2032-03-27T08:00:00.000Z', '2032-03-28T07:00:00.000Z', '2032-03-29T07:00:00.000Z'])
      expect(stdout).toContain(due);
  });
});
