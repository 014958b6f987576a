/** `campanile doctor` on the command line, and its findings over HTTP. */
import { once } from 'node:events';
import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readConfig, type Config } from '../../../src/platform/config/config.ts';
import { checkLinkPreviews } from '../../../src/operations/doctor/check-link-previews.ts';
import { runChecks } from '../../../src/operations/doctor/run-checks.ts';
import { runCheck, type Check, type Finding } from '../../../src/operations/doctor/finding.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { campanile } from '../../support/service/campanile.ts';
import { removeService, startService } from '../../support/service/service.ts';

interface Told {
  examined_at: string;
  findings: Array<{ check: string; level: string; message: string; advice: string | null }>;
}
const levels = ({ findings }: Told) => Object.fromEntries(findings.map(({ check, level }) => [check, level]));

test('reports a running installation as healthy, and an error for missing workers when it is stopped', async () => {
  const service = await startService({ environment: { SINGUP: 'closed' } });
  expect(service.log()).toContain('SINGUP is not a setting. Did you mean SIGNUP?');
  const environment = {
    DATA_DIR: join(service.folder, 'data'),
    STATE_DIR: join(service.folder, 'state'),
    LINK_PREVIEWS: 'false',
  };
  const running = await campanile(environment, 'doctor', '--json');
  expect(running.code).toBe(0);
  expect(levels(JSON.parse(running.said) as Told)).toEqual({
    configuration: 'ok',
    database: 'ok',
    schema: 'ok',
    disk: 'ok',
    clock: 'ok',
    permissions: 'ok',
    secrets: 'ok',
    hold: 'ok',
    workers: 'ok',
    loops: 'ok',
    runs: 'ok',
    accounts: 'ok',
    quarantine: 'ok',
    whatsapp: 'ok',
    client_version: 'ok',
    link_previews: 'ok',
    files: 'ok',
    backups: 'warning',
  });
  const zone = /TIME_ZONE is not set: schedules of users who chose no time zone are in UTC/;
  expect(running.said).toMatch(zone);
  expect((await campanile({ ...environment, TIME_ZONE: 'UTC' }, 'doctor')).said).not.toMatch(zone);
  await service.stop();
  const { code, said } = await campanile({ ...environment, SINGUP: 'closed' }, 'doctor');
  expect(code).toBe(1);
  expect(said).toMatch(/^error {4}workers {9}No worker is running, so nothing is sent\n {25}→ Start the service/m);
  expect(said).toMatch(
    /^warning {2}configuration {3}SINGUP is not a setting\n +→ Did you mean SIGNUP\? Then rename it\.\n/m,
  );
  expect(said).toMatch(/^Errors: 1. Warnings: 2.\n$/m);
  await removeService(service);
});

test('reports invalid settings and an unreachable database as findings', async () => {
  const wrong = await campanile({ PORT: 'abc', TIME_ZONE: 'Mars', SINGUP: 'open' }, 'doctor');
  expect(wrong.code).toBe(1);
  expect(wrong.said).toMatch(/^warning +configuration +SINGUP is not a setting\n +→ Did you mean SIGNUP\?/m);
  expect(wrong.said).toMatch(/configuration +PORT must be .*\n.*\nerror +configuration +TIME_ZONE must be /);
  const away = await campanile({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' }, 'doctor', '--json');
  expect(away.code).toBe(1);
  const told = JSON.parse(away.said) as Told;
  expect(told.findings.find(({ check }) => check === 'database')?.message).toMatch(/cannot be reached.*127\.0\.0\.1:9/);
  expect(Object.keys(levels(told))).not.toContain('runs');
  expect((await campanile({}, 'doctor', '--yaml')).code).toBe(2);
});

describe('reports with a remedy:', () => {
  let app: TestApp;
  let alice: Person;
  let folder: string;
  let config: Config;
  beforeAll(async () => {
    app = await startTestApp({ sandboxGap: { minMs: 600_000, maxMs: 600_000 } });
    alice = await app.signUp('alice');
    folder = await mkdtemp(join(tmpdir(), 'campanile-doctor-'));
    config = readConfig({ DATA_DIR: folder, STATE_DIR: `${folder}-none` });
  });
  afterAll(async () => {
    await app.stop();
    await rm(folder, { recursive: true });
  });

  const run = (statement: ReturnType<typeof sql>) => statement.execute(app.database.db);
  const of = async (check: Check, settings: Partial<Config> = {}): Promise<Finding[]> => {
    const found = await runChecks({ config: { ...config, ...settings }, db: app.database.db });
    return found.filter((one) => one.check === check);
  };

  test('pages of links that cannot be fetched, and fetches that are switched off', async () => {
    const page = createServer((_request, response) => response.end('<title>Fair</title>')).listen(0, '127.0.0.1');
    await once(page, 'listening');
    onTestFinished(() => void page.close());
    const url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
    const checked = (environment: Record<string, string>) =>
      runCheck('link_previews', () => checkLinkPreviews(readConfig(environment), url));
    expect(await checked({})).toMatchObject([
      {
        check: 'link_previews',
        level: 'warning',
        message: expect.stringMatching(/without a preview: 127\.0\.0\.1:\d+: /),
        advice: expect.stringContaining('ports 80 and 443'),
      },
    ]);
    expect(await checked({ LINK_PREVIEW_ALLOWED_HOSTS: '127.0.0.1' })).toMatchObject([
      { level: 'ok', message: expect.stringContaining('answers (HTTP 200)') },
    ]);
    expect(await checked({ LINK_PREVIEWS: 'false' })).toMatchObject([
      { level: 'ok', message: expect.stringMatching(/^LINK_PREVIEWS is false/) },
    ]);
  });

  test('how much files take, and workspaces that have nearly used up their quota', async () => {
    expect(await of('files')).toMatchObject([{ level: 'ok', message: expect.stringContaining('Files take') }]);
    await run(sql`update workspaces set stored_bytes = 95 * 1024 * 1024`);
    expect(await of('files', { quotas: { ...config.quotas, storedBytes: 100 * 1024 * 1024 } })).toMatchObject([
      {
        level: 'warning',
        message: expect.stringMatching(/^Files take 95 MiB .* 90 % of their quota: 1\./),
        advice: expect.stringContaining('QUOTA_STORED_MB'),
      },
    ]);
    await run(sql`update workspaces set stored_bytes = 0`);
  });

  test('a server that could lose data in a power failure', async () => {
    expect(await of('database')).toMatchObject([
      { level: 'error', message: expect.stringContaining('fsync'), advice: expect.stringContaining('postgresql.conf') },
    ]);
  });

  test('a schema or functions of another version', async () => {
    expect(await of('schema')).toMatchObject([
      {
        level: 'ok',
        message: expect.stringMatching(/^The schema matches \d{3}-\S+\.sql \(epoch \d+\)$/),
      },
    ]);
    await run(sql`comment on function close_runs is null`);
    expect(await of('schema')).toMatchObject([{ level: 'error', message: expect.stringMatching(/: close_runs$/) }]);
    await run(sql`alter table group_sums rename to sums`);
    expect(await of('schema')).toMatchObject([
      {
        level: 'error',
        message: expect.stringContaining('table group_sums is missing'),
        advice: expect.stringContaining('rejects'),
      },
    ]);
    await run(sql`alter table sums rename to group_sums`);
    await run(sql`update migrations set epoch = 0`);
    expect(await of('schema')).toMatchObject([
      {
        level: 'warning',
        message: expect.stringContaining('from epoch 0'),
        advice: expect.stringContaining('upgrade --check'),
      },
    ]);
  });

  test('the clock skew between database and machine', async () => {
    const [finding] = await of('clock');
    expect(finding).toMatchObject({ level: 'ok', message: expect.stringMatching(/ 0\.\d s apart$/) });
  });

  test('files that others can read, and a missing STATE_DIR', async () => {
    await chmod(folder, 0o755);
    await writeFile(join(folder, 'jwt-secret'), 'a secret', { mode: 0o644 });
    const found = await of('permissions');
    expect(found.map(({ level, advice }) => [level, advice])).toEqual([
      ['error', `Run: chmod 700 ${folder}`],
      ['error', `Run: chmod 600 ${join(folder, 'jwt-secret')}`],
      ['warning', expect.stringContaining('volume')],
    ]);
  });

  test('stored time zones that are unknown to this version', async () => {
    await run(sql`update users set time_zone = 'Mars/Olympus'`);
    const isOfZones = ({ message }: Finding) => message.includes('time zones');
    expect((await of('accounts')).find(isOfZones)).toMatchObject({
      level: 'warning',
      message:
        'The time zones of 1 users and 0 open campaigns are unknown to this version: "Mars/Olympus". TIME_ZONE applies to these users',
    });
    await run(sql`update users set time_zone = 'Europe/Berlin'`);
    expect((await of('accounts')).find(isOfZones)).toBeUndefined();
  });

  test('a disk below the free-space floor', async () => {
    expect(await of('disk', { diskFloorBytes: 2 ** 60 })).toMatchObject([
      { level: 'error', message: expect.stringContaining('new campaigns and files are rejected') },
    ]);
    expect(await of('disk', { diskFloorBytes: 0 })).toMatchObject([{ level: 'ok' }]);
  });

  test('a ledger on hold', async () => {
    await run(sql`update ledger set held_since = campanile_now(), held_reason = 'a test'`);
    expect(await of('hold')).toMatchObject([{ level: 'error', message: expect.stringContaining('a test') }]);
    await run(sql`update ledger set held_since = null, held_reason = null`);
    expect(await of('hold')).toMatchObject([{ level: 'ok' }]);
  });

  test('missed runs', async () => {
    const groups = (await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body.data;
    const { status } = await alice.call('venom/add-campaign-batch', {
      name: 'Later',
      html: 'Later',
      group_metadata_ids: groups.groups.slice(0, 1).map((group) => group.group_metadata_id),
      is_schedule: true,
      schedule_time: '09:00:00',
      start_date: '2099-06-01',
      end_date: '2099-06-02',
    });
    expect(status).toBe(200);
    expect(await of('runs')).toMatchObject([{ level: 'ok' }]);
    // As if no worker had served the shard.
    await run(sql`update runs set status = 'missed', finished_at = campanile_now() where due_at < '2099-06-02'`);
    expect(await of('runs')).toMatchObject([{ level: 'warning', message: expect.stringMatching(/^Missed runs: 1 /) }]);
  });

  test('logged-out accounts', async () => {
    expect(await of('accounts')).toMatchObject([{ level: 'ok' }]);
    await run(sql`update accounts set status = 'logged_out'`);
    expect(await of('accounts')).toMatchObject([{ level: 'warning', message: '1 of 1 accounts: logged out' }]);
    await run(sql`update accounts set status = 'connected'`);
  });

  test('channels that WhatsApp does not list', async () => {
    await run(sql`update accounts set channels_unread_since = campanile_now()`);
    expect(await of('accounts')).toMatchObject([
      { level: 'warning', message: expect.stringContaining('WhatsApp does not list their channels') },
    ]);
    await run(sql`update accounts set channels_unread_since = null`);
  });

  test('an unreachable WhatsApp, and a client version that is rejected or old', async () => {
    const server = createServer((_request, response) => response.writeHead(400).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const whatsappUrl = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    expect(await of('whatsapp', { messenger: 'whatsapp', whatsappUrl })).toMatchObject([
      { level: 'ok', message: expect.stringContaining('HTTP 400') },
    ]);
    await new Promise((resolve) => server.close(resolve));
    expect(await of('whatsapp', { messenger: 'whatsapp', whatsappUrl })).toMatchObject([
      { level: 'error', message: expect.stringContaining('cannot be reached') },
    ]);
    await run(sql`insert into whatsapp_version (version, let_in_at)
                  values ('2.3000.1', campanile_now() - interval '70 days')`);
    await run(sql`update accounts set status = 'reconnecting', status_code = 'version_refused'`);
    expect(await of('client_version', { whatsappVersion: [2, 3000, 1] })).toMatchObject([
      { level: 'warning', message: expect.stringContaining('WHATSAPP_VERSION') },
      { level: 'error', message: expect.stringContaining('cannot connect: 1') },
      { level: 'warning', message: expect.stringMatching(/at least (7\d|[89]\d|\d{3,}) days old/) },
    ]);
    await run(sql`update accounts set status = 'connected', status_reason = null`);
  });

  test('a client version that WhatsApp takes for two weeks or less', async () => {
    const endIn = (days: number) =>
      run(sql`insert into whatsapp_version (version, ends_at) values ('2.3000.1', campanile_now() + ${days} * interval '1 day')
              on conflict (only_row) do update set ends_at = excluded.ends_at`);
    const until = { message: expect.stringMatching(/ WhatsApp takes it until \d{4}-\d\d-\d\d$/) };
    await endIn(15);
    expect(await of('client_version', {})).toMatchObject([{ level: 'ok', ...until }]);
    await endIn(13);
    expect(await of('client_version', {})).toMatchObject([{ level: 'warning', ...until }]);
    await run(sql`delete from whatsapp_version`);
  });

  test('missing and old backups', async () => {
    const backup = {
      to: await mkdtemp(join(tmpdir(), 'campanile-backups-')),
      at: '03:00',
      keep: 7,
      passphrase: undefined,
    };
    onTestFinished(() => rm(backup.to, { recursive: true }));
    expect(await of('backups', { backup })).toMatchObject([
      { level: 'error', message: expect.stringContaining('has no backup') },
    ]);
    const fileOf = (hoursAgo: number) => {
      const at = new Date(Date.now() - hoursAgo * 3_600_000);
      return join(backup.to, `campanile-${at.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.campanile`);
    };
    const [fresh, old, future] = [fileOf(1), fileOf(30), fileOf(-30)];
    await writeFile(fresh, '');
    expect(await of('backups', { backup })).toMatchObject([{ level: 'ok' }]);
    await rename(fresh, old);
    const oldBackup = { level: 'error', message: expect.stringContaining('30 hours ago') };
    expect(await of('backups', { backup })).toMatchObject([oldBackup]);
    await writeFile(future, '');
    expect(await of('backups', { backup })).toMatchObject([
      oldBackup,
      { level: 'warning', message: `${basename(future)} in BACKUP_TO is dated in the future` },
    ]);
    const to = join(fresh, 'backups');
    await writeFile(fresh, '');
    expect(await of('backups', { backup: { ...backup, to } })).toMatchObject([
      { level: 'error', message: `BACKUP_TO cannot be written: ${to} is not a folder` },
      { level: 'error', message: expect.stringContaining('has no backup') },
    ]);
  });

  test('findings over HTTP, to administrators only', async () => {
    const bob = await app.signUp('bob');
    expect((await bob.call('admin/get_installation')).status).toBe(403);
    const [one, other] = await Promise.all([
      alice.call<Told>('admin/get_installation'),
      alice.call<Told>('admin/get_installation'),
    ]);
    expect(one.status).toBe(200);
    expect(levels(one.body.data)).toMatchObject({ workers: 'ok', hold: 'ok', database: 'error' });
    expect(other.body.data.examined_at).toBe(one.body.data.examined_at);
  });
});
