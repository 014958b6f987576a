/** One address has one form, however a socket or a proxy writes it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { probes } from '../../support/http/probes.ts';
import { startTestServer, type TestServer } from '../../support/http/server.ts';

let database: TestDatabase;
let server: TestServer;
let port: string;
beforeAll(async () => {
  database = await createTestDatabase();
  server = await startTestServer({
    db: database.db,
    operations: probes({}),
    // For both families: the peer of a connection by IPv4 is ::ffff:127.0.0.1.
    host: '::',
    settings: { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] },
  });
  ({ port } = new URL(server.url));
});
afterAll(async () => {
  await server.close();
  await database.drop();
});

async function addressSeen(forwarded?: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/probe/echo`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(forwarded !== undefined && { 'x-forwarded-for': forwarded }) },
    body: '{"name":"x"}',
  });
  return ((await answer.json()) as { data: { address: string } }).data.address;
}

test('a connection by IPv4 to a socket for both families has an IPv4 address', async () => {
  expect(await addressSeen()).toBe('127.0.0.1');
});

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
  ['::FFFF:cb00:7109', '203.0.113.9'],
  ['203.0.113.9, ::ffff:10.0.0.5', '203.0.113.9'],
  ['2001:DB8:0::0:9', '2001:db8::9'],
])('a trusted proxy forwards %s: the client is %s', async (forwarded, client) => {
  expect(await addressSeen(forwarded)).toBe(client);
});
