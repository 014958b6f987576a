import { queryOptions, type QueryClient } from '@tanstack/react-query';
import type { Session } from '../../src/api/contract/session.ts';
import { call, request } from './call.ts';
import { followLastWorkspace, forgetWorkspace } from './chosen-workspace.ts';

export type SignedIn = NonNullable<Session>;
const KEY = ['session'] as const;
/** The user whose session ended while the page was open; their unsaved changes are kept for them. */
let lastUserId: number | undefined;

export const sessionQuery = queryOptions({
  queryKey: KEY,
  queryFn: async ({ signal }) => {
    const session = await request<Session>('/session', 'GET', { signal });
    if (session) followLastWorkspace(session.workspace_id, session.user_info.user_id);
    return session;
  },
  staleTime: Infinity,
});

/** Signs in, with a code if the service asked for one. Rejects with a CampanileError. */
export async function signIn(client: QueryClient, userName: string, password: string, code?: string): Promise<void> {
  storeSession(client, await request<Session>('/session', 'POST', { body: { user_name: userName, password, code } }));
}

/** Stores the new session. If another user signs in, everything that was fetched before is dropped. */
export function storeSession(client: QueryClient, data: Session): void {
  const before = client.getQueryData(sessionQuery.queryKey)?.user_info.user_id ?? lastUserId;
  if (before !== data?.user_info.user_id) {
    // The choice of another person.
    if (before !== undefined) forgetWorkspace();
    clearCache(client);
  }
  lastUserId = undefined;
  if (data) followLastWorkspace(data.workspace_id, data.user_info.user_id);
  client.setQueryData(sessionExpiredQuery.queryKey, false);
  client.setQueryData(sessionQuery.queryKey, data);
}

export function signOut(client: QueryClient): Promise<void> {
  return signOutWith(client, () => request<Session>('/session', 'DELETE'));
}

/** Signs out on all devices. */
export function signOutEverywhere(client: QueryClient, { keepApiKeys }: { keepApiKeys: boolean }): Promise<void> {
  return signOutWith(client, async () => {
    await call('user/revoke_tokens', { keep_api_keys: keepApiKeys });
    await request<Session>('/session', 'DELETE');
  });
}

/** Hides the pages first, since their requests would fail. They come back if signing out fails. */
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
  forgetWorkspace();
  clearCache(client);
}

/** Keeps the session query itself: its observers would go on observing a removed query. */
function clearCache(client: QueryClient): void {
  lastUserId = undefined;
  client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
}

/** Ends the session in this page: the sign-in form is shown. */
export function endSession(client: QueryClient): void {
  const session = client.getQueryData(sessionQuery.queryKey);
  if (session) {
    lastUserId = session.user_info.user_id;
    client.setQueryData(sessionExpiredQuery.queryKey, true);
  }
  client.setQueryData(sessionQuery.queryKey, null);
}

/** Asks the service whether the session has expired, since this machine's clock may be wrong. Never rejects. */
export async function endSessionIfExpired(client: QueryClient): Promise<void> {
  try {
    const session = await request<Session>('/session', 'GET');
    if (session === null) endSession(client);
  } catch {
    // Unreachable: the next rejected request will end the session.
  }
}

/** Whether a session ended while the page was open, as opposed to nobody having signed in yet. */
export const sessionExpiredQuery = queryOptions({
  queryKey: ['session-ended'],
  // Not from the cache alone: after a sleep of the machine, an entry may be collected before the form reads it.
  queryFn: () => lastUserId !== undefined,
  staleTime: Infinity,
});
