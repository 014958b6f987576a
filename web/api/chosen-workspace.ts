const KEY = 'campanile.workspace';
/** A link to a page in another workspace names it, as those in mails and notices do. */
const PARAMETER = 'workspace';

/** Returns the id of the workspace that was chosen in this browser; undefined: the default one of the user. */
export function chosenWorkspace(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** Shows another workspace, or the default one, from `page` on. All data of the former one is dropped with the page. */
export function openWorkspace(id: number | undefined, page = '/'): void {
  forgetWorkspace();
  if (id !== undefined) localStorage.setItem(KEY, String(id));
  globalThis.location.assign(page);
}

/** The next request is for the default workspace. */
export function forgetWorkspace(): void {
  localStorage.removeItem(KEY);
}

/** Chooses the workspace that the address of the page names. Call it before the first request. */
export function followWorkspaceLink(): void {
  const url = new URL(globalThis.location.href);
  const named = url.searchParams.get(PARAMETER);
  if (named === null) return;
  localStorage.setItem(KEY, named);
  url.searchParams.delete(PARAMETER);
  history.replaceState(history.state, '', url);
}
