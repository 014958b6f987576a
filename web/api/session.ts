import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Session } from '../../src/http/contract/session.ts';
import { call, request } from './call.ts';

export type SignedIn = NonNullable<Session>;
const KEY = ['session'] as const;

export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => request<Session>('/session', 'GET', { signal }),
  staleTime: Infinity,
});

/** Signs in, and forgets what was fetched for somebody else. Rejects with an CampanileError. */
export async function signIn(client: QueryClient, userName: string, password: string): Promise<void> {
  const data = await request<Session>('/session', 'POST', { body: { user_name: userName, password } });
  const before = client.getQueryData(sessionQuery.queryKey);
  if (before?.user_info.user_id !== data?.user_info.user_id) forgetAll(client);
  client.setQueryData(wasSignedInQuery.queryKey, false);
  client.setQueryData(sessionQuery.queryKey, data);
}

export function signOut(client: QueryClient): Promise<void> {
  return leave(client, () => request<Session>('/session', 'DELETE'));
}

/** Signs out here and wherever else the user is signed in. */
export function signOutEverywhere(client: QueryClient): Promise<void> {
  return leave(client, async () => {
    await call('user/revoke_tokens', {});
    await request<Session>('/session', 'DELETE');
  });
}

/** The pages go first: they would ask on with what is about to be refused. They come back when it could not be done. */
async function leave(client: QueryClient, act: () => Promise<unknown>): Promise<void> {
  const before = client.getQueryData(sessionQuery.queryKey);
  client.setQueryData(sessionQuery.queryKey, null);
  await client.cancelQueries();
  try {
    await act();
  } catch (error) {
    client.setQueryData(sessionQuery.queryKey, before);
    throw error;
  }
  forgetAll(client);
}

/** All but the session itself: what watches it would go on watching what was thrown away. */
function forgetAll(client: QueryClient): void {
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

/** The session is over: nobody is signed in until somebody does so again. */
export function endSession(client: QueryClient): void {
  if (client.getQueryData(sessionQuery.queryKey)) client.setQueryData(wasSignedInQuery.queryKey, true);
  client.setQueryData(sessionQuery.queryKey, null);
}

/** Asks whether the session is over: the clock of this machine alone may be wrong. Resolves in any case. */
export async function endIfOver(client: QueryClient): Promise<void> {
  try {
    const session = await request<Session>('/session', 'GET');
    if (session === null) endSession(client);
  } catch {
    // Out of reach just now: the next request that is refused will end it.
  }
}

/** Whether a session came to its end while the page was open, rather than that nobody has signed in yet. */
export const wasSignedInQuery = queryOptions({
  queryKey: ['session-ended'],
  queryFn: () => false,
  staleTime: Infinity,
  gcTime: Infinity,
});
