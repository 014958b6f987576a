import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Session } from '../../src/http/contract/session.ts';
import { request } from './call.ts';

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

export async function signOut(client: QueryClient): Promise<void> {
  await request<Session>('/session', 'DELETE');
  forgetAll(client);
  client.setQueryData(sessionQuery.queryKey, null);
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
