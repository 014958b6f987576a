import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { post } from '../../support/app.ts';
import { campanile as run } from '../../support/service/campanile.ts';
import { until } from '../../support/ledger.ts';
import { removeService, startService, type Service } from '../../support/service/service.ts';
import { signUpSender } from '../../support/service/storm.ts';

const GROUPS = 20;
const HELD_MS = 2_500;

const campanile = (dataDir: string, ...words: string[]) =>
  run({ DATA_DIR: dataDir, STATE_DIR: `${dataDir}-state` }, ...words);

async function start(folder?: string, environment: Record<string, string> = {}): Promise<Service> {
  const service = await startService({
    ...(folder !== undefined && { folder }),
    environment: { SANDBOX_GAP_MS: '1500-1500', SANDBOX_SPEED: '0', ...environment },
  });
  onTestFinished(() => service.kill());
  return service;
}

async function totalsOf(service: Service, token: string, campaign_id: string): Promise<Record<string, number>> {
  const { body } = await post(service.url, 'analytics/get-campaign-group-analytics-master', { campaign_id }, token);
  return (body.data?.['totals'] ?? {}) as Record<string, number>;
}

test('makes a backup in the middle of a campaign, verifies, restores, holds and releases it', async () => {
  const service = await start();
  onTestFinished(() => removeService(service));
  const data = join(service.folder, 'data');
  const passphrase = join(service.folder, 'passphrase');
  const file = join(service.folder, 'backup.campanile');
  await writeFile(passphrase, 'a passphrase that is long\n');
  const { token } = await signUpSender(service.url, 'alice');
  const groupIds: unknown[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const group = { group_name: `G ${index}`, participants: [] };
    groupIds.push((await post(service.url, 'venom/create-group', group, token)).body.data?.['group_metadata_id']);
  }
  expect(await campanile(data, 'backup', file)).toMatchObject({
    code: 1,
    said: expect.stringContaining('--passphrase-file'),
  });
  const campaign = { name: 'Once', html: 'Once', group_metadata_ids: groupIds };
  const { body } = await post(service.url, 'venom/add-campaign', campaign, token);
  const id = String(body.data?.['campaign_id']);
  await until(
    () => totalsOf(service, token, id),
    ({ sent = 0 }) => sent >= 3,
  );

  const made = await campanile(data, 'backup', file, '--passphrase-file', passphrase);
  expect(made).toEqual({ code: 0, said: expect.stringMatching(/^\S+: \d+\.\d MB in \d+\.\d s\n$/) });
  expect(await campanile(data, 'backup', file, '--passphrase-file', passphrase)).toMatchObject({ code: 1 });
  expect((await readdir(data)).filter((name) => name.includes('backup'))).toEqual([]);
  await until(
    () => totalsOf(service, token, id),
    ({ sent }) => sent === GROUPS,
  );
  expect(await campanile(data, 'backup', 'verify', file, '--passphrase-file', passphrase)).toEqual({
    code: 0,
    said: expect.stringMatching(
      /is complete and authentic: made \S+ by Campanile \S+, with 1 users, 1 campaigns and 20 posts\n$/,
    ),
  });
  expect(await campanile(data, 'restore', file)).toMatchObject({
    code: 1,
    said: expect.stringContaining('is not empty'),
  });

  expect(await campanile(data, 'backup', 'verify', file)).toEqual({
    code: 1,
    said: expect.stringMatching(/was not authenticated: [^]*Nothing was started\.\n$/),
  });
  expect(await campanile(data, 'backup', 'verify', file, '--unauthenticated')).toMatchObject({ code: 0 });
  const blind = join(service.folder, 'blind');
  expect(await campanile(blind, 'restore', file)).toEqual({
    code: 1,
    said: expect.stringMatching(/^[^\n]*--passphrase-file FILE\. [^\n]*--unauthenticated[^\n]*\n$/),
  });
  expect(await readdir(blind)).toEqual([]);
  expect(await campanile(blind, 'restore', file, '--unauthenticated')).toEqual({
    code: 0,
    said: expect.stringMatching(/The backup was not authenticated: [^]*The secrets were not restored/),
  });

  const elsewhere = join(service.folder, 'elsewhere');
  expect(await campanile(elsewhere, 'restore', file, '--passphrase-file', passphrase)).toMatchObject({ code: 0 });
  for (const secret of ['jwt-secret', 'encryption-key'])
    expect(await readFile(join(elsewhere, secret), 'utf8')).toBe(await readFile(join(data, secret), 'utf8'));
  expect(await campanile(elsewhere, 'release', '--send', 'all')).toMatchObject({
    code: 1,
    said: expect.stringContaining('Start Campanile'),
  });
  const folders = { DATA_DIR: elsewhere, STATE_DIR: join(service.folder, 'fresh') };
  const restored = await start(service.folder, folders);
  const before = await totalsOf(restored, token, id);
  await sleep(HELD_MS);
  expect(await totalsOf(restored, token, id)).toEqual(before);
  const shown = await campanile(elsewhere, 'release');
  expect(shown).toEqual({ code: 0, said: expect.stringContaining('it was restored from a backup') });
  expect(shown.said).toContain(id);
  expect(await campanile(elsewhere, 'release', '--unknown', 'all')).toEqual({
    code: 0,
    said: expect.stringContaining('Released'),
  });
  expect(await totalsOf(restored, token, id)).toMatchObject({
    queued: 0,
    failed: before['queued'],
    sent: before['sent'],
  });
  await post(restored.url, 'venom/add-campaign', { ...campaign, name: 'Next' }, token);
  await restored.kill();
  const again = await start(service.folder, folders);
  expect(again.log()).not.toContain('sends nothing');
});

test('does not start a restore without secrets until its encryption key is there', async () => {
  const service = await start();
  onTestFinished(() => removeService(service));
  const data = join(service.folder, 'data');
  const passphrase = join(service.folder, 'passphrase');
  await writeFile(passphrase, 'a passphrase that is long');
  const file = join(service.folder, 'backup');
  await service.stop();
  expect(await campanile(data, 'backup', file, '--passphrase-file', passphrase)).toMatchObject({ code: 0 });
  const elsewhere = join(service.folder, 'elsewhere');
  expect(await campanile(elsewhere, 'restore', file, '--unauthenticated')).toEqual({
    code: 0,
    said: expect.stringContaining('put the file encryption-key into DATA_DIR'),
  });
  const folders = { DATA_DIR: elsewhere, STATE_DIR: join(service.folder, 'fresh') };
  await expect(start(service.folder, folders)).rejects.toThrow(/The encryption key [\da-f]{16} is missing/);
  await cp(join(data, 'encryption-key'), join(elsewhere, 'encryption-key'));
  const restored = await start(service.folder, folders);
  expect(restored.log()).toContain('sends nothing');
});

test('rejects a truncated, altered or invalid backup and a wrong passphrase, with one sentence', async () => {
  const service = await start();
  onTestFinished(() => removeService(service));
  const data = join(service.folder, 'data');
  const [passphrase, other] = [join(service.folder, 'passphrase'), join(service.folder, 'other')];
  await writeFile(passphrase, 'a passphrase that is long');
  await writeFile(other, 'another one that is long');
  const file = join(service.folder, 'backup');
  await service.stop();
  expect(await campanile(data, 'backup', file, '--passphrase-file', passphrase)).toMatchObject({ code: 0 });
  const whole = await readFile(file);
  const verify = (name: string, key = passphrase) =>
    campanile(data, 'backup', 'verify', join(service.folder, name), '--passphrase-file', key);
  await writeFile(join(service.folder, 'short'), whole.subarray(0, whole.length >> 1));
  const changed = Buffer.from(whole);
  changed[whole.length >> 1] = (changed[whole.length >> 1] ?? 0) ^ 1;
  await writeFile(join(service.folder, 'changed'), changed);
  await writeFile(join(service.folder, 'none'), 'this is a text');
  for (const name of ['short', 'changed', 'none', 'missing'])
    expect(await verify(name)).toEqual({ code: 1, said: expect.stringMatching(/^[^\n]+\n$/) });
  expect(await verify('backup', other)).toMatchObject({
    code: 1,
    said: expect.stringContaining('another passphrase'),
  });
  const target = join(service.folder, 'target');
  await mkdir(target);
  await chmod(target, 0o700);
  expect(await campanile(target, 'restore', join(service.folder, 'short'))).toMatchObject({ code: 1 });
  expect(await readdir(target)).toEqual([]);
  await rm(target, { recursive: true });
});
