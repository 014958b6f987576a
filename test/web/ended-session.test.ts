/** What the page knows of its session, without a browser. */
import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';

Object.defineProperty(globalThis, 'localStorage', { value: { getItem: () => null, removeItem: () => undefined } });
const { endSession, sessionExpiredQuery, storeSession } = await import('../../web/api/session.ts');

test('remembers that the session ended after its cache entry was collected', async () => {
  const client = new QueryClient();
  const session = { user_info: { user_id: 1 } } as never;
  storeSession(client, session);
  endSession(client);
  client.removeQueries({ queryKey: sessionExpiredQuery.queryKey });
  expect(await client.fetchQuery(sessionExpiredQuery)).toBe(true);
  storeSession(client, session);
  client.removeQueries({ queryKey: sessionExpiredQuery.queryKey });
  expect(await client.fetchQuery(sessionExpiredQuery)).toBe(false);
});
