import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const parent = mkdtempSync(join(tmpdir(), 'campanile-release-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

let checkout: string;
const run = (program: string, ...words: string[]) => spawnSync(program, words, { cwd: checkout, encoding: 'utf8' });
const git = (...words: string[]) => run('git', '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words);

beforeEach(() => {
  checkout = mkdtempSync(join(parent, 'checkout-'));
  mkdirSync(join(checkout, 'release'));
  cpSync(join(ROOT, 'release/release.sh'), join(checkout, 'release/release.sh'));
  writeFileSync(join(checkout, 'CHANGELOG.md'), '# Changelog\n\n## [0.1.0] - Unreleased\n');
  mkdirSync(join(checkout, 'clients/python'), { recursive: true });
  writeFileSync(join(checkout, 'clients/python/pyproject.toml'), 'version = "0.1.0"\n');
  mkdirSync(join(checkout, 'clients/typescript'));
  writeFileSync(join(checkout, 'clients/typescript/package.json'), '{ "name": "y", "version": "0.1.0" }\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'x');
});

describe('rejects a release without changing anything', () => {
  const cases: ReadonlyArray<[why: string, words: string[], before: () => void]> = [
    ['next is no version such as', ['next'], () => undefined],
    ['the work tree is not clean', ['1.2.3'], () => writeFileSync(join(checkout, 'more'), '')],
    ['this is not the branch main', ['1.2.3'], () => void git('switch', '--quiet', '--create', 'other')],
    ['the tag v1.2.3 is there already', ['1.2.3'], () => void git('tag', 'v1.2.3')],
    ['named by its digest', ['1.2.3', 'debian:12'], () => undefined],
  ];
  test.each(cases)('if %s', (why, words, before) => {
    before();
    const { status, stderr } = run('release/release.sh', ...words);
    expect(status).toBe(1);
    expect(stderr).toContain(why);
    expect(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')).toContain('Unreleased');
  });
});

test('restores everything after a failed release', () => {
  writeFileSync(
    join(checkout, 'package.json'),
    '{ "name": "x", "version": "0.0.1", "scripts": { "check": "false" } }\n',
  );
  writeFileSync(join(checkout, 'package-lock.json'), '{ "name": "x", "version": "0.0.1", "lockfileVersion": 3 }\n');
  git('add', '.');
  git('commit', '--quiet', '--message', 'y');
  const { status, stderr } = run('release/release.sh', '1.2.3');
  expect(status).toBe(1);
  expect(stderr).toContain('all is as it was');
  expect(git('status', '--porcelain').stdout).toBe('');
  expect(git('tag').stdout).toBe('');
});
