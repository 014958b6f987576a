import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterEach, beforeAll, afterAll, expect, test } from 'vitest';
import { connectDatabase, readPool, type PoolOptions } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { REQUEST_SHARES } from '../../../src/platform/database/share-connections.ts';
import { ConnectionWaitError } from '../../../src/platform/errors/database-errors.ts';
import { failedAnswer } from '../../../src/api/server/envelope.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { bindRequester, workFor } from '../../../src/platform/concurrency/requester.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { until } from '../../support/ledger.ts';

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => db.destroy());
afterAll(() => database.drop());

function open(shares: Partial<typeof REQUEST_SHARES>, options: Partial<PoolOptions> = {}): Database {
  db = connectDatabase(database.address, {
    log: createLog('silent'),
    poolSize: 4,
    shares: { ...REQUEST_SHARES, permits: 3, ...shares },
    ...options,
  });
  return db;
}

const read = (name: string, work: () => Promise<unknown>) =>
  workFor({ party: [`address ${name}`], isWrite: false }, work);
const write = (name: string, work: () => Promise<unknown>) =>
  workFor({ party: [`address ${name}`], isWrite: true }, work);
const ask = () => sql`select 1`.execute(db);

/** Holds a connection for each holder until the returned function is called. */
async function hold(
  ...holders: Array<(work: () => Promise<unknown>) => Promise<unknown>>
): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let held = 0;
  const keep = () => {
    held++;
    return promise;
  };
  const all = holders.map((holder) => holder(() => db.connection().execute(keep)));
  // A permit alone is none: the connection may still be made.
  await until(
    () => held,
    (count) => count === holders.length,
  );
  return async () => {
    resolve();
    await Promise.all(all);
  };
}

test('serves requesters in turns, with any number of waiting statements of one', async () => {
  open({ permits: 1 });
  const letGo = await hold((work) => work());
  const order: string[] = [];
  const all = ['a', 'a', 'a', 'b'].map((key) => read(key, () => ask().then(() => order.push(key))));
  await letGo();
  await Promise.all(all);
  expect(order).toEqual(['a', 'b', 'a', 'a']);
});

test('leaves connections to others, and serializes the writes of one requester', async () => {
  open({ permits: 3, perRequester: 2 });
  const letGo = await hold((work) => write('a', work));
  const second = write('a', ask);
  await read('a', ask);
  expect(readPool(db)).toMatchObject({ inUse: 1, waiting: 1 });
  await write('b', ask);
  await letGo();
  await second;
});

test('reports an overload when connections are in use by others', async () => {
  open({ permits: 1, maxWaitMs: 50 });
  const letGo = await hold((work) => read('a', work));
  const error: unknown = await read('b', ask).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ConnectionWaitError);
  expect(failedAnswer(error, false)).toMatchObject({
    status: 503,
    code: 'overloaded',
    message: 'The server is overloaded just now: no turn came within 0.05 s',
    headers: { 'retry-after': '5' },
  });
  await letGo();
  await read('b', ask);
});

test('reports an unavailable database when no connection can be made', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  db = connectDatabase(
    { url: `postgres://nobody@127.0.0.1:${port}/nothing` },
    { log: createLog('silent'), poolSize: 2, shares: { ...REQUEST_SHARES, permits: 1, maxWaitMs: 50 } },
  );
  const first = ask().catch((reason: unknown) => reason);
  const error: unknown = await ask().catch((reason: unknown) => reason);
  expect(failedAnswer(error, false)).toMatchObject({ status: 503, code: 'database_unavailable' });
  for (const socket of sockets) socket.destroy();
  expect(failedAnswer(await first, false)).toMatchObject({ status: 503, code: 'database_unavailable' });
  silent.close();
});

test('releases the permits of broken connections', async () => {
  open({ permits: 1 });
  for (let n = 0; n < 3; n++) {
    const broken = db.connection().execute(async (connection) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(connection);
      await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.db);
      await sql`select 1`.execute(connection);
    });
    await expect(broken).rejects.toThrow(/terminat|queryable/);
  }
  await ask();
  expect(readPool(db).waiting).toBe(0);
});

test('counts a streamed read for its requester, whichever request pulls the next piece', async () => {
  open({ permits: 2, perRequester: 1 });
  async function* pieces() {
    for (let n = 1; n <= 2; n++) yield (await sql<{ n: number }>`select ${n}::int as n`.execute(db)).rows[0]?.n;
  }
  const kept = await read('a', async () => bindRequester(pieces()));
  const letGo = await hold((work) => read('a', work));
  const iterator = (kept as AsyncIterable<number>)[Symbol.asyncIterator]();
  const first = read('b', () => iterator.next());
  await until(
    () => readPool(db).waiting,
    (waiting) => waiting === 1,
  );
  await letGo();
  expect(await first).toEqual({ done: false, value: 1 });
});
