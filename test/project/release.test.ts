import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PLACEHOLDER = 'https://REPOSITORY.invalid/campanile';
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

function addFile(name: string): void {
  mkdirSync(join(checkout, dirname(name)), { recursive: true });
  writeFileSync(join(checkout, name), '');
  git('add', '.');
  git('commit', '--quiet', '--message', 'z');
}

describe('rejects a release without changing anything', () => {
  const cases: ReadonlyArray<[why: string, words: string[], before: () => void]> = [
    ['next is no version such as', ['next'], () => undefined],
    ['the work tree is not clean', ['1.2.3'], () => writeFileSync(join(checkout, 'more'), '')],
    ['this is not the branch main', ['1.2.3'], () => void git('switch', '--quiet', '--create', 'other')],
    ['the tag v1.2.3 is there already', ['1.2.3'], () => void git('tag', 'v1.2.3')],
    ['named by its digest', ['1.2.3', 'debian:12'], () => undefined],
    ['exists already', ['1.2.3'], () => addFile('test/upgrade/fixtures/1.2.3/about.json')],
  ];
  test.each(cases)('if %s', (why, words, before) => {
    before();
    const { status, stderr } = run('release/release.sh', ...words);
    expect(status).toBe(1);
    expect(stderr).toContain(why);
    expect(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')).toContain('Unreleased');
  });
});

/** Adds a package whose checks and tests are these commands, with the files that a release changes. */
function addPackage({ check = 'true' }: { check?: string } = {}): void {
  const scripts = { check, test: 'true', 'test:upgrade': 'true' };
  const about = { name: 'campanile', version: '0.1.0', private: true, homepage: PLACEHOLDER, scripts };
  const files = {
    'package.json': `${JSON.stringify(about, undefined, 2)}\n`,
    'package-lock.json': '{ "name": "campanile", "version": "0.1.0", "lockfileVersion": 3 }\n',
    '.gitignore': '/release/out\n',
    'README.md': 'Status: pre-release. 0.1.0 is in preparation. Report bugs in the issues.\n',
    'deploy/compose.yaml': 'image: localhost/campanile:0.1.0 # here\n',
    'docs/install.md': `See ${PLACEHOLDER} and [more](${PLACEHOLDER}/issues).\n`,
    'docs/reference/api-changes.md': '### 0.1.0, not released yet\n',
    'scripts/check-signatures.ts': '',
    'scripts/make-upgrade-fixture.ts':
      "import { mkdirSync, writeFileSync } from 'node:fs';\nconst to = 'test/upgrade/fixtures/1.2.3';\nmkdirSync(to, { recursive: true });\nwriteFileSync(`${to}/about.json`, '{}');\n",
    'release/write-sbom.ts': "import { writeFileSync } from 'node:fs';\nwriteFileSync(process.argv[2] ?? '', '{}');\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(checkout, dirname(name)), { recursive: true });
    writeFileSync(join(checkout, name), text);
  }
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('add', '.');
  git('commit', '--quiet', '--message', 'y');
}

const read = (name: string) => readFileSync(join(checkout, name), 'utf8');

test('writes the version and the address of the repository everywhere, commits, tags and packs', () => {
  addPackage();
  const environment = { ...process.env, REPOSITORY: 'https://git.example/bells/campanile.git' };
  const words = { cwd: checkout, encoding: 'utf8', env: environment } as const;
  const { status, stdout, stderr } = spawnSync('release/release.sh', ['1.2.3'], words);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const today = new Date().toISOString().slice(0, 10);
  expect(read('CHANGELOG.md')).toContain(`## [1.2.3] - ${today}\n`);
  expect(read('docs/reference/api-changes.md')).toBe(`### 1.2.3, ${today}\n`);
  expect(read('README.md')).toBe('Status: 1.2.3. Report bugs in the issues.\n');
  expect(JSON.parse(read('package.json'))).toMatchObject({
    version: '1.2.3',
    private: true,
    homepage: 'https://git.example/bells/campanile',
  });
  expect(JSON.parse(read('package-lock.json'))).toMatchObject({ version: '1.2.3' });
  expect(read('clients/python/pyproject.toml')).toBe('version = "1.2.3"\n');
  expect(read('deploy/compose.yaml')).toBe('image: localhost/campanile:1.2.3 # here\n');
  const address = 'https://git.example/bells/campanile';
  expect(read('docs/install.md')).toBe(`See ${address} and [more](${address}/issues).\n`);
  expect(read('release/release.sh')).toContain(PLACEHOLDER);

  expect(git('status', '--porcelain').stdout).toBe('');
  expect(git('log', '--format=%s', '-1').stdout).toBe('Release 1.2.3\n');
  expect(git('tag').stdout).toBe('v1.2.3\n');
  expect(git('show', 'HEAD:test/upgrade/fixtures/1.2.3/about.json').stdout).toBe('{}');

  const sums = read('release/out/SHA256SUMS').trim().split('\n');
  expect(sums.map((line) => line.split('  ')[1])).toEqual(['campanile-1.2.3.sbom.cdx.json', 'campanile-1.2.3.tgz']);
  for (const line of sums) {
    const [sum, name = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(readFileSync(join(checkout, 'release/out', name)))
        .digest('hex'),
    ).toBe(sum);
  }
  expect(stdout).not.toContain('npm publish');
});

test('warns that the placeholder stays without REPOSITORY', () => {
  addPackage();
  const { status, stdout } = run('release/release.sh', '1.2.3');
  expect(status).toBe(0);
  expect(stdout).toContain(`REPOSITORY is not set: the files name ${PLACEHOLDER}.`);
  expect(read('docs/install.md')).toContain(PLACEHOLDER);
});

test('restores everything after a failed release', () => {
  addPackage({ check: 'false' });
  const { status, stderr } = run('release/release.sh', '1.2.3');
  expect(status).toBe(1);
  expect(stderr).toContain('all is as it was');
  expect(git('status', '--porcelain').stdout).toBe('');
  expect(git('tag').stdout).toBe('');
  expect(read('CHANGELOG.md')).toContain('Unreleased');
  expect(read('docs/install.md')).toContain(PLACEHOLDER);
});
