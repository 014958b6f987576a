/** The client version that is sent to WhatsApp, and the fallback when it is rejected. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../../src/platform/database/connect.ts';
import { createLog } from '../../../../src/platform/log/log.ts';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import type { MessengerAccount, SessionState } from '../../../../src/messengers/messenger.ts';
import { createWhatsApp, type WhatsAppOptions } from '../../../../src/messengers/whatsapp/whatsapp.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner, until } from '../../../support/ledger.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../whatsapp-peer/peer.ts';

const TODAY = 1_050_000_000;
const TOMORROW = 1_050_000_001;
let peer: WhatsAppPeer;
let database: TestDatabase;
let page: Server;
let pageUrl: string;
/** The content of the page; undefined: it never answers. */
let named: string | undefined;
let asked = 0;
const MOVED = '/moved';
let people = 0;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  page = createServer((request, response) => {
    asked += 1;
    if (request.url === MOVED) response.writeHead(302, { location: '/sw.js' }).end();
    else if (named !== undefined) response.end(named);
  });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  pageUrl = `http://127.0.0.1:${(page.address() as AddressInfo).port}/sw.js`;
});
beforeEach(async () => {
  await sql`delete from whatsapp_version`.execute(database.db);
  asked = 0;
  say(TODAY);
});
afterEach(() => peer.behave());
afterAll(async () => {
  page.closeAllConnections();
  page.close();
  await peer.stop();
  await database.drop();
});

/** The version as in the page: JSON within a JavaScript string. */
function say(revision: number | string): void {
  named = String.raw`self.__swData=JSON.parse("{\"dynamic_data\":{\"x\":1,\"client_revision\":${revision},\"y\":2}}")`;
}

/** A process with this WhatsApp, and the states that it emitted for one account. */
function startProcess(options: Partial<WhatsAppOptions> = {}) {
  const alarms: string[] = [];
  const messenger = createWhatsApp({
    db: connectDatabase(database.address, { log: createLog('fatal') }),
    log: createLog('fatal'),
    vault: createVault({ key: Buffer.alloc(32, 1) }),
    url: peer.url,
    rootKey: Buffer.from(peer.rootKey, 'hex'),
    versionPage: pageUrl,
    onAlarm: (alarm) => alarms.push(alarm),
    timing: { firstPauseMs: 20, longestPauseMs: 100, cooldownMs: 60_000 },
    ...options,
  });
  const told: SessionState[] = [];
  const stops: Array<() => Promise<void>> = [];
  const stop = async () => {
    for (const close of stops.splice(0)) await close();
  };
  stops.push(() => messenger.close());
  onTestFinished(stop);
  const connected = () =>
    until(
      () => told.at(-1),
      (state) => state?.status === 'connected',
    );
  return {
    told,
    alarms,
    stop,
    connected,
    async link() {
      const phoneNumber = `4477009200${String(++people).padStart(2, '0')}`;
      const phone = peer.addPerson(phoneNumber);
      const { accountId } = await createOwner(database.db, 0);
      const account = { accountId, phoneNumber };
      const session = await messenger.link(account, 'qr', (state) => {
        told.push(state);
        if (state.status === 'linking') void peer.scan(phone, state.code ?? '');
      });
      stops.unshift(() => session.close());
      await connected();
      return { account, phone };
    },
    async open(account: MessengerAccount) {
      const session = await messenger.open(account, (state) => told.push(state));
      if (session) stops.unshift(() => session.close());
      await connected();
    },
  };
}

const lastClient = () => peer.logins.at(-1);
const newerThan = (least: number) => (revision: number) => revision >= least;

test('links an account with today’s version of WhatsApp’s client', async () => {
  peer.script.takesClient = newerThan(TODAY);
  await startProcess().link();
  expect(lastClient()).toBe(`2.3000.${TODAY}`);
  expect(asked).toBe(1);
});

test('does not follow redirects of the version page', async () => {
  await startProcess({ versionPage: pageUrl.replace('/sw.js', MOVED) }).link();
  expect(lastClient()).not.toBe(`2.3000.${TODAY}`);
  expect(asked).toBe(1);
});

test('uses the last accepted version when the page cannot be reached', async () => {
  const first = startProcess();
  const { account } = await first.link();
  await until(
    async () => (await sql<{ version: string }>`select version from whatsapp_version`.execute(database.db)).rows,
    ([row]) => row?.version === `2.3000.${TODAY}`,
  );
  await first.stop();
  peer.script.takesClient = newerThan(TODAY);
  await startProcess({ versionPage: 'http://127.0.0.1:9/' }).open(account);
  expect(lastClient()).toBe(`2.3000.${TODAY}`);
});

test.each([
  ['never answers', undefined],
  ['names no version', 'Sorry'],
  ['names an older one', '"client_revision":1041000000'],
  ['names one that cannot be', '"client_revision":9999999999'],
])('uses the version of this release when the page %s', async (_what, text) => {
  named = text;
  await startProcess().link();
  expect(lastClient()).toMatch(/^2\.3000\.104385\d{4}$/);
});

test('replaces a version that became too old at once, without a cool-down or a new link', async () => {
  const here = startProcess();
  const { phone } = await here.link();
  say(TOMORROW);
  peer.script.takesClient = newerThan(TOMORROW);
  here.told.length = 0;
  peer.cut(phone);
  await here.connected();
  expect(lastClient()).toBe(`2.3000.${TOMORROW}`);
  expect(here.alarms).toEqual(['version_refused']);
});

test('falls back to an accepted version when the newest is rejected', async () => {
  say(4_000_000_000);
  peer.script.takesClient = (revision) => revision < 4_000_000_000;
  await startProcess().link();
  expect(lastClient()).toMatch(/^2\.3000\.104385\d{4}$/);
});

test('uses the operator’s version, also when WhatsApp rejects it', async () => {
  const here = startProcess({ version: [2, 3000, 1_049_000_000] });
  const { phone } = await here.link();
  expect(lastClient()).toBe('2.3000.1049000000');
  peer.script.takesClient = newerThan(TODAY);
  peer.cut(phone);
  await until(
    () => here.told.at(-1),
    (state) => state?.status === 'reconnecting' && state.reason.includes('no longer accepts this version'),
  );
  expect(here.alarms).toEqual(['version_refused']);
  expect(asked).toBe(0);
});

test('does not query the page for a server of our own', async () => {
  await startProcess({ versionPage: undefined }).link();
  expect(asked).toBe(0);
});
