import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readVersion } from '../../src/lib/version.ts';
import { until } from '../support/ledger.ts';
import { removeService, startService } from '../support/service/service.ts';
import { ask, readAnswers, readTotals, signIn } from './installation.ts';
import { BACKUP, FIXTURES, makeFixture, PASSPHRASE_FILE, readAbout, sumDatabase } from './make-fixture.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOOR = join(ROOT, 'bin/campanile.mjs');
const released = existsSync(FIXTURES) ? readdirSync(FIXTURES) : [];
const LONG = { timeout: 120_000 };
/** Nothing goes because it is old. */
const KEPT = { RETENTION_DAYS: '36500', MEDIA_RETENTION_DAYS: '36500' };

/** Made by this very code, so that the first release finds the test at work. */
let own: string;
beforeAll(async () => {
  own = await mkdtemp(join(tmpdir(), 'campanile-fixture-'));
  await makeFixture(ROOT, own);
}, LONG.timeout);
afterAll(() => rm(own, { recursive: true, force: true }));

test.for(['this code', ...released])(
  'the data of %s is restored, brought up to date, whole, and sent on from',
  LONG,
  async (name) => {
    const fixture = name === 'this code' ? own : join(FIXTURES, name);
    const { answers, key } = await readAbout(fixture);
    const home = await mkdtemp(join(tmpdir(), 'campanile-upgrade-'));
    const folders = { DATA_DIR: join(home, 'data'), STATE_DIR: join(home, 'state') };
    const campanile = (...words: string[]) =>
      execFileSync(process.execPath, [DOOR, ...words], { env: { PATH: process.env['PATH'], ...folders } });
    campanile('restore', join(fixture, BACKUP), '--passphrase-file', PASSPHRASE_FILE);
    const service = await startService({
      folder: home,
      environment: { ...KEPT, SANDBOX_GAP_MS: '0-0', SANDBOX_SPEED: '50' },
    });
    onTestFinished(async () => {
      await service.kill();
      await removeService(service);
    });

    const token = await signIn(service.url);
    expect(await readAnswers(service.url, token)).toMatchObject(answers);

    campanile('release', '--send', 'all');
    const { campaigns } = await ask<{ campaigns: Array<{ campaign_id: string; name: string }> }>(
      service.url,
      key,
      'venom/list-campaigns',
    );
    const underWay = campaigns.find((one) => one.name === 'Under way')?.campaign_id ?? '';
    await ask(service.url, key, 'venom/resume-campaign', { campaign_id: underWay });
    const before = await readTotals(service.url, key, underWay);
    expect(before.queued).toBeGreaterThan(0);
    const sent = await until(
      () => readTotals(service.url, key, underWay),
      ({ queued, read }) => queued === 0 && read > before.read,
    );
    expect(sent).toMatchObject({ sent: before.sent + before.queued, failed: 0 });
    expect(await service.stop()).toBe(0);
  },
);

test('no migration that was released has been changed since, and nothing of the database by a patch release', async () => {
  const today = await sumDatabase(ROOT);
  expect(Object.keys(today)).toContain('migrations/001-schema.sql');
  for (const name of released) {
    const { version, database } = await readAbout(join(FIXTURES, name));
    const isPatch = isPatchOf(readVersion().version, version);
    const fixed = isPatch
      ? [...Object.keys(database), ...Object.keys(today)]
      : Object.keys(database).filter(isMigration);
    const changed = fixed.filter((file) => today[file] !== database[file]);
    expect(changed, `${version} is out: migrations stay as they are, and a patch release changes no function`).toEqual(
      [],
    );
  }
});

const isMigration = (file: string) => file.startsWith('migrations/');

/** Only the third number is higher; a pre-release (`0.1.0-before`) has no patches. */
function isPatchOf(version: string, before: string): boolean {
  if (before.includes('-')) return false;
  const [major, minor, patch = ''] = version.split('.');
  const [thenMajor, thenMinor, thenPatch = ''] = before.split('.');
  return major === thenMajor && minor === thenMinor && Number.parseInt(patch, 10) > Number.parseInt(thenPatch, 10);
}
