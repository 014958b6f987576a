import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, readPool } from '../../../src/platform/database/connect.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { verifyPassword } from '../../../src/identity/passwords/password.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { person, type Person } from '../../support/people.ts';
import { startTestServer } from '../../support/http/server.ts';

const POOL = 3;

let database: TestDatabase;
let db: Database;
let alice: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  db = connectDatabase(database.address, { log: createLog('silent'), poolSize: POOL });
  const calm = await startTestServer({ db });
  alice = await person(calm, 'alice');
  await calm.close();
});
afterAll(async () => {
  await db.destroy();
  await database.drop();
});

/** Blocks every statement on a table until the returned function is called. */
async function lockTable(byHand: Database, table: string): Promise<() => Promise<void>> {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const locked = Promise.withResolvers<void>();
  const all = byHand.transaction().execute(async (trx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(trx);
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(trx);
    locked.resolve();
    await held;
  });
  await locked.promise;
  return async () => {
    letGo();
    await all;
  };
}

test('sign-ins that wait for the database leave connections for signed-in users', async () => {
  const patient = { log: createLog('silent'), silenceMs: Infinity };
  const roomy = connectDatabase(database.address, { ...patient, poolSize: 8 });
  const byHand = connectDatabase(database.address, { ...patient, poolSize: 1 });
  const open = await startTestServer({ db: roomy });
  const letGo = await lockTable(byHand, 'attempts');
  const signIns = Array.from({ length: 20 }, (_, index) =>
    open.post('/api/v1/user/authorize_user', { user_name: `nobody${index}`, password: 'a wrong password' }),
  );
  await expect.poll(() => readPool(roomy).inUse).toBeGreaterThan(0);
  for (let round = 0; round < 5; round += 1) {
    const profile = open.post('/api/v1/user/get_profile', {}, { token: alice.token });
    expect((await profile).status).toBe(200);
  }
  expect(readPool(roomy)).toMatchObject({ waiting: 0 });
  await letGo();
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 401));
  await open.close();
  await Promise.all([roomy.destroy(), byHand.destroy()]);
});

test('fair queue: sign-ins from one address do not delay those from another', async () => {
  const proxied = await startTestServer({ db: database.db, settings: { trustedProxies: ['loopback'] } });
  const from = (address: string, name: string) =>
    proxied.post(
      '/api/v1/user/authorize_user',
      { user_name: name, password: 'a wrong password' },
      { headers: { 'x-forwarded-for': address } },
    );
  const ended: string[] = [];
  const flood = Array.from({ length: 30 }, (_, index) =>
    from('2001:db8:0:1::' + index.toString(16), `flood${index}`).then(() => ended.push('flood')),
  );
  const guest = from('192.0.2.7', 'guest').then(() => ended.push('guest'));
  await guest;
  expect(ended.length).toBeLessThan(15);
  await Promise.all(flood);
  await proxied.close();
});

test('rejects password checks when their queue is full', async () => {
  const checks = await Promise.allSettled(Array.from({ length: 510 }, () => verifyPassword(undefined, 'whatever')));
  const refused = checks.flatMap((check) => (check.status === 'rejected' ? [check.reason] : []));
  expect(refused.length).toBeGreaterThanOrEqual(6);
  expect(refused[0]).toMatchObject({
    name: 'AppError',
    kind: 'unavailable',
    reason: 'passwords',
    retryAfterSeconds: 5,
  });
  expect(await verifyPassword(undefined, 'whatever')).toBe(false);
});
