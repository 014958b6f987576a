import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import type { Database } from '../../src/platform/database/statements.ts';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded/embedded.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { readVersion } from '../../src/platform/config/version.ts';
import { until } from '../support/ledger.ts';
import { campanile } from '../support/service/campanile.ts';
import { removeService, startService } from '../support/service/service.ts';
import { ask, readAnswers, readTotals, signIn } from './installation.ts';
import {
  BACKUP,
  FIXTURES,
  makeFixture,
  PASSPHRASE_FILE,
  readAbout,
  sumDatabase,
} from '../../scripts/make-upgrade-fixture.ts';

const ROOT = join(import.meta.dirname, '../..');
const released = existsSync(FIXTURES) ? readdirSync(FIXTURES) : [];
/** Retention is long enough to delete nothing. */
const KEPT = { RETENTION_DAYS: '36500', MEDIA_RETENTION_DAYS: '36500' };

/** Made before backups had an authentication code. */
const UNAUTHENTICATED = 'before-0.1.0';

/** The fixture of the current code, so that the test works before the first release. */
let own: string;
beforeAll(async () => {
  own = await mkdtemp(join(tmpdir(), 'campanile-fixture-'));
  await makeFixture(ROOT, own);
});
afterAll(() => rm(own, { recursive: true, force: true }));

test.for(['this code', ...released])(
  'restores and upgrades the data of %s completely, and continues sending',
  async (name) => {
    const fixture = name === 'this code' ? own : join(FIXTURES, name);
    const { answers, key } = await readAbout(fixture);
    const home = await mkdtemp(join(tmpdir(), 'campanile-upgrade-'));
    const folders = { DATA_DIR: join(home, 'data'), STATE_DIR: join(home, 'state') };
    await restore(folders, fixture);
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

    expect(await campanile(folders, 'release', '--send', 'all')).toMatchObject({ code: 0 });
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

    // The main job: a new campaign, and its totals.
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>(
      service.url,
      token,
      'venom/list-groups',
    );
    const { campaign_id } = await ask<{ campaign_id: string }>(service.url, token, 'venom/add-campaign', {
      name: 'Of today',
      html: '<p>From the code of today</p>',
      group_metadata_ids: groups.map((one) => one.group_metadata_id),
    });
    const today = await until(
      () => readTotals(service.url, token, campaign_id),
      (totals) => totals.sent === groups.length && totals.read > 0,
    );
    expect(today).toMatchObject({ queued: 0, failed: 0 });
    expect(await service.stop()).toBe(0);
  },
);

test('rejects data whose schema was changed by hand', async () => {
  const home = await mkdtemp(join(tmpdir(), 'campanile-upgrade-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const environment = { DATA_DIR: join(home, 'data'), STATE_DIR: join(home, 'state') };
  await restore(environment, join(FIXTURES, UNAUTHENTICATED));
  await changeDatabase(environment.DATA_DIR, (db) => sql`drop table recovery_codes`.execute(db));

  await expect(startService({ folder: home })).rejects.toThrow(
    /The schema of the database is not that of its migrations .*table recovery_codes is missing.*Start the version that wrote it/,
  );
  const doctor = await campanile(environment, 'doctor');
  expect(doctor).toMatchObject({ code: 1, said: expect.stringMatching(/^error +schema +The schema of the database/m) });
});

async function restore(environment: Record<string, string>, fixture: string): Promise<void> {
  const words = [
    '--passphrase-file',
    PASSPHRASE_FILE,
    ...(fixture.endsWith(UNAUTHENTICATED) ? ['--unauthenticated'] : []),
  ];
  expect(await campanile(environment, 'restore', join(fixture, BACKUP), ...words)).toMatchObject({ code: 0 });
}

async function changeDatabase(dataDir: string, change: (db: Database) => Promise<unknown>): Promise<void> {
  const log = createLog('fatal');
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  const db = connectDatabase(postgres.address, { log, poolSize: 1 });
  try {
    await change(db);
  } finally {
    await db.destroy();
    await postgres.stop();
  }
}

test('no released migration has changed, and no patch release changes the database', async () => {
  const today = await sumDatabase(ROOT);
  expect(Object.keys(today)).toContain('migrations/002-ledger-epoch.sql');
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

/** The first has gone: every database has it. */
const isMigration = (file: string) => file.startsWith('migrations/') && !file.startsWith('migrations/001-');

/** Returns whether only the third number is higher; a pre-release (`0.1.0-before`) has no patches. */
function isPatchOf(version: string, before: string): boolean {
  if (before.includes('-')) return false;
  const [major, minor, patch = ''] = version.split('.');
  const [thenMajor, thenMinor, thenPatch = ''] = before.split('.');
  return major === thenMajor && minor === thenMinor && Number.parseInt(patch, 10) > Number.parseInt(thenPatch, 10);
}
