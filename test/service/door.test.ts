import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findOldNode } from '../support/service/old-node.ts';

const door = join(import.meta.dirname, '../../bin/campanile.mjs');
const oldNode = findOldNode();

test.runIf(oldNode)('too old a Node without ours beside it gets one sentence and exit code 1', () => {
  // No packages beside it.
  const { status, stdout, stderr } = open(oldNode, doorTo(''));
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^Campanile needs Node\.js 26 and this is \d+\.\d+\.\d+: .*"npm ci" .*"npm start".*\n$/);
});

test.runIf(oldNode)('too old a Node hands over to the one that came along, with its exit code', () => {
  expect(open(oldNode, door, '--version')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^campanile \d/) });
  expect(open(oldNode, door, 'restor')).toMatchObject({ status: 2, stdout: '' });
});

test('the door leads in', () => {
  const { status, stdout, stderr } = open(process.execPath, doorTo(`process.stdout.write('came in');`));
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: 'came in', stderr: '' });
});

test('a missing package is named in one sentence', () => {
  const { status, stderr } = open(process.execPath, doorTo('', `import 'a-package-nobody-installed';`));
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'The package a-package-nobody-installed is not installed: run "npm ci" first.\n',
  });
});

test('a reason not to start is printed without a stack', () => {
  const failing = `throw Object.assign(new Error('PORT is taken.'), { name: 'StartupError' });`;
  const { status, stderr } = open(process.execPath, doorTo(failing));
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'PORT is taken.\n' });
});

test('a defect is printed with its stack', () => {
  const { status, stderr } = open(process.execPath, doorTo('JSON.parse(undefined);'));
  expect(status).toBe(1);
  expect(stderr).toMatch(/^SyntaxError: [^\n]+\n +at .*run-command\.ts/s);
});

function open(node: string, door: string, ...words: string[]) {
  return spawnSync(node, [door, ...words], { encoding: 'utf8', env: {} });
}

/** A copy of the door in front of commands of the test's own. */
function doorTo(inside: string, imports = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-door-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src/cli'), { recursive: true });
  cpSync(door, join(folder, 'bin/campanile.mjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const source = `${imports}\nexport async function runCommand(): Promise<number> { ${inside}; return 0; }\n`;
  writeFileSync(join(folder, 'src/cli/run-command.ts'), source);
  return join(folder, 'bin/campanile.mjs');
}
