/**
 * Makes the fixture of a release, which `test/upgrade/upgrade.slow.test.ts` brings up to date ever after: `npx node scripts/make-upgrade-fixture.ts` of this
 * checkout, which release/release.sh does, or `npx node scripts/make-upgrade-fixture.ts v1.2.3` of a tag.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { removeService, startService } from '../test/support/service/service.ts';
import { furnish, readAnswers, signIn } from '../test/upgrade/installation.ts';

const ROOT = join(import.meta.dirname, '..');
export const FIXTURES = join(import.meta.dirname, '../test/upgrade/fixtures');
/** Seals the secrets of all of them, which protect nothing. */
export const PASSPHRASE_FILE = join(import.meta.dirname, '../test/upgrade/passphrase');
export const BACKUP = 'backup.campanile';
const ABOUT = 'about.json';

/** The facts about the installation of the backup in the same folder. */
export const About = z.object({
  version: z.string(),
  /** An API key of its owner. */
  key: z.string(),
  answers: z.record(z.string(), z.unknown()),
  /** The sums of its migrations and functions, by file. */
  database: z.record(z.string(), z.string()),
});

export type About = z.infer<typeof About>;

export async function readAbout(fixture: string): Promise<About> {
  return About.parse(JSON.parse(await readFile(join(fixture, ABOUT), 'utf8')));
}

/** The SHA-256 of each migration and function of the database of a checkout. */
export async function sumDatabase(checkout: string): Promise<Record<string, string>> {
  const folder = join(checkout, 'src/platform/database');
  const sums: Record<string, string> = {};
  const names = await readdir(folder, { recursive: true });
  for (const name of names.filter((one) => one.endsWith('.sql')).toSorted())
    sums[name] = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  return sums;
}

/**
 * Runs the service of a checkout on new data, fills the data, makes a backup with the checkout's own command, and saves the service's
 * answers.
 */
export async function makeFixture(checkout: string, fixture: string): Promise<void> {
  const entry = join(checkout, 'bin/campanile.mjs');
  await mkdir(fixture, { recursive: true });
  const service = await startService({
    entry,
    cwd: checkout,
    environment: { SANDBOX_SPEED: '50', SANDBOX_GAP_MS: '300-300' },
  });
  try {
    const key = await furnish(service.url);
    const answers = await readAnswers(service.url, await signIn(service.url));
    const words = ['backup', join(fixture, BACKUP), '--passphrase-file', PASSPHRASE_FILE];
    execFileSync(process.execPath, [entry, ...words], {
      cwd: checkout,
      env: { PATH: process.env['PATH'], DATA_DIR: join(service.folder, 'data') },
    });
    const { version } = JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')) as { version: string };
    const about: About = { version, key, answers, database: await sumDatabase(checkout) };
    await writeFile(join(fixture, ABOUT), `${JSON.stringify(about, null, 2)}\n`);
  } finally {
    await service.kill();
    await removeService(service);
  }
}

async function makeOfTag(tag: string, fixture: string): Promise<void> {
  const checkout = await mkdtemp(join(tmpdir(), 'campanile-tag-'));
  const run = (program: string, ...words: string[]) =>
    execFileSync(program, words, { cwd: checkout, stdio: 'inherit' });
  try {
    run('git', 'clone', '--quiet', '--depth=1', '--branch', tag, `file://${ROOT}`, '.');
    run('npm', 'ci', '--no-audit', '--no-fund');
    await makeFixture(checkout, fixture);
  } finally {
    await rm(checkout, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (import.meta.main) {
  const tag = process.argv[2];
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const fixture = join(FIXTURES, tag?.replace(/^v/, '') ?? version);
  await (tag === undefined ? makeFixture(ROOT, fixture) : makeOfTag(tag, fixture));
  process.stdout.write(`${fixture}\n`);
}
