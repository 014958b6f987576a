import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** A command that loads its modules before it finds that its options contradict each other. */
const WRONG = ['release', '--json', '--send', 'all'];
let folder: string;
let installation: string;

/** An installation of its own, without a cache. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-cache-'));
  installation = join(folder, 'installation');
  for (const name of ['bin', 'clients', 'src', 'messages', 'package.json'])
    cpSync(join(ROOT, name), join(installation, name), { recursive: true });
  mkdirSync(join(installation, 'node_modules'));
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (name !== '.cache') symlinkSync(join(ROOT, 'node_modules', name), join(installation, 'node_modules', name));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command that changes nothing. */
function runCommand(environment: Record<string, string>): void {
  const env = { PATH: process.env['PATH'], HOME: join(folder, 'home'), ...environment };
  const { status } = spawnSync(process.execPath, [join(installation, 'bin/campanile.mjs'), ...WRONG], { env });
  expect(status).toBe(2);
}

test('keeps compiled code in STATE_DIR, and nothing in the installation', () => {
  const stateDir = join(folder, 'state');
  mkdirSync(stateDir);
  runCommand({ STATE_DIR: stateDir });
  const [version = ''] = readdirSync(join(stateDir, 'compile-cache'));
  expect(readdirSync(join(stateDir, 'compile-cache', version)).length).toBeGreaterThan(20);
  expect(existsSync(join(installation, 'node_modules/.cache'))).toBe(false);
});

test('a command creates no STATE_DIR', () => {
  const stateDir = join(folder, 'none');
  runCommand({ STATE_DIR: stateDir });
  expect(existsSync(stateDir)).toBe(false);
});

test('root keeps nothing in the STATE_DIR of another user', ({ skip }) => {
  skip(process.getuid?.() !== 0, 'only root can write to the folder of another user');
  const stateDir = join(folder, 'of-another');
  mkdirSync(stateDir);
  chownSync(stateDir, 65_532, 65_532);
  chmodSync(stateDir, 0o755);
  runCommand({ STATE_DIR: stateDir });
  expect(readdirSync(stateDir)).toEqual([]);
});

test('NODE_COMPILE_CACHE comes first', () => {
  const stateDir = join(folder, 'unused');
  mkdirSync(stateDir);
  runCommand({ STATE_DIR: stateDir, NODE_COMPILE_CACHE: join(folder, 'chosen') });
  expect(readdirSync(stateDir)).toEqual([]);
  expect(existsSync(join(folder, 'chosen'))).toBe(true);
});
