import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { PATIENCE_MS } from '../support/patience.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOOR = join(ROOT, 'bin/campanile.mjs');
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-command-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command in an empty folder, so that anything it starts leaves traces. */
function campanile(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [DOOR, ...words], {
    cwd: folder,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: '0' },
  });
  return { status, stdout, stderr };
}

test.each(['restor', 'sevre', '--port=3000', 'constructor'])(
  'an unknown command (%s) prints the usage, exits with code 2 and starts nothing',
  (word) => {
    const { status, stdout, stderr } = campanile(word);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(new RegExp(`^Unknown command "${word}"\\.\n\nUsage: campanile`));
    expect(readdirSync(folder)).toEqual([]);
  },
);

test('--help lists every command', () => {
  const { status, stdout } = campanile('--help');
  expect(status).toBe(0);
  for (const { usage } of Object.values(COMMANDS)) for (const form of usage) expect(stdout).toContain(form);
});

test('--help of a command describes only that command', () => {
  const { status, stdout } = campanile('keys', '--help');
  expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining('campanile keys list NAME') });
  expect(stdout).not.toContain('serve');
});

test('--version prints version and commit', () => {
  const { status, stdout } = campanile('--version');
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^campanile ${version.replaceAll('.', '\\.')}( \\([0-9a-f]{12}\\))?\n$`));
});

test('serve rejects arguments', () => {
  const { status, stderr } = campanile('serve', '3000');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^"serve" takes no arguments, but got "3000"\n\nUsage:\n  campanile serve\n/);
});
