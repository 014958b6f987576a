import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Session } from '../../src/api/contract/session.ts';
import { call, request } from './call.ts';

export type SignedIn = NonNullable<Session>;
const KEY = ['session'] as const;
/** Whose session has ended while the page was open: what they had not kept yet waits for them. */
let lastUserId: number | undefined;

export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => request<Session>('/session', 'GET', { signal }),
  staleTime: Infinity,
});

/** Signs in, with a code where one was asked for. Rejects with a CampanileError. */
export async function signIn(client: QueryClient, userName: string, password: string, code?: string): Promise<void> {
  storeSession(client, await request<Session>('/session', 'POST', { body: { user_name: userName, password, code } }));
}

/** Who has just signed in is who is signed in; what was fetched for somebody else is forgotten. */
export function storeSession(client: QueryClient, data: Session): void {
  const before = client.getQueryData(sessionQuery.queryKey)?.user_info.user_id ?? lastUserId;
  if (before !== data?.user_info.user_id) clearCache(client);
  client.setQueryData(sessionExpiredQuery.queryKey, false);
  client.setQueryData(sessionQuery.queryKey, data);
}

export function signOut(client: QueryClient): Promise<void> {
  return signOutWith(client, () => request<Session>('/session', 'DELETE'));
}

/** Signs out here and wherever else the user is signed in. */
export function signOutEverywhere(client: QueryClient, { keepApiKeys }: { keepApiKeys: boolean }): Promise<void> {
  return signOutWith(client, async () => {
    await call('user/revoke_tokens', { keep_api_keys: keepApiKeys });
    await request<Session>('/session', 'DELETE');
  });
}

/** The pages go first: they would ask on with what is about to be refused. They come back when it could not be done. */
async function signOutWith(client: QueryClient, act: () => Promise<unknown>): Promise<void> {
  const before = client.getQueryData(sessionQuery.queryKey);
  client.setQueryData(sessionQuery.queryKey, null);
  await client.cancelQueries();
  try {
    await act();
  } catch (error) {
    client.setQueryData(sessionQuery.queryKey, before);
    throw error;
  }
  clearCache(client);
}

/** All but the session itself: what watches it would go on watching what was thrown away. */
function clearCache(client: QueryClient): void {
  lastUserId = undefined;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

/** The session is over: nobody is signed in until somebody does so again. */
export function endSession(client: QueryClient): void {
  const session = client.getQueryData(sessionQuery.queryKey);
  if (session) {
    lastUserId = session.user_info.user_id;
    client.setQueryData(sessionExpiredQuery.queryKey, true);
  }
  client.setQueryData(sessionQuery.queryKey, null);
}

/** Asks whether the session is over: the clock of this machine alone may be wrong. Resolves in any case. */
export async function endSessionIfExpired(client: QueryClient): Promise<void> {
  try {
    const session = await request<Session>('/session', 'GET');
    if (session === null) endSession(client);
  } catch {
    // Out of reach just now: the next request that is refused will end it.
  }
}

/** Whether a session came to its end while the page was open, rather than that nobody has signed in yet. */
export const sessionExpiredQuery = queryOptions({
  queryKey: ['session-ended'],
  queryFn: () => false,
  staleTime: Infinity,
  gcTime: Infinity,
});
