import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const door = join(import.meta.dirname, '../../bin/campanile.mjs');
const oldNode = findOldNode();

test.runIf(oldNode)('too old a Node gets one sentence and exit code 1', () => {
  const { status, stdout, stderr } = open(oldNode, door);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^Campanile needs Node\.js 26 and this is \d+\.\d+\.\d+: .*"npm ci" .*"npm start".*\n$/);
});

test('the door leads to main', () => {
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
  const main = `throw Object.assign(new Error('PORT is taken.'), { name: 'StartupError' });`;
  const { status, stderr } = open(process.execPath, doorTo(main));
  expect({ status, stderr }).toEqual({ status: 1, stderr: 'PORT is taken.\n' });
});

test('a defect is printed with its stack', () => {
  const { status, stderr } = open(process.execPath, doorTo('JSON.parse(undefined);'));
  expect(status).toBe(1);
  expect(stderr).toMatch(/^SyntaxError: [^\n]+\n +at .*main\.ts/s);
});

function open(node: string, door: string) {
  return spawnSync(node, [door], { encoding: 'utf8', env: {} });
}

/** A copy of the door in front of a main of the test's own. */
function doorTo(main: string, imports = ''): string {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-door-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'src'));
  cpSync(door, join(folder, 'bin/campanile.mjs'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'src/main.ts'), `${imports}\nexport async function main(): Promise<void> { ${main} }\n`);
  return join(folder, 'bin/campanile.mjs');
}

/** The first Node on this machine that is too old for us; an empty string where there is none. */
function findOldNode(): string {
  const folders = new Set([...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/usr/local/bin']);
  for (const folder of folders) {
    const node = join(folder, process.platform === 'win32' ? 'node.exe' : 'node');
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' });
    const major = Number(/^v(\d+)\./.exec(stdout ?? '')?.[1]);
    if (major < 26) return node;
  }
  return '';
}
