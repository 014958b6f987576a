/** Endpoints that are slow, or never answer, delay no other workspace. */
import { execute } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { createSafeHttpClient, type Egress } from '../../../src/platform/http-client/safe-http-client.ts';
import { createDnsLookup } from '../../../src/platform/http-client/resolve-host.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { countWebhooks } from '../../../src/notifications/webhooks/count-webhooks.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { claimLanes } from '../../../src/notifications/webhooks/lane-store.ts';
import { FAST, sendWebhooks, SLOW } from '../../../src/notifications/webhooks/send-webhooks.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, until, type Owner } from '../../support/ledger.ts';
import { startNameServer, type NameServer } from '../../support/servers/name-server.ts';
import { startReceiver, type Receiver, type Reply } from '../../support/servers/receiver.ts';
import { insertEvents, insertWebhook } from '../../support/webhooks.ts';

const CULPRITS = 10;
const ENDPOINTS = 20;
const TAKEN: Reply = { status: 204 };
/** Each answer counts as slow, and none does: no test depends on the speed of its machine. */
const ALL_SLOW = 0;
const NONE_SLOW = 600_000;

let database: TestDatabase;
let receiver: Receiver;
let names: NameServer;
let egress: Egress;
let stops: Array<() => Promise<void>>;
/** Settles the answers to all messages under `/slow`. */
let letGo: () => void;
const vault = createVault({ key: Buffer.alloc(32, 3) });
const log = createLog('silent');

beforeEach(async () => {
  database = await createTestDatabase();
  receiver = await startReceiver();
  names = await startNameServer((name) => (name.startsWith('slow') ? 'silence' : ['127.0.0.1']));
  stops = [];
  const held = Promise.withResolvers<void>();
  letGo = held.resolve;
  receiver.answer(({ path }) => (path.startsWith('/slow') ? held.promise.then(() => TAKEN) : TAKEN));
  const allowed = readAllowedHosts(['127.0.0.1', '*.hooks.test']);
  if (!allowed) throw new Error('no such hosts');
  // No request times out while a test holds its answer back.
  egress = createSafeHttpClient({ allowHttp: true, allowed, lookup: createDnsLookup([names.at]), timeoutMs: 600_000 });
});
afterEach(async () => {
  letGo();
  for (const stop of stops) await stop();
  egress.close();
  await receiver.close();
  names.close();
  await database.drop();
});

const count = (prefix: string) => receiver.received.filter(({ path }) => path.startsWith(prefix)).length;
const counted = (prefix: string, wanted: number) => until(() => count(prefix), wanted);

/** A workspace with webhooks at these paths or addresses, each with a pending message. */
async function createWorkspace(...urls: string[]): Promise<Owner> {
  const owner = await createOwner(database.db, 1);
  for (const url of urls) await insertWebhook(database.db, vault, owner, new URL(url, receiver.url).href);
  await insertEvents(database.db, owner, 1, 1);
  return owner;
}

async function createWorkspaces(workspaces: number, urlOf: (name: string) => string): Promise<void> {
  for (let workspace = 0; workspace < workspaces; workspace++)
    await createWorkspace(...Array.from({ length: ENDPOINTS }, (_, endpoint) => urlOf(`${workspace}-${endpoint}`)));
}

/** Starts delivery as one process, and returns the function that stops it. */
function start(slowAfterMs?: number): () => Promise<void> {
  const { stop } = sendWebhooks({
    db: database.db,
    log,
    egress,
    vault,
    ...(slowAfterMs !== undefined && { slowAfterMs }),
  });
  stops.push(stop);
  return stop;
}

const slowCounted = (wanted: number) =>
  until(
    () => countWebhooks(database.db),
    ({ slow }) => slow === wanted,
  );

test('delivers a message while 10 workspaces have 20 endpoints each that do not answer', async () => {
  await createWorkspaces(CULPRITS, (name) => `/slow/${name}`);
  start(NONE_SLOW);
  // Each workspace has its share in flight, and all other messages wait.
  await counted('/slow', CULPRITS * FAST.perWorkspace);
  await createWorkspace('/bystander');
  await counted('/bystander', 1);
  expect(count('/slow')).toBe(CULPRITS * FAST.perWorkspace);
});

test('takes first who has fewer endpoints in hand, and nobody beyond their share', async () => {
  const many = await createWorkspace('/1', '/2', '/3', '/4');
  const few = await createWorkspace('/5');
  await assignPositions(database);
  const owners = { skipped: [], wanted: null };
  const claim = async (perWorkspace: number, room: number) => {
    const lanes = await claimLanes(
      database.db,
      { isSlow: false, perWorkspace },
      { busy: [many.workspaceId], room, owners },
    );
    return lanes.map(({ workspaceId }) => workspaceId);
  };
  expect(await claim(4, 1)).toEqual([few.workspaceId]);
  expect(await claim(2, 10)).toEqual([many.workspaceId]);
});

test('releases the permit of an endpoint that does not answer, so that unknown slow endpoints delay no other', async () => {
  const workspaces = Math.ceil(FAST.permits / FAST.perWorkspace) + 1;
  await createWorkspaces(workspaces, (name) => `/slow/${name}`);
  start(50);
  await counted('/slow', workspaces * ENDPOINTS);
  await createWorkspace('/bystander');
  expect(await counted('/bystander', 1)).toBe(1);
});

test('gives slow endpoints separate permits, also after a restart, until they are fast again', async () => {
  const workspaces = Math.ceil(SLOW.permits / SLOW.perWorkspace) + 1;
  await createWorkspaces(workspaces, (name) => `/slow/${name}`);
  const stop = start(ALL_SLOW);
  await counted('/slow', workspaces * ENDPOINTS);
  letGo();
  await slowCounted(workspaces * ENDPOINTS);
  await stop();
  // A second process, to which no endpoint answers.
  const held = Promise.withResolvers<void>();
  letGo = held.resolve;
  receiver.answer(({ path }) => (path.startsWith('/slow') ? held.promise.then(() => TAKEN) : TAKEN));
  receiver.received.length = 0;
  await execute(database.db)`
    insert into events (workspace_id, type, data) select workspace_id, 'run.completed', '{}' from workspaces`;
  start(NONE_SLOW);
  await counted('/slow', SLOW.permits);
  // All permits of the fast endpoints are free.
  await createWorkspace(...Array.from({ length: FAST.perWorkspace }, (_, index) => `/bystander/${index}`));
  await counted('/bystander', FAST.perWorkspace);
  expect(count('/slow')).toBe(SLOW.permits);
  letGo();
  await slowCounted(0);
  await counted('/slow', workspaces * ENDPOINTS);
});

test('gives no permit of a slow endpoint back before it answers', async () => {
  await createWorkspaces(Math.ceil(SLOW.permits / SLOW.perWorkspace) + 1, (name) => `/slow/${name}`);
  await execute(database.db)`update webhooks set is_slow = true`;
  start(50);
  await counted('/slow', SLOW.permits);
  await sleep(300);
  expect(count('/slow')).toBe(SLOW.permits);
});

test('keeps the order of messages to a slow endpoint, each once', async () => {
  const owner = await createWorkspace('/slow');
  start(ALL_SLOW);
  await counted('/slow', 1);
  letGo();
  await slowCounted(1);
  await insertEvents(database.db, owner, 2, 20);
  await counted('/slow', 20);
  expect(receiver.received.map(({ data }) => data['number'])).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

test('serves the fast endpoints of a workspace while its slow ones do not answer', async () => {
  const half = ENDPOINTS / 2;
  const paths = (prefix: string) => Array.from({ length: half }, (_, index) => `/${prefix}/${index}`);
  await createWorkspace(...paths('slow'), ...paths('fast'));
  start(50);
  await counted('/fast', half);
  expect(count('/slow')).toBeLessThanOrEqual(half);
});

test('delays only the endpoints whose names a slow DNS server resolves', async () => {
  const { port } = new URL(receiver.url);
  await createWorkspaces(CULPRITS, (name) => `http://slow-${name}.hooks.test:${port}/`);
  start(NONE_SLOW);
  await until(
    () => new Set(names.asked.filter((name) => name.startsWith('4 slow'))).size,
    (asked) => asked >= CULPRITS * FAST.perWorkspace,
  );
  await createWorkspace(`http://bystander.hooks.test:${port}/bystander`);
  expect(await counted('/bystander', 1)).toBe(1);
});
