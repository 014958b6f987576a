/** What the page knows of its session, without a browser. */
import { expect, test } from 'vitest';

const nothing = () => undefined;
Object.defineProperty(globalThis, 'localStorage', {
  value: { getItem: () => null, setItem: nothing, removeItem: nothing },
});
// Loaded without their types, which need those of a browser.
const [library, page] = ['@tanstack/react-query', '../../web/api/session.ts'];
const { QueryClient } = await import(library);
const { endSession, sessionExpiredQuery, storeSession } = await import(page);

test('remembers that the session ended after its cache entry was collected', async () => {
  const client = new QueryClient();
  const session = { user_info: { user_id: 1 } };
  storeSession(client, session);
  endSession(client);
  client.removeQueries({ queryKey: sessionExpiredQuery.queryKey });
  expect(await client.fetchQuery(sessionExpiredQuery)).toBe(true);
  storeSession(client, session);
  client.removeQueries({ queryKey: sessionExpiredQuery.queryKey });
  expect(await client.fetchQuery(sessionExpiredQuery)).toBe(false);
});
