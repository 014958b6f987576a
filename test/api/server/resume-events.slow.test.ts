/** Streams that break off and resume after their last event, at any process. */
import { execFile } from 'node:child_process';
import { connect, createServer, type AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { linkAccount } from '../../../src/sending/accounts/link-account.ts';
import { createClient } from '../../../clients/typescript/client.ts';
import type { LiveEvent } from '../../../clients/typescript/events.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import type { WatchLimits } from '../../../src/api/events/watch-progress.ts';
import { sleep, systemClock } from '../../../src/platform/time/time.ts';
import { SANDBOX } from '../../../src/messengers/sandbox/capabilities.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';
import { listen, type Heard, type Listener } from '../../support/http/listen.ts';
import { person, type Person } from '../../support/people.ts';
import { rawConnection } from '../../support/http/raw.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';
import { workspaceOf } from '../../support/workspaces.ts';

let database: TestDatabase;
let server: TestServer;
/** Acts as another process on the same ledger. */
let other: TestServer;
let alice: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  [server, other] = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all([server.close(), other.close()]);
  await database.drop();
});
beforeEach(async () => {
  alice = await person(server, 'alice');
});

function start(limits: Partial<WatchLimits> = {}, db: Database = database.db): Promise<TestServer> {
  return startTestServer({
    db: database.db,
    events: { db, clock: systemClock, limits: { pollMs: 20, gatherMs: 1, retryMs: 1, ...limits } },
    users: { onWorkspaceCreated: (trx, workspaceId) => linkAccount(trx, workspaceId, SANDBOX) },
  });
}

let told = 0;
/** Inserts `count` events into a workspace and returns their numbers. */
async function happen(whose: Person, count = 1): Promise<number[]> {
  const numbers = Array.from({ length: count }, () => (told += 1));
  await sql`
    insert into events (workspace_id, type, data)
    select ${workspaceOf(whose)}::bigint, 'run.completed', jsonb_build_object('n', n) from unnest(${numbers}::int[]) n`.execute(
    database.db,
  );
  while (await assignPositions(database));
  return numbers;
}

const messagesOf = ({ events }: Listener) => events.filter(({ event }) => event === 'message');
const numberOf = ({ data }: Heard) => (data as { data: { n: number } }).data.n;
const numbersOf = (listener: Listener) => messagesOf(listener).map(numberOf);
const namesOf = ({ events }: Listener) => events.map(({ event }) => event);
const lastIdOf = ({ events }: Listener) => events.findLast(({ id }) => id !== undefined)?.id;
const snapshotted = (listener: Listener) =>
  until(
    () => namesOf(listener),
    (names) => names.includes('account'),
  );

/** Listens until the snapshot, disconnects, and returns the last event id. */
async function placeOf(whose: Person, at = server): Promise<string> {
  const listener = await listen(at.url, whose.token);
  await snapshotted(listener);
  await listener.leave();
  return lastIdOf(listener) ?? '';
}

test('a reconnecting client receives the events it missed, from another process too, and then new ones', async () => {
  const place = await placeOf(alice);
  const missed = await happen(alice, 3);
  for (const { url } of [server, other]) {
    const listener = await listen(url, alice.token, place);
    await snapshotted(listener);
    expect(numbersOf(listener)).toEqual(missed);
    // Missed events come before the snapshot.
    expect(namesOf(listener).indexOf('account')).toBe(missed.length);
    missed.push(...(await happen(alice, 2)));
    await until(
      () => numbersOf(listener),
      (numbers) => numbers.length === missed.length,
    );
    expect(numbersOf(listener)).toEqual(missed);
    expect(new Set(messagesOf(listener).map(({ id }) => id)).size).toBe(missed.length);
    await listener.leave();
  }
});

test('sends the payload of the webhook as a message, with its id line', async () => {
  const listener = await listen(server.url, alice.token);
  await snapshotted(listener);
  const [n] = await happen(alice);
  await until(
    () => messagesOf(listener).length,
    (count) => count === 1,
  );
  const frame = listener.text().split('\n\n').at(-2);
  expect(frame).toMatch(
    new RegExp(
      String.raw`^id: [\w-]+\nevent: message\ndata: \{"type":"run.completed","timestamp":"[\d:.TZ-]+","data":\{"n":${n}\}\}$`,
    ),
  );
  await listener.leave();
});

test('a new client receives no earlier event, and gets an id with its snapshot', async () => {
  await happen(alice, 2);
  const listener = await listen(server.url, alice.token);
  await snapshotted(listener);
  await listener.leave();
  expect(namesOf(listener)).toEqual(['account']);
  expect(lastIdOf(listener)).toBeDefined();
});

test('accepts the last event id in the query or in the header, which takes precedence', async () => {
  const place = await placeOf(alice);
  const [first, second] = await happen(alice, 2);
  const ask = async (headers: Record<string, string>) => {
    const connection = rawConnection(server.url);
    const lines = Object.entries({ host: 'localhost', authorization: `Bearer ${alice.token}`, ...headers });
    connection.send(
      `GET /api/v1/events?last_event_id=${place} HTTP/1.1\r\n${lines.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`,
    );
    const text = await connection.received((all) => all.includes('event: account'));
    connection.socket.destroy();
    return { text, ids: [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id) };
  };
  const all = await ask({});
  expect([...all.text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))).toEqual([first, second]);
  const rest = await ask({ 'last-event-id': all.ids[0] ?? '' });
  expect([...rest.text.matchAll(/"n":(\d+)/g)].map(([, n]) => Number(n))).toEqual([second]);
});

test('never sends the events of another user, even for an id of theirs', async () => {
  const bob = await person(server, 'bob');
  const [alices, bobs] = [await placeOf(alice), await placeOf(bob)];
  const [hers] = await happen(alice);
  const [his] = await happen(bob);
  for (const place of [alices, bobs]) {
    const listener = await listen(server.url, bob.token, place);
    await snapshotted(listener);
    expect(numbersOf(listener)).toEqual([his]);
    expect(listener.text()).not.toContain(`{"n":${hers}}`);
    await listener.leave();
  }
});

test('rejects a key without the scope read, with an id, too', async () => {
  const answer = await server.post(
    '/api/v1/user/create_api_key',
    { name: 'x', scopes: ['send'] },
    { token: alice.token },
  );
  const { key } = (answer.body as { data: { key: string } }).data;
  expect((await listen(server.url, key, await placeOf(alice))).status).toBe(403);
});

describe('sends expired before the snapshot for an id:', () => {
  const cases: ReadonlyArray<[name: string, spoil: (place: string) => Promise<string>]> = [
    [
      'older than a day',
      async (place) => {
        await database.clock.advance({ hours: 24, seconds: 5 });
        return place;
      },
    ],
    ['ahead of the ledger', async (place) => place.replace(/-\d+-/, '-999999999-')],
    [
      'from before the ledger was restored and released',
      async (place) => {
        await sql`update ledger set number = number + ${2 ** 32}::bigint`.execute(database.db);
        return place;
      },
    ],
    ['that is malformed', async () => 'campanile'],
    ['that is empty', async () => ''],
  ];
  test.each(cases)('%s', async (_name, spoil) => {
    const place = await spoil(await placeOf(alice));
    await happen(alice);
    const listener = await listen(server.url, alice.token, place);
    await snapshotted(listener);
    expect(namesOf(listener)).toEqual(['expired', 'account']);
    expect(listener.events[0]?.data).toEqual({ last_event_id: place });
    const more = await happen(alice);
    await until(
      () => numbersOf(listener),
      (numbers) => numbers.length === 1,
    );
    expect(numbersOf(listener)).toEqual(more);
    await listener.leave();
  });
});

test('keep-alives renew the id of a quiet stream, so that it does not expire', async () => {
  const quiet = await start({ keepAliveMs: 20 });
  const listener = await listen(quiet.url, alice.token);
  await snapshotted(listener);
  await database.clock.advance({ hours: 30 });
  const idsOf = () => [...listener.text().matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  const before = idsOf().at(-1);
  const place = await until(
    () => idsOf().at(-1),
    (id) => id !== before,
  );
  await listener.leave();
  const [n] = await happen(alice);
  const back = await listen(server.url, alice.token, place);
  await snapshotted(back);
  // An event is sent once a poll has given it a position, which may be after the snapshot.
  await until(
    () => numbersOf(back),
    (numbers) => numbers.length > 0,
  );
  expect(numbersOf(back)).toEqual([n]);
  await back.leave();
  await quiet.close();
});

test('sends many missed events page by page with backpressure, beside live streams', async () => {
  const small = await start({ events: { page: 50, most: 100 }, mostUnread: 10_000 });
  const place = await placeOf(alice);
  const missed = await happen(alice, 1_234);
  const live = await listen(small.url, alice.token);
  await snapshotted(live);
  const back = await listen(small.url, alice.token, place);
  const meanwhile: number[] = [];
  for (let round = 0; round < 10; round++) meanwhile.push(...(await happen(alice, 30)));
  await Promise.all([back, live].map(snapshotted));
  await until(
    () => [numbersOf(back), numbersOf(live)].map((numbers) => numbers.at(-1)),
    (last) => last.every((n) => n === meanwhile.at(-1)),
  );
  expect(numbersOf(back)).toEqual([...missed, ...meanwhile]);
  expect(numbersOf(live)).toEqual(meanwhile);
  await Promise.all([back.leave(), live.leave()]);
  await small.close();
});

test('a snapshot includes campaigns that ended in the last hour', async () => {
  await sql`
    insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs, finished_at)
    select workspace_id, e.name, '', false, false, 'completed', 0, campanile_now() - ago
    from accounts, (values ('just now', interval '59 minutes'), ('before', interval '61 minutes')) e (name, ago)
    where workspace_id = ${workspaceOf(alice)}`.execute(database.db);
  const listener = await listen(server.url, alice.token);
  await snapshotted(listener);
  await listener.leave();
  const campaigns = listener.events.flatMap(({ event, data }) => (event === 'campaign' ? [data] : []));
  expect(campaigns).toMatchObject([{ name: 'just now', status: 'completed' }]);
});

test('hundreds of reconnecting streams share their database queries', async () => {
  let asked = 0;
  const counting = database.db.withPlugin({
    transformQuery({ node }) {
      asked += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  const many = await start({ pollMs: 60_000, perUser: 1_000, gatherMs: 300 }, counting);
  const people = [alice, ...(await Promise.all(['bob', 'carol', 'dave'].map((name) => person(server, name))))];
  const place = await placeOf(alice);
  for (const whose of people) await happen(whose, 3);
  const come = async (count: number) => {
    const before = asked;
    const listeners = await Promise.all(
      Array.from({ length: count }, (_, index) => listen(many.url, people[index % people.length]?.token, place)),
    );
    await Promise.all(listeners.map(snapshotted));
    for (const listener of listeners) expect(messagesOf(listener)).toHaveLength(3);
    await Promise.all(listeners.map((listener) => listener.leave()));
    return asked - before;
  };
  const one = await come(1);
  // Not all streams arrive in time for the same poll; on a slow machine few do.
  expect(await come(200)).toBeLessThan((200 * one) / 4);
  await many.close();
});

/** Bytes before a connection breaks; the head of an answer has 400. */
const [FEWEST_BYTES, MOST_BYTES] = [300, 1_600];

/** Starts a proxy to `target` that cuts up to `mostCuts` connections after some bytes of the answer; the first one after 200 ms. */
async function startCuts(target: () => string, mostCuts: number, headers = '') {
  let cuts = 0;
  let isFirst = true;
  const network = createServer((client) => {
    const upstream = connect(Number(new URL(target()).port), '127.0.0.1');
    let left =
      isFirst || cuts >= mostCuts ? Infinity : FEWEST_BYTES + Math.floor(Math.random() * (MOST_BYTES - FEWEST_BYTES));
    const end = () => [client, upstream].map((socket) => socket.destroy());
    if (isFirst && mostCuts > 0) setTimeout(end, 200);
    isFirst = false;
    upstream.on('data', (piece: Buffer) => {
      client.write(piece.subarray(0, left));
      if (piece.length > left) {
        cuts += 1;
        client.end(end);
      }
      left = Math.max(0, left - piece.length);
    });
    client.once('data', (piece) => {
      upstream.write(piece.toString().replace('\r\n', `\r\n${headers}`));
      client.on('data', (more) => upstream.write(more));
    });
    // Bytes sent before the cut still arrive.
    upstream.on('error', end).on('close', () => client.end());
    client.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => {
    network.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
    cuts: () => cuts,
    close: () => network.close(),
  };
}

test('streams cut off a thousand times deliver each event once and in order', async () => {
  const quick = await start({ pollMs: 200, gatherMs: 20 });
  const leaving = new AbortController();
  const streams = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const network = await startCuts(() => quick.url, 100);
      const heard: LiveEvent[] = [];
      const listening = (async () => {
        const mine = createClient({ url: network.url, token: alice.token });
        for await (const one of mine.events({ signal: leaving.signal })) heard.push(one);
      })();
      listening.catch(() => undefined);
      return { network, heard, listening };
    }),
  );
  // A stream that breaks off before it has an id begins anew, without the events of before.
  const hasBegun = ({ heard }: (typeof streams)[number]) => heard.some(({ lastEventId }) => lastEventId !== undefined);
  await until(() => streams.every(hasBegun), Boolean);
  const all: number[] = [];
  while (streams.some(({ network }) => network.cuts() < 100)) {
    all.push(...(await happen(alice, 10)));
    await sleep(40);
  }
  for (const { heard } of streams) {
    const numbers = () =>
      heard.flatMap((one) => (one.event === 'message' ? [(one.data.data as unknown as { n: number }).n] : []));
    await until(numbers, (found) => found.at(-1) === all.at(-1));
    expect(numbers()).toEqual(all);
    expect(heard.some(({ event }) => event === 'expired')).toBe(false);
  }
  leaving.abort();
  for (const { network, listening } of streams) {
    await expect(listening).rejects.toThrow('aborted');
    network.close();
  }
  await quick.close();
});

test('the EventSource of browsers resumes at another process by itself', async () => {
  const program = `
    const [url, count] = process.argv.slice(1);
    const heard = [];
    // Keeps the process alive while it waits to reconnect.
    setInterval(() => {}, 1_000);
    new EventSource(url).onmessage = ({ data, lastEventId }) => {
      heard.push([JSON.parse(data).data.n, lastEventId]);
      console.log(JSON.stringify(heard));
      if (heard.length === Number(count)) process.exit();
    };`;
  // Unlike browsers, this EventSource gives up if no server answers at all, as while one closes.
  const first = await start({ retryMs: 400 });
  let target = first.url;
  // In a page a cookie authenticates the request: here the proxy adds the token.
  const network = await startCuts(() => target, 0, `authorization: Bearer ${alice.token}\r\n`);
  const address = `${network.url}/api/v1/events`;
  const flags = ['--experimental-eventsource', '--no-warnings'];
  const child = execFile(process.execPath, [...flags, '-e', program, address, '4']);
  let printed = '';
  child.stdout?.on('data', (piece: string) => (printed += piece));
  const heard = () => JSON.parse(printed.trim().split('\n').at(-1) || '[]') as Array<[number, string]>;
  await until(() => first.request('/metrics').then(({ text }) => /^campanile_event_streams 1$/m.test(text)), Boolean);
  // Events before the end of its snapshot are not sent.
  await placeOf(alice, first);
  const all = await happen(alice, 2);
  await until(heard, ({ length }) => length === 2);
  target = other.url;
  await first.close();
  all.push(...(await happen(alice, 2)));
  await until(heard, ({ length }) => length === 4);
  expect(heard().map(([n]) => n)).toEqual(all);
  expect(new Set(heard().map(([, id]) => id)).size).toBe(4);
  network.close();
});
