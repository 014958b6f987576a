import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
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
  return campanileWith({}, ...words);
}

function campanileWith(settings: Record<string, string>, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [DOOR, ...words], {
    cwd: folder,
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: '0', ...settings },
  });
  return { status, stdout, stderr };
}

test.each([
  ['restor', 'Unknown command "restor". Did you mean "restore"?'],
  ['sevre', 'Unknown command "sevre". Did you mean "serve"?'],
  ['--port=3000', 'Unknown command "--port=3000"'],
  ['constructor', 'Unknown command "constructor"'],
])('an unknown command (%s) prints the usage, exits with code 2 and starts nothing', (word, message) => {
  const { status, stdout, stderr } = campanile(word);
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr.split('\n').slice(0, 3)).toEqual([message, '', 'Usage: campanile [COMMAND] [OPTION]...']);
  expect(readdirSync(folder)).toEqual([]);
});

test('--help lists every command', () => {
  const { status, stdout } = campanile('--help');
  expect(status).toBe(0);
  for (const { name, about } of COMMANDS)
    expect(stdout).toMatch(new RegExp(`^  ${name}\\b.*  ${about}$`.replaceAll(/[()]/g, '.'), 'm'));
});

test('--version prints version and commit', () => {
  const { status, stdout } = campanile('--version');
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^campanile ${version.replaceAll('.', '\\.')}( \\([0-9a-f]{12}\\))?\n$`));
});

test('serve rejects arguments', () => {
  const { status, stderr } = campanile('serve', '3000');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^Unexpected argument "3000"\n\nUsage: campanile serve\n/);
});

test.each([[['users', 'list']], [['backup', 'create']], [['doctor']]])(
  '%j says that DATA_DIR is a file, or below one, in a sentence',
  (words) => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'campanile-file-'));
    onTestFinished(() => rmSync(elsewhere, { recursive: true }));
    const file = join(elsewhere, 'file');
    writeFileSync(file, '');
    for (const dataDir of [file, join(file, 'data')]) {
      const { status, stdout, stderr } = campanileWith({ DATA_DIR: dataDir }, ...words);
      expect(status).toBe(1);
      expect(stdout + stderr).toContain(`DATA_DIR (${dataDir}) is not a folder, or a part of its path is a file`);
      expect(stdout + stderr).not.toMatch(/ENOTDIR| at .+:\d+/);
    }
  },
);

test('backup verify says that there is no file of that name', () => {
  const { status, stderr } = campanile('backup', 'verify', 'none.tar');
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'There is no file none.tar.\n' });
});
