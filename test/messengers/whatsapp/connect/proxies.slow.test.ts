/** Accounts that reach WhatsApp by proxies: each by its own, for everything, and never beside it. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { proto } from 'baileys';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { chooseProxy } from '../../../../src/messengers/whatsapp/connect/proxies.ts';
import { checkWhatsApp } from '../../../../src/operations/doctor/check-whatsapp.ts';
import { sleep } from '../../../../src/platform/time/time.ts';
import { startTestApp } from '../../../support/app.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { until } from '../../../support/ledger.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { recordLog } from '../../../support/record-log.ts';
import { PROXY_PASSWORD, startProxy, type TestProxy } from '../../../support/servers/forward-proxy.ts';
import {
  addMembers,
  finished,
  linkSomebody,
  namesOfKeys,
  sendCampaign,
  statusWhen,
  towards,
} from '../../../support/whatsapp.ts';
import { DEFAULT_MEDIA_HOST } from '../../../../harness/whatsapp-peer/certificate.ts';
import { startWhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';
import { tellHistory } from '../../../../harness/whatsapp-peer/tell-history.ts';
import type { AccountId } from '../../../../src/platform/database/schema.ts';

const NOBODY = 0 as AccountId;

const { RECENT } = proto.Message.HistorySyncType;
const peer = await startWhatsAppPeer();
const database = await createTestDatabase();
const proxies: TestProxy[] = [];
// The library downloads by `fetch`, which has no option for another authority.
setDefaultCACertificates([...getCACertificates('default'), peer.certificate]);

afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.stop();
});
afterAll(async () => {
  await peer.stop();
  await database.drop();
});

const DOWNLOADS = `${DEFAULT_MEDIA_HOST}:443`;

async function start(kind: 'socks5' | 'http'): Promise<TestProxy> {
  const proxy = await startProxy(kind, { [DOWNLOADS]: peer.mediaHost });
  proxies.push(proxy);
  return proxy;
}

test.each(['socks5', 'http'] as const)(
  'an account connects, uploads and downloads by its %s proxy, and in no other way',
  async (kind) => {
    const proxy = await start(kind);
    const { log, lines } = recordLog('debug');
    const app = await startTestApp({ ...towards(peer), whatsappProxies: [proxy.url] }, database, log);
    try {
      const { person, companion, groups } = await linkSomebody({ peer, app, members: addMembers(peer) }, 1);
      const campaign = await sendCampaign(person, groups, 'by a proxy', await drawPlain(20, 20, 'png'));
      expect((await finished(app, person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
      expect(new Set(proxy.asked)).toEqual(new Set([new URL(peer.url).host, peer.mediaHost]));
      const friend = peer.addPerson(kind === 'http' ? '491510003011' : '491510003012');
      await tellHistory(companion, { syncType: RECENT, people: [friend], uploads: peer.uploads });
      await until(
        () => proxy.asked,
        (asked) => asked.includes(DOWNLOADS),
      );
      await until(
        () => namesOfKeys(database, person, 'lid-mapping'),
        (names) => names.includes(friend.number),
      );
      await proxy.stop();
      proxies.length = 0;
      await statusWhen(person, 'reconnecting');
      const before = peer.logins.length;
      await sleep(1_000);
      expect(peer.logins.length).toBe(before);
    } finally {
      await app.stop();
    }
    expect(lines().length).toBeGreaterThan(0);
    expect(JSON.stringify(lines())).not.toContain(PROXY_PASSWORD);
  },
);

describe('an account', () => {
  const urls = ['one', 'two', 'three'].map((name) => `socks5://ann:old@${name}.example:1080`);
  const choose = (accountId: AccountId, list: readonly string[]) => chooseProxy(database.db, accountId, list);

  test('keeps its proxy while the list has it, and gets the least used one otherwise', async () => {
    const app = await startTestApp({}, database);
    const accounts: AccountId[] = [];
    for (const name of ['ann', 'ben', 'cem']) {
      const { userId } = await app.signUp(name);
      const { account_id: accountId } = await database.db
        .selectFrom('accounts')
        .innerJoin('memberships', 'memberships.workspace_id', 'accounts.workspace_id')
        .select('account_id')
        .where('user_id', '=', userId)
        .executeTakeFirstOrThrow();
      accounts.push(accountId);
    }
    await app.stop();
    const [ann = NOBODY, ben = NOBODY, cem = NOBODY] = accounts;
    const two = urls.slice(0, 2);
    const first = await Promise.all([choose(ann, two), choose(ben, two)]);
    expect(first.toSorted()).toEqual(two.toSorted());
    // A third proxy, another order, and another password.
    const renewed = urls.toReversed().map((url) => url.replace('old', 'new'));
    expect(await choose(ann, renewed)).toBe(first[0]?.replace('old', 'new'));
    expect(await choose(cem, renewed)).toBe(renewed[0]);
    const without = renewed.filter((url) => url !== renewed[0]);
    expect(without).toContain(await choose(cem, without));
    expect(await choose(cem, [])).toBeUndefined();
  });
});

test('the doctor tries each proxy, and says which do not work', async () => {
  const [good, bad] = [await start('socks5'), await start('http')];
  await bad.stop();
  proxies.pop();
  const wrong = good.url.replace(PROXY_PASSWORD, 'wrong');
  const findings = await checkWhatsApp(undefined, {
    messenger: 'whatsapp',
    whatsappUrl: peer.url,
    whatsappCa: undefined,
    whatsappVersion: undefined,
    whatsappProxies: [good.url, bad.url, wrong],
  });
  expect(findings).toEqual([
    { level: 'ok', message: expect.stringContaining(`Proxy 1 (${new URL(good.url).host}) reaches`) },
    { level: 'error', message: expect.stringContaining('Proxy 2'), advice: expect.any(String) },
    { level: 'error', message: expect.stringContaining('Proxy 3'), advice: expect.any(String) },
  ]);
  expect(JSON.stringify(findings)).not.toContain(PROXY_PASSWORD);
});
