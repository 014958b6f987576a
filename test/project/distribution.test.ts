/** Until a registry entry is ours, an installation starts from a checkout or from a tarball with its checksum. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const BINARY = /\.(?:campanile|gz|png|webp|woff2?)$/;
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
const files = tracked.filter((path) => !BINARY.test(path) && !path.startsWith('test/') && path !== 'package-lock.json');
const Package = z.object({ name: z.string(), version: z.string(), private: z.boolean().optional() });
const { name, version, private: isPrivate } = Package.parse(JSON.parse(read('package.json')));

/** The address of the public repository, which release/release.sh replaces by REPOSITORY in every file. */
const PLACEHOLDER = 'https://REPOSITORY.invalid/campanile';

/** Forms that get Campanile from a registry in which nobody owns its name yet, or that fall back to that registry. */
const FROM_A_REGISTRY: readonly RegExp[] = [
  /\bnpm (?:install|i|add|exec|x|view|publish)\b[^\n`]*(?<![\w./*-])campanile(?:@[\w.]+)?(?![\w./*-])/,
  /\b(?:npx|pnpx|bunx|pnpm dlx|yarn dlx)(?: -\S+)* campanile\b/,
  /"npx"[^\]]*"campanile"/,
  /\bnpm publish\b/,
  /\bnpmjs\.com\/package\/campanile\b/,
  /\b(?:pip3?|uv|pipx) (?:\w+ )*campanile\b/,
  /\b(?:docker\.io|ghcr\.io|quay\.io)\/[\w./-]*campanile\b/,
  /\b(?:docker|podman) (?:pull|run)\b[^\n`]* (?!localhost\/)[\w./-]*campanile:/,
];

const findLines = (pattern: RegExp) =>
  files.flatMap((path) => (pattern.exec(read(path)) ? [`${path}: ${pattern.exec(read(path))?.[0]}`] : []));

test.for(FROM_A_REGISTRY)('no file gets Campanile from a registry by %s', (pattern) => {
  expect(findLines(pattern)).toEqual([]);
});

test('package.json has the version of the first section of the changelog, with "-dev" until its release', () => {
  const [, number, date] = /^## \[(.+)\] - (.+)$/m.exec(read('CHANGELOG.md')) ?? [];
  expect(version).toBe(date === 'Unreleased' ? `${number}-dev` : number);
  const [, api, state] = /^### ([^,]+), (.+)$/m.exec(read('docs/reference/api-changes.md')) ?? [];
  expect([api, state === 'not released yet']).toEqual([number, date === 'Unreleased']);
});

test('every file has the version of package.json: release/write-version.sh', () => {
  expect(read('README.md')).toContain(`\nStatus: ${version}. `);
  expect(Package.parse(JSON.parse(read('package-lock.json')))).toMatchObject({ version });
  expect(read('clients/typescript/README.md')).toContain(` ./campanile-client-${version}.tgz\n`);
});

test('npm cannot publish the package by mistake', () => {
  expect({ name, isPrivate }).toEqual({ name: 'campanile', isPrivate: true });
});

test('every file names the public repository by the one placeholder, or by its address after a release', () => {
  const invalid = files.flatMap((path) =>
    [...read(path).matchAll(/[\w+:/.-]*REPOSITORY\.invalid[\w/-]*/g)].map(String),
  );
  const others = invalid.filter((address) => !address.replace(/^git\+/, '').startsWith(PLACEHOLDER));
  expect(others).toEqual([]);
});

const Container = z.looseObject({ image: z.string() });

/** Returns each object in a document that names an image of Campanile. */
function containersIn(value: unknown): Array<z.infer<typeof Container>> {
  if (Array.isArray(value)) return value.flatMap(containersIn);
  if (typeof value !== 'object' || value === null) return [];
  const own = Container.safeParse(value).data;
  return [...(own?.image.includes('campanile') ? [own] : []), ...Object.values(value).flatMap(containersIn)];
}

test.for([
  ['deploy/compose.yaml', { pull_policy: 'never' }],
  ['deploy/compose.scale.yaml', { pull_policy: 'never' }],
  ['deploy/kubernetes/1-campanile.yaml', { imagePullPolicy: 'IfNotPresent' }],
] as const)('%s runs the image of "npm run image" in this version, and pulls none', ([path, policy]) => {
  const containers = parseAllDocuments(read(path), { merge: true }).flatMap((one) => containersIn(one.toJS()));
  expect(containers.length).toBeGreaterThan(0);
  for (const container of containers)
    expect(container).toMatchObject({ image: `localhost/campanile:${version}`, ...policy });
});

test('the installation from a tarball checks its checksum first', () => {
  for (const path of ['docs/how-to/install-on-a-server.md', 'docs/how-to/upgrade.md'])
    expect(read(path)).toMatch(/sha256sum --check --ignore-missing SHA256SUMS[^]*npm install \.\/campanile-/);
});
