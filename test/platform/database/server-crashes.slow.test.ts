import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { startApp, type App } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../../src/platform/database/embedded/embedded.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { post, type Answer } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { serverPid } from '../../support/servers/own-postgres.ts';
import { removeService, startService } from '../../support/service/service.ts';
import { signUpSender } from '../../support/service/storm.ts';

const GROUPS = 100;
/** A request waits 5 s for a connection, at most; on a busy machine several times as long. */
const LONGEST_ANSWER_MS = 30_000;

const undo: Array<() => Promise<unknown>> = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'campanile-lost-'));
  undo.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Retries until an answer is 200. Fails on any other answer than a well-formed 503, and on one that takes too long. */
async function insist<Data>(ask: () => Promise<Answer>): Promise<Data> {
  const answer = await until(
    async () => {
      const startedAt = performance.now();
      const one = await ask();
      expect(performance.now() - startedAt).toBeLessThan(LONGEST_ANSWER_MS);
      if (one.status === 503) {
        expect(Number(one.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(one.body).toMatchObject({ error: true, code: 503, data: null });
      } else expect([one.status, one.body.message]).toEqual([200, undefined]);
      return one;
    },
    ({ status }) => status === 200,
  );
  return answer.body.data as unknown as Data;
}

interface Totals {
  queued: number;
  sent: number;
  failed: number;
}

/** A user with many groups and a campaign to all of them, over HTTP. */
async function beginCampaign(url: string) {
  const { token } = await signUpSender(url, 'alice');
  const call = <Data>(path: string, body: object) => insist<Data>(() => post(url, path, body, token));
  const groups: number[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const group = { group_name: `Group ${index}`, participants: ['49151000001'] };
    groups.push((await call<{ group_metadata_id: number }>('venom/create-group', group)).group_metadata_id);
  }
  const send = (html: string, ids: number[]) =>
    call<{ campaign_id: string }>('venom/add-campaign', { name: html, html, group_metadata_ids: ids });
  const { campaign_id } = await send('Only once', groups);
  const totals = async () =>
    (await call<{ totals: Totals }>('analytics/get-campaign-group-analytics-master', { campaign_id })).totals;
  return { call, groups, send, totals, token };
}

type Campaign = Awaited<ReturnType<typeof beginCampaign>>;

async function expectEveryPostOnce({ call, groups, totals }: Campaign, sentBeside: number): Promise<void> {
  expect(await until(totals, ({ queued }) => queued === 0)).toMatchObject({ sent: GROUPS, failed: 0 });
  for (const group_metadata_id of groups.slice(1)) {
    const { messages } = await call<{ messages: unknown[] }>('sandbox/list-messages', { group_metadata_id });
    expect(messages).toHaveLength(1);
  }
  const [group_metadata_id] = groups;
  const seen = async () =>
    (await call<{ messages: Array<{ text: string }> }>('sandbox/list-messages', { group_metadata_id, limit: 1_000 }))
      .messages;
  const messages = await until(seen, ({ length }) => length >= sentBeside + 1);
  expect(new Set(messages.map(({ text }) => text)).size).toBe(messages.length);
}

const gap = { sandboxGap: { minMs: 10, maxMs: 20 }, sandboxSpeed: 50 };

test('answers 503 while a database server of the operator is down, and loses or repeats nothing', async () => {
  const folder = await temporaryFolder();
  const dataDir = join(folder, 'server');
  const log = createLog('silent');
  const settings = { fsync: 'off' };
  const startServer = () => startEmbeddedPostgres({ dataDir, log, settings, restart: false });
  let server: EmbeddedPostgres = await startServer();
  undo.push(() => server.stop());
  const { address } = server;
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const config = {
    ...readConfig({ PORT: '0', DATA_DIR: join(folder, 'data'), STATE_DIR: join(folder, 'state') }),
    databaseUrl: `postgres://${address.user}@localhost/${address.database}?host=${encodeURIComponent(address.socketFolder)}`,
    ...gap,
  };
  const app: App = await startApp(config, log);
  undo.push(() => app.stop());
  const url = app.url ?? '';
  const campaign = await beginCampaign(url);
  const acknowledged: string[] = [];
  const over = new AbortController();
  // Campaigns arrive all the time, but no faster than they can be sent.
  const sending = (async () => {
    for (let number = 1; !over.signal.aborted; number++) {
      acknowledged.push((await campaign.send(`No. ${number}`, campaign.groups.slice(0, 1))).campaign_id);
      await sleep(200);
    }
  })();
  undo.push(() => {
    over.abort();
    return sending;
  });

  for (const part of [0.2, 0.5]) {
    await until(campaign.totals, ({ sent }) => sent >= GROUPS * part);
    process.kill(serverPid(dataDir), 'SIGKILL');
    await server.exited;
    await server.stop();
    const away = await Promise.all([
      post(url, 'venom/list-campaigns', {}, campaign.token),
      post(url, 'user/authorize_user', { user_name: 'alice', password: 'whatever it is' }),
      post(url, 'user/get_profile', {}, campaign.token),
    ]);
    expect(away.map(({ status }) => status)).toEqual([503, 503, 503]);
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    server = await startServer();
  }
  over.abort();
  await sending;
  await expectEveryPostOnce(campaign, acknowledged.length);
  for (const campaign_id of acknowledged)
    await until(
      () => campaign.call<{ status: string }>('venom/get-campaign', { campaign_id }),
      ({ status }) => status === 'completed',
    );
});

test('recovers with an embedded server that is killed and restarted', async () => {
  const service = await startService({ environment: { SANDBOX_GAP_MS: '10-20', SANDBOX_SPEED: '50' } });
  undo.push(() => removeService(service));
  undo.push(() => service.kill());
  const campaign = await beginCampaign(service.url);
  const dataDir = join(service.folder, 'data');
  for (const part of [0.2, 0.5]) {
    await until(campaign.totals, ({ sent }) => sent >= GROUPS * part);
    process.kill(serverPid(dataDir), 'SIGKILL');
  }
  await expectEveryPostOnce(campaign, 0);
  expect(service.log()).toContain('PostgreSQL is started again');
  expect(await service.stop()).toBe(0);
});
