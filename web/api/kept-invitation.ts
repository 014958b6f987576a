/** The page of an invitation to a workspace. Its code is in the fragment, which browsers never send to a server. */
const PATH = '/join';
const KEY = 'campanile.invitation';

/** Keeps the code of the page's address in this browser: it outlives sign-up, sign-in, a reload and the tab. Call it before the first render. */
export function keepInvitation(): void {
  const { pathname, hash } = globalThis.location;
  if (pathname === PATH && hash.length > 1) localStorage.setItem(KEY, hash.slice(1));
}

/** Returns the code of an invitation that was opened and neither accepted nor declined. */
export function keptInvitation(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

export function forgetInvitation(): void {
  localStorage.removeItem(KEY);
}

/** Returns the page to open after a sign-in. */
export function pathAfterSignIn(): string {
  return keptInvitation() === undefined ? '/' : PATH;
}
