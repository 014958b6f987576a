import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findOldNode } from '../support/service/old-node.ts';

const launcher = join(import.meta.dirname, '../../bin/campanile.mjs');
const oldNode = findOldNode();

test.runIf(oldNode)('an old Node.js without the bundled one prints one sentence and exits with code 1', () => {
  // No node_modules beside it.
  const { status, stdout, stderr } = open(oldNode, launcherFor(''));
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^Campanile needs Node\.js 26 and this is \d+\.\d+\.\d+: .*"npm ci" .*"npm start".*\n$/);
});

test.runIf(oldNode)('an old Node.js hands over to the bundled one and exits with its code', () => {
  expect(open(oldNode, launcher, '--version')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^campanile \d/),
  });
  expect(open(oldNode, launcher, 'restor')).toMatchObject({ status: 2, stdout: '' });
});

test('runs the command line', () => {
  const { status, stdout, stderr } = open(process.execPath, launcherFor(`process.stdout.write('came in');`));
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'came in', stderr: '' });
});

test('names a missing package in one sentence', () => {
  const { status, stderr } = open(process.execPath, launcherFor('', `import 'a-package-nobody-installed';`));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'The package a-package-nobody-installed is not installed: run "npm ci" first.\n',
  });
});

test('prints a startup error without a stack', () => {
  const failing = `throw Object.assign(new Error('PORT is taken.'), { name: 'StartupError' });`;
  const { status, stderr } = open(process.execPath, launcherFor(failing));
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'PORT is taken.\n' });
});

test('prints a defect with its stack', () => {
  const { status, stderr } = open(process.execPath, launcherFor('JSON.parse(undefined);'));
  expect(status).toBe(1);
  expect(stderr).toMatch(/^SyntaxError: [^\n]+\n +at .*run-command\.ts/s);
});

function open(node: string, launcher: string, ...words: string[]) {
  return spawnSync(node, [launcher, ...words], { encoding: 'utf8', env: {} });
}

/** Copies the launcher in front of a command of the test. Returns its path. */
function launcherFor(inside: string, imports = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-launcher-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src/cli'), { recursive: true });
  cpSync(launcher, join(folder, 'bin/campanile.mjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const source = `${imports}\nexport async function runCommand(): Promise<number> { ${inside}; return 0; }\n`;
  writeFileSync(join(folder, 'src/cli/run-command.ts'), source);
  return join(folder, 'bin/campanile.mjs');
}
