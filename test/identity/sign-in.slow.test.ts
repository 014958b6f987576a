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

test('signs in by user name or e-mail address in any case, and reports the first sign-in once', async () => {
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

test('reports one first sign-in of many at once', async () => {
  const body = signUpOf('Anna');
  await server.post('/api/v1/user/create_user', body);
  const answers = await Promise.all(Array.from({ length: 10 }, () => authorize('anna', body.password)));
  const firsts = answers.filter(({ text }) => text.includes('"is_first_login":true'));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(firsts).toHaveLength(1);
});

test('user enumeration: answers a wrong password and an unknown user alike, at equal cost', async () => {
  const bob = await person(server, 'bob');
  const wrong = await authorize(bob.userName, 'not the password');
  const unknown = await authorize('nobody at all', 'not the password');
  const withoutId = (text: string) => text.replace(/"request_id":"[^"]+"/, '');
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get('www-authenticate')).toBe('Bearer');
  expect(withoutId(unknown.text)).toBe(withoutId(wrong.text));

  // Hashing takes most of the time. It runs in this process, and a busy machine does not lengthen its CPU time.
  const cpuTimeOf = async (name: string) => {
    const before = process.cpuUsage();
    await authorize(name, 'x');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // The minimum of each: other work of this process, such as garbage collection, only adds to a measurement.
  const efforts = { known: Infinity, unknown: Infinity };
  for (let round = 0; round < 8; round += 1) {
    efforts.known = Math.min(efforts.known, await cpuTimeOf(bob.userName));
    efforts.unknown = Math.min(efforts.unknown, await cpuTimeOf(`nobody ${round}`));
  }
  expect(efforts.unknown).toBeGreaterThan(efforts.known / 2);
});

test('brute force: delays sign-in after ten failures, longer after each further one, and counts no success', async () => {
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

test('counts failures for the name and for the e-mail address together', async () => {
  const gina = await person(server, 'gina');
  const names = Array.from({ length: 10 }, (_, index) => (index % 2 ? gina.userName.toUpperCase() : gina.email));
  const statuses = [];
  for (const name of names) statuses.push((await authorize(name, 'wrong')).status);
  expect(statuses).toEqual(names.map(() => 401));
  const more = [await authorize(gina.userName, 'wrong'), await authorize(gina.email, 'wrong')];
  expect(more.map(({ status }) => status)).toEqual([429, 429]);
});

describe('brute force by strangers', () => {
  let proxied: TestServer;
  beforeAll(async () => {
    proxied = await startTestServer({ db: database.db, settings: { trustedProxies: ['loopback'] } });
  });
  afterAll(() => proxied.close());
  const from = (address: string, user_name: string, password: string) =>
    proxied.post('/api/v1/user/authorize_user', { user_name, password }, { headers: { 'x-forwarded-for': address } });

  test('does not lock the owner out of a known network, nor of others for more than a minute', async () => {
    const owner = await person(server, 'hanna');
    for (let guess = 0; guess < 100; guess += 1)
      expect((await from(`198.51.100.${guess}`, owner.userName, 'a guess')).status, String(guess)).toBe(401);
    expect((await from('203.0.113.9', owner.userName, owner.password)).status).toBe(429);
    expect((await authorize(owner.userName, owner.password)).status).toBe(200);
    await database.clock.advance({ minutes: 1 });
    expect((await from('203.0.113.9', owner.userName, owner.password)).status).toBe(200);
    expect((await from('203.0.113.9', owner.userName, owner.password)).status).toBe(200);
  });

  test('is limited to sixty failures an hour for one address or one IPv6 /64', async () => {
    const statuses = [];
    for (let guess = 0; guess < 63; guess += 1)
      statuses.push((await from(`2001:db8:1:2::${guess + 1}`, `nobody ${guess}`, 'a guess')).status);
    expect(statuses).toEqual([...Array.from({ length: 60 }, () => 401), 429, 429, 429]);
    expect((await from('2001:db8:1:3::1', 'nobody 61', 'a guess')).status).toBe(401);
  });

  test('leaves users who signed in from that address before their ten attempts', async () => {
    const ivy = await person(server, 'ivy');
    expect((await from('203.0.113.40', ivy.userName, ivy.password)).status).toBe(200);
    for (let guess = 0; guess < 60; guess += 1) await from('203.0.113.40', `nobody ${guess}`, 'a guess');
    expect((await from('203.0.113.40', 'nobody 61', 'a guess')).status).toBe(429);
    expect((await from('203.0.113.40', ivy.userName, ivy.password)).status).toBe(200);
  });
});

test('counts no correct password as a failure, also of fifteen at once after nine failures', async () => {
  const erin = await person(server, 'erin');
  for (let round = 0; round < 9; round += 1) await authorize(erin.userName, 'wrong');
  const answers = await Promise.all(Array.from({ length: 15 }, () => authorize(erin.userName, erin.password)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 15 }, () => 200));
  expect((await authorize(erin.userName, 'wrong')).status).toBe(401);
  expect((await authorize(erin.userName, erin.password)).status).toBe(429);
});

test('frees attempts in flight of a crashed process after half a minute', async () => {
  const frida = await person(server, 'frida');
  await authorize(frida.userName, frida.password);
  await sql`
    update attempts set in_flight = array(select campanile_now() from generate_series(1, 100))`.execute(database.db);
  const signingIn = authorize(frida.userName, frida.password);
  await database.clock.advance({ seconds: 31 });
  expect((await signingIn).status).toBe(200);
});

test('counts guesses of two processes together, also across a restart', async () => {
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
