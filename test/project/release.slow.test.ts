import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PLACEHOLDER = 'https://REPOSITORY.invalid/campanile';
const parent = mkdtempSync(join(tmpdir(), 'campanile-release-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

let checkout: string;
/** Asynchronous: test files share a process. */
async function run(program: string, words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const child = spawn(program, words, { cwd: checkout, env: { ...process.env, ...environment } });
  const closed = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  const [status, stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  return { status, stdout, stderr };
}
const git = (...words: string[]) => run('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words]);
const printed = async (...words: string[]) => (await git(...words)).stdout;

beforeEach(async () => {
  checkout = mkdtempSync(join(parent, 'checkout-'));
  mkdirSync(join(checkout, 'release'));
  for (const script of ['release.sh', 'write-version.sh'])
    cpSync(join(ROOT, 'release', script), join(checkout, 'release', script));
  writeFileSync(join(checkout, 'CHANGELOG.md'), '# Changelog\n\n## [0.1.0] - Unreleased\n');
  mkdirSync(join(checkout, 'clients/python'), { recursive: true });
  writeFileSync(join(checkout, 'clients/python/pyproject.toml'), 'version = "0.1.0"\n');
  mkdirSync(join(checkout, 'clients/typescript'));
  writeFileSync(join(checkout, 'clients/typescript/package.json'), '{ "name": "y", "version": "0.1.0" }\n');
  await git('init', '--quiet', '--initial-branch=main');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'x');
});

async function addFile(name: string): Promise<void> {
  mkdirSync(join(checkout, dirname(name)), { recursive: true });
  writeFileSync(join(checkout, name), '');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'z');
}

describe('rejects a release without changing anything', () => {
  const cases: ReadonlyArray<[why: string, words: string[], before: () => unknown]> = [
    ['next is no version such as', ['next'], () => undefined],
    ['the work tree is not clean', ['1.2.3'], () => writeFileSync(join(checkout, 'more'), '')],
    ['this is not the branch main', ['1.2.3'], () => git('switch', '--quiet', '--create', 'other')],
    ['the tag v1.2.3 is there already', ['1.2.3'], () => git('tag', 'v1.2.3')],
    ['named by its digest', ['1.2.3', 'debian:12'], () => undefined],
    ['exists already', ['1.2.3'], () => addFile('test/upgrade/fixtures/1.2.3/about.json')],
  ];
  test.each(cases)('if %s', async (why, words, before) => {
    await before();
    const { status, stderr } = await run('release/release.sh', words);
    expect(status).toBe(1);
    expect(stderr).toContain(why);
    expect(readFileSync(join(checkout, 'CHANGELOG.md'), 'utf8')).toContain('Unreleased');
  });
});

/** Adds a package whose checks and tests are these commands, with the files that a release changes. */
async function addPackage({ check = 'true' }: { check?: string } = {}): Promise<void> {
  const scripts = { check, test: 'true', 'test:upgrade': 'true' };
  const about = { name: 'campanile', version: '0.1.0', private: true, homepage: PLACEHOLDER, scripts };
  const files = {
    'package.json': `${JSON.stringify(about, undefined, 2)}\n`,
    'package-lock.json': '{ "name": "campanile", "version": "0.1.0", "lockfileVersion": 3 }\n',
    '.gitignore': '/release/out\n',
    'pinned.txt': 'yesterday',
    'README.md': 'Status: pre-release. 0.1.0 is in preparation. Report bugs in the issues.\n',
    'clients/typescript/README.md': 'npm install ./campanile-client-0.1.0.tgz\n',
    'deploy/compose.yaml': 'image: localhost/campanile:0.1.0 # here\n',
    'docs/install.md': `See ${PLACEHOLDER} and [more](${PLACEHOLDER}/issues).\n`,
    'docs/reference/api-changes.md': '### 0.1.0, not released yet\n',
    'clients/python/build_backend.py': '',
    'scripts/check-signatures.ts': '',
    'scripts/make-upgrade-fixture.ts':
      "import { mkdirSync, writeFileSync } from 'node:fs';\nconst to = 'test/upgrade/fixtures/1.2.3';\nmkdirSync(to, { recursive: true });\nwriteFileSync(`${to}/about.json`, '{}');\n",
    'release/pin-client-version.ts':
      "import { writeFileSync } from 'node:fs';\nwriteFileSync('pinned.txt', 'today');\nconsole.log('The client version is new.');\n",
    'release/write-sbom.ts': "import { writeFileSync } from 'node:fs';\nwriteFileSync(process.argv[2] ?? '', '{}');\n",
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(checkout, dirname(name)), { recursive: true });
    writeFileSync(join(checkout, name), text);
  }
  await git('config', 'user.name', 'A');
  await git('config', 'user.email', 'a@example.com');
  await git('add', '.');
  await git('commit', '--quiet', '--message', 'y');
}

const read = (name: string) => readFileSync(join(checkout, name), 'utf8');

test('writes the version and the address of the repository everywhere, commits, tags and packs', async () => {
  await addPackage();
  const environment = { REPOSITORY: 'https://git.example/bells/campanile.git' };
  const { status, stdout, stderr } = await run('release/release.sh', ['1.2.3'], environment);
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

  expect(await printed('status', '--porcelain')).toBe('');
  expect(await printed('log', '--format=%s', '-1')).toBe('Release 1.2.3\n');
  expect(await printed('tag')).toBe('v1.2.3\n');
  expect(await printed('show', 'HEAD:test/upgrade/fixtures/1.2.3/about.json')).toBe('{}');

  const sums = read('release/out/SHA256SUMS').trim().split('\n');
  expect(sums.map((line) => line.split('  ')[1])).toEqual([
    'campanile-1.2.3.sbom.cdx.json',
    'campanile-1.2.3.tgz',
    'y-1.2.3.tgz',
  ]);
  for (const line of sums) {
    const [sum, name = ''] = line.split('  ');
    expect(
      createHash('sha256')
        .update(readFileSync(join(checkout, 'release/out', name)))
        .digest('hex'),
    ).toBe(sum);
  }
  expect(stdout).not.toContain('npm publish');
  expect(stdout).toContain('The client version is new.');
  expect(await printed('show', 'HEAD:pinned.txt')).toBe('today');
});

test('begins the next version with "-dev" everywhere', async () => {
  await addPackage();
  expect(await run('release/release.sh', ['1.2.3'])).toMatchObject({ status: 0 });
  expect(await run('release/write-version.sh', ['1.3.0-dev'])).toMatchObject({ status: 0, stderr: '' });
  for (const name of ['package.json', 'package-lock.json', 'clients/typescript/package.json'])
    expect(JSON.parse(read(name)), name).toMatchObject({ version: '1.3.0-dev' });
  expect(read('clients/python/pyproject.toml')).toBe('version = "1.3.0.dev0"\n');
  expect(read('clients/typescript/README.md')).toBe('npm install ./campanile-client-1.3.0-dev.tgz\n');
  expect(read('deploy/compose.yaml')).toBe('image: localhost/campanile:1.3.0-dev # here\n');
  expect(read('README.md')).toBe('Status: 1.3.0-dev. Report bugs in the issues.\n');
  expect(read('CHANGELOG.md')).toMatch(/^# Changelog\n\n## \[1\.3\.0\] - Unreleased\n\n## \[1\.2\.3\] - /);
  expect(read('docs/reference/api-changes.md')).toMatch(/^### 1\.3\.0, not released yet\n\n### 1\.2\.3, /);
  // A second time, and the release after it.
  const before = await printed('diff');
  expect(await run('release/write-version.sh', ['1.3.0-dev'])).toMatchObject({ status: 0 });
  expect(await printed('diff')).toBe(before);
});

test('warns that the placeholder stays without REPOSITORY', async () => {
  await addPackage();
  const { status, stdout } = await run('release/release.sh', ['1.2.3']);
  expect(status).toBe(0);
  expect(stdout).toContain(`REPOSITORY is not set: the files name ${PLACEHOLDER}.`);
  expect(read('docs/install.md')).toContain(PLACEHOLDER);
});

test('restores everything after a failed release', async () => {
  await addPackage({ check: 'false' });
  const { status, stderr } = await run('release/release.sh', ['1.2.3']);
  expect(status).toBe(1);
  expect(stderr).toContain('all is as it was');
  expect(await printed('status', '--porcelain')).toBe('');
  expect(await printed('tag')).toBe('');
  expect(read('CHANGELOG.md')).toContain('Unreleased');
  expect(read('docs/install.md')).toContain(PLACEHOLDER);
});
