import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApp, type App } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { createLog } from '../src/lib/log.ts';
import { startTestApp, type TestApp } from './support/app.ts';
import { until } from './support/ledger.ts';

let api: TestApp;
let worker: App | undefined;
let folder: string;
const url = () => {
  const { address } = api.database;
  if ('url' in address) return address.url;
  return `postgres://${address.user}@localhost/${address.database}?host=${encodeURIComponent(address.socketFolder)}`;
};
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campanile-roles-'));
  api = await startTestApp({ role: 'api' });
});
afterAll(async () => {
  await worker?.stop();
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

test('what an api accepts while no worker is there is sent as soon as one is', async () => {
  const alice = await api.signUp('alice');
  const waiting = alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const environment = { DATA_DIR: join(folder, 'data'), STATE_DIR: join(folder, 'state'), SANDBOX_SPEED: '20' };
  worker = await startApp({ ...readConfig(environment), role: 'worker', databaseUrl: url() }, createLog('fatal'));
  expect(worker.url).toBeUndefined();
  const ids = (await waiting).body.data.groups.map((group) => group.group_metadata_id);
  expect(ids).toHaveLength(3);

  await worker.stop();
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'Later',
    html: 'Hello',
    group_metadata_ids: ids,
  });
  const totals = async () =>
    (
      await alice.call<{ totals: { sent: number; queued: number } }>(
        'analytics/get-campaign-group-analytics-master',
        body.data,
      )
    ).body.data.totals;
  expect(await totals()).toMatchObject({ sent: 0, queued: 3 });
  worker = await startApp({ ...readConfig(environment), role: 'worker', databaseUrl: url() }, createLog('fatal'));
  expect(await until(totals, ({ queued }) => queued === 0)).toMatchObject({ sent: 3 });
});
