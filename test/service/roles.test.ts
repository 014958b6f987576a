import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApp, type App } from '../../src/app/app.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { groupsOf, startTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';

let worker: App | undefined;
const url = () => {
  const { address } = api.database;
  if ('url' in address) return address.url;
  return `postgres://${address.user}@localhost/${address.database}?host=${encodeURIComponent(address.socketFolder)}`;
};
const folder = await mkdtemp(join(tmpdir(), 'campanile-roles-'));
const api = await startTestApp({ role: 'api' });
afterAll(async () => {
  await worker?.stop();
  await api.stop();
  await rm(folder, { recursive: true, force: true });
});

function startWorkerApp(more: Record<string, string> = {}): Promise<App> {
  const environment = {
    ROLE: 'worker',
    DATABASE_URL: url(),
    JWT_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: '07'.repeat(32),
    DATA_DIR: join(folder, 'data'),
    STATE_DIR: join(folder, 'state'),
    SANDBOX_SPEED: '20',
    ...more,
  };
  return startApp(readConfig(environment), createLog('fatal'));
}

test('a worker sends the campaigns that an api accepted before its start', async () => {
  const alice = await api.signUp('alice');
  const waiting = alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  worker = await startWorkerApp();
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
  worker = await startWorkerApp();
  expect(await until(totals, ({ queued }) => queued === 0)).toMatchObject({ sent: 3 });
});

describe('a worker', () => {
  const ask = async (path: string, init?: RequestInit) => fetch(`${worker?.url}${path}`, init);
  const metric = async (name: string) => {
    const text = await (await ask('/metrics', { headers: { authorization: 'Bearer let me see' } })).text();
    const line = text.split('\n').find((one) => one.startsWith(`${name} `) || one.startsWith(`${name}{`));
    return Number(line?.split(' ').at(-1) ?? Number.NaN);
  };
  beforeAll(async () => {
    await worker?.stop();
    worker = await startWorkerApp({ METRICS_TOKEN: 'let me see' });
  });

  test('serves its health, with its lease, and metrics only', async () => {
    const ready = await ask('/health/ready');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      {
        status: 'ok',
        checks: { database: 'ok', lease: 'ok' },
        version: expect.any(String),
        commit: expect.any(String),
      },
    ]);
    expect((await ask('/health/live')).status).toBe(200);
    expect((await ask('/metrics')).status).toBe(401);
    expect((await ask('/metrics', { method: 'POST' })).status).toBe(405);
    for (const path of ['/', '/docs', '/openapi.json', '/api/v1/user/get_profile']) {
      const answer = await ask(path, { method: path.startsWith('/api') ? 'POST' : 'GET' });
      expect([answer.status, await answer.json()], path).toMatchObject([404, { error: true, code: 404 }]);
    }
  });

  test('counts attempts and the queue in metrics', async () => {
    expect(await metric('campanile_shards_held')).toBe(256);
    expect(await metric('campanile_queue_deliveries')).toBe(0);
    expect(await metric('campanile_queue_oldest_seconds')).toBe(0);
    const before = await metric('campanile_first_attempt_late_seconds_count');
    const bob = await api.signUp('bob');
    const ids = await groupsOf(bob);
    await bob.call('venom/add-campaign', { name: 'Now', html: 'Hello', group_metadata_ids: ids });
    await until(() => metric('campanile_attempts_total'), 3);
    expect(await metric('campanile_first_attempt_late_seconds_count')).toBe(before + 1);
    expect(await metric('campanile_first_attempt_late_seconds_sum')).toBeGreaterThan(0);
    expect(await metric('campanile_retries_total')).toBe(0);
  });

  test('works even if its port is in use', async () => {
    const taken = new URL(worker?.url ?? '').port;
    const second = await startWorkerApp({ PORT: taken });
    expect(second.url).toBeUndefined();
    await second.stop();
    expect((await ask('/health/live')).status).toBe(200);
  });
});
