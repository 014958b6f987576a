import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, signUpOf } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ db: database.db });
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const authorize = (user_name: string, password: string) =>
  server.post('/api/v1/user/authorize_user', { user_name, password });

test('the user name and the e-mail address sign in, in any case, and the first time is told once', async () => {
  const body = signUpOf('Alice');
  await server.post('/api/v1/user/create_user', body);
  const first = await authorize('alice', body.password);
  expect(first.body).toEqual({
    error: false,
    status: 'success',
    code: 200,
    data: {
      token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      user_info: expect.objectContaining({ user_name: 'Alice', is_first_login: true }),
    },
  });
  const second = await authorize('ALICE@example.com', body.password);
  expect(second.body).toMatchObject({ data: { user_info: { is_first_login: false } } });
});

test('of many first sign-ins at once exactly one is the first', async () => {
  const body = signUpOf('Anna');
  await server.post('/api/v1/user/create_user', body);
  const answers = await Promise.all(Array.from({ length: 10 }, () => authorize('anna', body.password)));
  const firsts = answers.filter(({ text }) => text.includes('"is_first_login":true'));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(firsts).toHaveLength(1);
});

test('a wrong password and an unknown user get the very same answer and cost as much work', async () => {
  const bob = await person(server, 'bob');
  const wrong = await authorize(bob.userName, 'not the password');
  const unknown = await authorize('nobody at all', 'not the password');
  const withoutId = (text: string) => text.replace(/"request_id":"[^"]+"/, '');
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
  expect(withoutId(unknown.text)).toBe(withoutId(wrong.text));

  // The hash is what takes long; it runs in this process, whose own work a busy machine does not lengthen.
  const effortOf = async (name: string) => {
    const before = process.cpuUsage();
    await authorize(name, 'x');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // The least of each: what this process does besides, such as collecting garbage, only ever adds to one.
  const efforts = { known: Infinity, unknown: Infinity };
  for (let round = 0; round < 8; round += 1) {
    efforts.known = Math.min(efforts.known, await effortOf(bob.userName));
    efforts.unknown = Math.min(efforts.unknown, await effortOf(`nobody ${round}`));
  }
  expect(efforts.unknown).toBeGreaterThan(efforts.known / 2);
});

test('after ten failures the eleventh has to wait, longer after each one more; successes are free', async () => {
  const carol = await person(server, 'carol');
  for (let round = 0; round < 12; round += 1) await authorize(carol.userName, carol.password);
  const failures = await Promise.all(Array.from({ length: 12 }, () => authorize(carol.userName, 'wrong')));
  const statuses = failures.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429, 429]);
  const locked = await authorize(carol.userName.toUpperCase(), carol.password);
  expect(locked.status).toBe(429);
  for (const minutes of [1, 2, 4, 8]) {
    const early = await authorize(carol.userName, carol.password);
    expect(early.status).toBe(429);
    const seconds = Number(early.headers.get('retry-after'));
    expect(seconds).toBeLessThanOrEqual(minutes * 60);
    expect(seconds).toBeGreaterThan(minutes * 30);
    await database.clock.advance({ minutes });
    expect((await authorize(carol.userName, 'wrong')).status).toBe(401);
  }
  await database.clock.advance({ minutes: 15 });
  expect((await authorize(carol.userName, carol.password)).status).toBe(200);
});

test('the name and the e-mail address share what may fail', async () => {
  const gina = await person(server, 'gina');
  const names = Array.from({ length: 10 }, (_, index) => (index % 2 ? gina.userName.toUpperCase() : gina.email));
  const statuses = [];
  for (const name of names) statuses.push((await authorize(name, 'wrong')).status);
  expect(statuses).toEqual(names.map(() => 401));
  const more = [await authorize(gina.userName, 'wrong'), await authorize(gina.email, 'wrong')];
  expect(more.map(({ status }) => status)).toEqual([429, 429]);
});

describe('what strangers guess', () => {
  let proxied: TestServer;
  beforeAll(async () => {
    proxied = await startTestServer({ db: database.db, settings: { trustedProxies: ['loopback'] } });
  });
  afterAll(() => proxied.close());
  const from = (address: string, user_name: string, password: string) =>
    proxied.post('/api/v1/user/authorize_user', { user_name, password }, { headers: { 'x-forwarded-for': address } });

  test('from many addresses keeps out neither the owner, where they signed in before, nor everybody for long', async () => {
    const owner = await person(server, 'hanna');
    for (let guess = 0; guess < 100; guess += 1)
      expect((await from(`198.51.100.${guess}`, owner.userName, 'a guess')).status, String(guess)).toBe(401);
    expect((await from('203.0.113.9', owner.userName, owner.password)).status).toBe(429);
    expect((await authorize(owner.userName, owner.password)).status).toBe(200);
    await database.clock.advance({ minutes: 1 });
    expect((await from('203.0.113.9', owner.userName, owner.password)).status).toBe(200);
    expect((await from('203.0.113.9', owner.userName, owner.password)).status).toBe(200);
  });

  test('at many names from one address, or one network of IPv6, ends at sixty an hour', async () => {
    const statuses = [];
    for (let guess = 0; guess < 63; guess += 1)
      statuses.push((await from(`2001:db8:1:2::${guess + 1}`, `nobody ${guess}`, 'a guess')).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429, 429]);
    expect((await from('2001:db8:1:3::1', 'nobody 61', 'a guess')).status).toBe(401);
  });

  test('from where a user signed up or in before leaves that user their ten', async () => {
    const ivy = await person(server, 'ivy');
    expect((await from('203.0.113.40', ivy.userName, ivy.password)).status).toBe(200);
    for (let guess = 0; guess < 60; guess += 1) await from('203.0.113.40', `nobody ${guess}`, 'a guess');
    expect((await from('203.0.113.40', 'nobody 61', 'a guess')).status).toBe(429);
    expect((await from('203.0.113.40', ivy.userName, ivy.password)).status).toBe(200);
  });
});

test('a right password counts against nobody, also when fifteen sign in at the same moment, after nine failures', async () => {
  const erin = await person(server, 'erin');
  for (let round = 0; round < 9; round += 1) await authorize(erin.userName, 'wrong');
  const answers = await Promise.all(Array.from({ length: 15 }, () => authorize(erin.userName, erin.password)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  expect((await authorize(erin.userName, 'wrong')).status).toBe(401);
  expect((await authorize(erin.userName, erin.password)).status).toBe(429);
});

test('what a process had in hand when it died keeps nobody out for long', async () => {
  const frida = await person(server, 'frida');
  await authorize(frida.userName, frida.password);
  await sql`
    update attempts set in_flight = array(select campanile_now() from generate_series(1, 100))`.execute(database.db);
  const signingIn = authorize(frida.userName, frida.password);
  await database.clock.advance({ seconds: 31 });
  expect((await signingIn).status).toBe(200);
});

test('guesses at two processes, one of them started anew meanwhile, count together', async () => {
  const dora = await person(server, 'dora');
  const guess = async (at: TestServer) =>
    (await at.post('/api/v1/user/authorize_user', { user_name: dora.userName, password: 'a guess' })).status;
  const statuses: number[] = [];
  for (let restart = 0; restart < 2; restart++) {
    const other = await startTestServer({ db: database.db });
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, (_, index) => guess(index % 2 ? other : server)))));
    await other.close();
  }
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(190);
});
