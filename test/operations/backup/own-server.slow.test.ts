import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execute, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { post } from '../../support/app.ts';
import { campanile } from '../../support/service/campanile.ts';
import { until } from '../../support/ledger.ts';
import { startService } from '../../support/service/service.ts';
import { signUpSender } from '../../support/service/storm.ts';
import { findSystemPostgres, packageOf } from '../../support/servers/system-postgres.ts';

const HELD_MS = 2_500;
/** More groups than are sent to during a backup. */
const GROUPS = 20;
const bin = findSystemPostgres();
const log = createLog('silent');

let server: EmbeddedPostgres | undefined;
const folder = await mkdtemp(join(tmpdir(), 'campanile-own-'));
const passphrase = join(folder, 'passphrase');
await writeFile(passphrase, 'a passphrase that is long\n');
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Creates a database on an external server of the PostgreSQL on this machine, and returns its URL. Its socket needs no password. */
async function createDatabase(name: string, role?: string): Promise<string> {
  server ??= await startEmbeddedPostgres({
    dataDir: join(folder, 'server'),
    log,
    ...(bin !== undefined && { packageFolder: packageOf(bin, join(folder, 'programs')) }),
    settings: { fsync: 'off' },
  });
  if ('url' in server.address) throw new Error('a server on a Unix socket is needed');
  const db = connectDatabase(server.address, { log, poolSize: 1 });
  await execute(db)`create database ${sql.id(name)}`;
  if (role !== undefined) {
    await execute(db)`create role ${sql.id(role)} login`;
    await execute(db)`alter database ${sql.id(name)} owner to ${sql.id(role)}`;
  }
  await db.destroy();
  const { user, socketFolder } = server.address;
  return `postgres://${role ?? user}:a%3Apass%5Cword@localhost/${name}?host=${encodeURIComponent(socketFolder)}`;
}

const totalsOf = async (url: string, token: string, campaign_id: string) =>
  ((await post(url, 'analytics/get-campaign-group-analytics-master', { campaign_id }, token)).body.data?.['totals'] ??
    {}) as Record<string, number>;

test.skipIf(!bin)(
  'backs up an external PostgreSQL in the middle of a campaign, verifies it, restores it into an empty database, and holds it',
  async () => {
    const PATH = `${bin}:${process.env['PATH']}`;
    const sealed = ['--passphrase-file', passphrase];
    const living = {
      PATH,
      DATABASE_URL: await createDatabase('living'),
      DATA_DIR: join(folder, 'living'),
      STATE_DIR: join(folder, 'living-state'),
    };
    const pace = { SANDBOX_GAP_MS: '1500-1500', SANDBOX_SPEED: '0' };
    const service = await startService({ folder, environment: { ...living, ...pace } });
    onTestFinished(() => service.kill());
    const { token } = await signUpSender(service.url, 'alice');
    const groupIds: unknown[] = [];
    for (let index = 0; index < GROUPS; index++) {
      const group = { group_name: `G ${index}`, participants: [] };
      groupIds.push((await post(service.url, 'venom/create-group', group, token)).body.data?.['group_metadata_id']);
    }
    const campaign = { name: 'Once', html: 'Once', group_metadata_ids: groupIds };
    const { body } = await post(service.url, 'venom/add-campaign', campaign, token);
    const id = String(body.data?.['campaign_id']);
    await until(
      () => totalsOf(service.url, token, id),
      ({ sent = 0 }) => sent >= 1,
    );
    const file = join(folder, 'own.campanile');
    expect(await campanile(living, 'backup', file)).toMatchObject({
      code: 1,
      said: expect.stringContaining('--passphrase-file'),
    });
    expect(await campanile(living, 'backup', file, ...sealed)).toMatchObject({ code: 0 });
    expect(await campanile(living, 'backup', 'verify', file, ...sealed)).toEqual({
      code: 0,
      said: expect.stringMatching(/is complete and authentic: .* with 1 users, 1 campaigns and 20 posts\n$/),
    });
    expect(await campanile(living, 'restore', file, ...sealed)).toEqual({
      code: 1,
      said: expect.stringContaining('is not empty'),
    });

    const restored = {
      ...living,
      DATABASE_URL: await createDatabase('restored'),
      DATA_DIR: join(folder, 'restored'),
      STATE_DIR: join(folder, 'restored-state'),
    };
    expect(await campanile(restored, 'restore', file, ...sealed)).toEqual({
      code: 0,
      said: expect.stringContaining('into the database of DATABASE_URL'),
    });
    for (const secret of ['jwt-secret', 'encryption-key'])
      expect(await readFile(join(restored.DATA_DIR, secret), 'utf8')).toBe(
        await readFile(join(living.DATA_DIR, secret), 'utf8'),
      );
    const again = await startService({ folder, environment: { ...restored, ...pace } });
    onTestFinished(() => again.kill());
    const before = await totalsOf(again.url, token, id);
    expect(before['queued']).toBeGreaterThan(0);
    await sleep(HELD_MS);
    expect(await totalsOf(again.url, token, id)).toEqual(before);
    expect(await campanile(restored, 'release')).toEqual({
      code: 0,
      said: expect.stringContaining('it was restored from a backup'),
    });
    expect(await campanile(restored, 'release', '--unknown', 'all')).toMatchObject({ code: 0 });
    expect(await totalsOf(again.url, token, id)).toMatchObject({ queued: 0, sent: before['sent'] });

    const anonymous = { ...living, DATA_DIR: join(folder, 'anonymous'), STATE_DIR: join(folder, 'anonymous-state') };
    const superuser = { ...anonymous, DATABASE_URL: await createDatabase('superuser') };
    expect(await campanile(superuser, 'restore', file, '--unauthenticated')).toEqual({
      code: 1,
      said: expect.stringContaining('could run commands on the database server'),
    });
    const { PATH: path, DATA_DIR, STATE_DIR } = anonymous;
    expect(await campanile({ PATH: path, DATA_DIR, STATE_DIR }, 'restore', file, '--unauthenticated')).toEqual({
      code: 1,
      said: expect.stringContaining('superuser of the embedded PostgreSQL'),
    });
    const harmless = { ...anonymous, DATABASE_URL: await createDatabase('harmless', 'harmless') };
    expect(await campanile(harmless, 'restore', file, '--unauthenticated')).toEqual({
      code: 0,
      said: expect.stringContaining('The backup was not authenticated'),
    });

    const embedded = { PATH, DATA_DIR: join(folder, 'embedded'), STATE_DIR: join(folder, 'embedded-state') };
    expect(await campanile(embedded, 'restore', file, ...sealed)).toMatchObject({ code: 0 });
    const moved = await startService({ folder, environment: { ...embedded, ...pace } });
    onTestFinished(() => moved.kill());
    expect(await totalsOf(moved.url, token, id)).toEqual(before);
  },
);

if (!bin)
  process.stdout.write(
    'Backups of a PostgreSQL of one’s own were not tried: this machine has no server with a pg_dump in /usr/lib/postgresql\n',
  );

test('reports a pg_dump that is missing or older than the server in one sentence, and leaves nothing behind', async () => {
  const environment = {
    DATABASE_URL: await createDatabase('lacking'),
    DATA_DIR: join(folder, 'lacking'),
    STATE_DIR: join(folder, 'lacking-state'),
  };
  const service = await startService({ folder, environment });
  await service.stop();
  const words = ['backup', join(folder, 'none.campanile'), '--passphrase-file', passphrase];
  const PATH = join(folder, 'bin');
  await mkdir(PATH);
  expect(await campanile({ ...environment, PATH }, ...words)).toEqual({
    code: 1,
    said: expect.stringMatching(/^pg_dump is not on the PATH\. .*\n$/),
  });
  await writeFile(join(PATH, 'pg_dump'), '#!/bin/sh\necho "pg_dump (PostgreSQL) 9.6.24"\n');
  await chmod(join(PATH, 'pg_dump'), 0o755);
  expect(await campanile({ ...environment, PATH }, ...words)).toEqual({
    code: 1,
    said: expect.stringMatching(/^The pg_dump on the PATH has version 9, and the server .* has version \d\d\. .*\n$/),
  });
  expect((await readdir(dirname(PATH))).filter((name) => /none|backup/.test(name))).toEqual([]);
});
