/** The client version that is sent to WhatsApp, and the fallback when it is rejected. */
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEFAULT_CONNECTION_CONFIG } from 'baileys';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectDatabase } from '../../../../src/platform/database/connect.ts';
import { createLog } from '../../../../src/platform/log/log.ts';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import type { MessengerAccount, SessionState } from '../../../../src/messengers/messenger.ts';
import { pinNewest } from '../../../../release/pin-client-version.ts';
import {
  endsSoon,
  pinnedAgeDays,
  readClientInUse,
  toDays,
} from '../../../../src/messengers/whatsapp/connect/client-version-age.ts';
import { PINNED_VERSION } from '../../../../src/messengers/whatsapp/connect/pinned-version.ts';
import { VERSION_PAGES, type VersionPage } from '../../../../src/messengers/whatsapp/connect/version-pages.ts';
import { createSafeHttpClient } from '../../../../src/platform/http-client/safe-http-client.ts';
import { createWhatsApp, type WhatsAppOptions } from '../../../../src/messengers/whatsapp/whatsapp.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner, until } from '../../../support/ledger.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';

const TODAY = 1_050_000_000;
const TOMORROW = 1_050_000_001;
let peer: WhatsAppPeer;
let database: TestDatabase;
let page: Server;
let site: string;
/** The content of WhatsApp's page; undefined: it never answers. */
let named: string | undefined;
/** The revision that Facebook's page names; undefined: it never answers. */
let sdk: number | undefined;
let asked = 0;
const MOVED = '/moved';
let people = 0;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  page = createServer((request, response) => {
    if (request.url === '/sdk.js') {
      if (sdk !== undefined) response.end(`/*1790000000,,JIT Construction: v${sdk},en_US*/\n\n/** Copyright */`);
      return;
    }
    asked += 1;
    if (request.url === MOVED) response.writeHead(302, { location: '/sw.js' }).end();
    else if (named !== undefined) response.end(named);
  });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  site = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
});
beforeEach(async () => {
  await sql`delete from whatsapp_version`.execute(database.db);
  asked = 0;
  sdk = undefined;
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

/** WhatsApp's and Facebook's page, at other addresses. */
const pagesAt = (whatsapp: string, facebook: string): VersionPage[] =>
  VERSION_PAGES.map((one, index) => ({ ...one, url: index === 0 ? whatsapp : facebook }));

const http = createSafeHttpClient({
  allowHttp: true,
  allowed: { hasName: () => false, hasAddress: (address) => address === '127.0.0.1' },
});
afterAll(() => http.close());

/** A process with this WhatsApp, and the states that it emitted for one account. */
function startProcess(options: Partial<WhatsAppOptions> = {}) {
  const alarms: string[] = [];
  const messenger = createWhatsApp({
    db: connectDatabase(database.address, { log: createLog('fatal') }),
    log: createLog('fatal'),
    vault: createVault({ key: Buffer.alloc(32, 1) }),
    url: peer.url,
    rootKey: Buffer.from(peer.rootKey, 'hex'),
    http,
    versionPages: pagesAt(`${site}/sw.js`, `${site}/sdk.js`),
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
      const { accountId, workspaceId } = await createOwner(database.db, 0);
      const account = { accountId, workspaceId, phoneNumber };
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
  await startProcess({ versionPages: pagesAt(`${site}${MOVED}`, `${site}/sdk.js`) }).link();
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
  await startProcess({ versionPages: pagesAt('http://127.0.0.1:9/', 'http://127.0.0.1:9/') }).open(account);
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

test('uses the version that Facebook’s JavaScript SDK names when WhatsApp’s page names none', async () => {
  named = 'Sorry';
  sdk = TODAY;
  await startProcess().link();
  expect(lastClient()).toBe(`2.3000.${TODAY}`);
});

test('does not connect to addresses that are not public', async () => {
  const guarded = createSafeHttpClient({
    allowHttp: true,
    allowed: { hasName: () => false, hasAddress: () => false },
  });
  onTestFinished(() => guarded.close());
  await startProcess({ http: guarded }).link();
  expect(asked).toBe(0);
});

test('asks for the version once a day', async () => {
  const here = startProcess();
  const { phone } = await here.link();
  here.told.length = 0;
  peer.cut(phone);
  await here.connected();
  expect(asked).toBe(1);
  const daily = startProcess({ askEveryMs: 0 });
  const { phone: other } = await daily.link();
  say(TOMORROW);
  daily.told.length = 0;
  peer.cut(other);
  await daily.connected();
  expect(lastClient()).toBe(`2.3000.${TOMORROW}`);
  expect(daily.alarms).toEqual([]);
});

test('keeps the day on which a version was first accepted', async () => {
  await sql`insert into whatsapp_version (version, let_in_at)
            values (${`2.3000.${TODAY}`}, campanile_now() - interval '30 days')`.execute(database.db);
  const { told, link } = startProcess();
  await link();
  await until(
    () => told.at(-1),
    (state) => state?.status === 'connected',
  );
  const inUse = await until(
    () => readClientInUse(database.db),
    (found) => found !== undefined,
  );
  expect(toDays(inUse?.ageMs ?? 0)).toBe(30);
});

describe('until when WhatsApp takes a version', () => {
  const tell = (seconds: number) => Object.assign(peer.script, { clientExpiration: String(seconds) });
  const now = async () =>
    (await sql<{ now: Date }>`select campanile_now() as now`.execute(database.db)).rows[0]?.now ?? new Date(0);
  const end = async () => (await readClientInUse(database.db))?.end?.at;

  test('is known once it has told so, and forgotten with the version', async () => {
    const seconds = Math.floor((await now()).getTime() / 1_000) + 10 * 86_400;
    tell(seconds);
    const first = startProcess();
    const { account } = await first.link();
    expect(await until(end, (at) => at !== undefined)).toEqual(new Date(seconds * 1_000));
    const inUse = await readClientInUse(database.db);
    expect(inUse && endsSoon(inUse)).toBe(true);
    await first.stop();
    say(TOMORROW);
    peer.behave();
    await startProcess().open(account);
    await until(end, (at) => at === undefined);
  });

  test.each(['', 'soon', '-1', '0', '1e300'])('is not known from "%s"', async (told) => {
    peer.script.clientExpiration = told;
    await startProcess().link();
    await until(
      () => readClientInUse(database.db),
      (found) => found !== undefined,
    );
    expect(await end()).toBeUndefined();
  });
});

test('counts the age of a version that is not newer than the release from the day of the release', async () => {
  const old = PINNED_VERSION.with(2, PINNED_VERSION[2] - 1).join('.');
  await sql`insert into whatsapp_version (version) values (${old})`.execute(database.db);
  const inUse = await readClientInUse(database.db);
  const { rows } = await sql<{ now: Date }>`select campanile_now() as now`.execute(database.db);
  expect(toDays(inUse?.ageMs ?? 0)).toBe(pinnedAgeDays(rows[0]?.now ?? new Date(0)));
});

test('pins a version that is not older than the library’s', () => {
  expect(PINNED_VERSION.slice(0, 2)).toEqual(DEFAULT_CONNECTION_CONFIG.version.slice(0, 2));
  expect(PINNED_VERSION[2]).toBeGreaterThanOrEqual(DEFAULT_CONNECTION_CONFIG.version[2]);
});

describe('a release', () => {
  const text = readFileSync('src/messengers/whatsapp/connect/pinned-version.ts', 'utf8');
  const today = '2027-01-31';

  test('pins the newest version that is published', () => {
    const pinned = pinNewest(
      text,
      [
        [2, 3000, TODAY],
        [2, 3000, TOMORROW],
      ],
      today,
    );
    expect(pinned.text).toContain(`= [2, 3000, ${TOMORROW}];\n`);
    expect(pinned.text).toContain(`PINNED_ON = '${today}';`);
    expect(pinned.summary).toContain(String(TOMORROW));
  });

  test('keeps the pinned version when no page can be reached, and when none names a newer one', () => {
    expect(pinNewest(text, [], today)).toEqual({ text, summary: expect.stringContaining('stays') });
    expect(pinNewest(text, [[2, 3000, 1]], today)).toEqual({ text, summary: expect.stringContaining('stays') });
  });
});

test('does not query the page for a server of our own', async () => {
  await startProcess({ versionPages: undefined }).link();
  expect(asked).toBe(0);
});
