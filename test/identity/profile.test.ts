import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { person, type Person } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;
let alice: Person;
let bob: Person;

beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({ db: database.db, users: { timeZone: 'Europe/Madrid' } });
  alice = await person(server, 'alice');
  bob = await person(server, 'bob');
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

const update = (body: unknown) => server.post('/api/v1/user/update_profile', body, { token: alice.token });

test('returns the user info and the time zone of schedules', async () => {
  const answer = await server.post('/api/v1/user/get_profile', undefined, { token: alice.token });
  expect(answer.body).toMatchObject({
    data: { user_info: { user_id: alice.userId, is_first_login: false }, time_zone: 'Europe/Madrid' },
  });
});

test('changes the given fields exactly as sent, and keeps absent and null ones', async () => {
  const changed = await update({ first_name: 'Ālice', phone_number: '(030) 123-4567', time_zone: 'Asia/Tokyo' });
  expect(changed.body).toMatchObject({
    data: {
      user_info: { first_name: 'Ālice', last_name: '', phone_number: '(030) 123-4567' },
      time_zone: 'Asia/Tokyo',
    },
  });
  const rest = await update({ first_name: null, last_name: 'Adams', time_zone: null, email: 'new@example.com' });
  expect(rest.body).toMatchObject({
    data: { user_info: { first_name: 'Ālice', last_name: 'Adams', email: alice.email }, time_zone: 'Asia/Tokyo' },
  });
  const emptied = await update({ last_name: '' });
  expect(emptied.body).toMatchObject({ data: { user_info: { last_name: '' } } });
});

test('rejects a time zone that is no IANA name', async () => {
  for (const time_zone of ['+02:00', 'Mars/Olympus', '', 'UTC+2', '../../etc/passwd']) {
    const answer = await update({ time_zone });
    expect(answer.body, time_zone).toMatchObject({ code: 400, details: [{ field: 'time_zone' }] });
  }
});

test('ignores the id of another user', async () => {
  const body = { user_id: bob.userId, user_info: { user_id: bob.userId }, first_name: 'Mallory' };
  await update(body);
  const answer = await server.post('/api/v1/user/get_profile', {}, { token: bob.token });
  expect(answer.body).toMatchObject({ data: { user_info: { user_id: bob.userId, first_name: 'Al' } } });
});
