const KEY = 'campanile.workspace';
/** A link to a page in another workspace names it, as those in mails and notices do. */
const PARAMETER = 'workspace';
/** Other texts name no workspace, and some are no value of a header: every request would fail. */
const ID = /^\d{1,15}$/;

/** Of this page for as long as it is open: another tab can show another workspace. */
let present = readStored();

function readStored(): string | undefined {
  const stored = localStorage.getItem(KEY);
  return stored !== null && ID.test(stored) ? stored : undefined;
}

/** Returns the id of the workspace that this page shows; undefined: the default one of the user. */
export function chosenWorkspace(): string | undefined {
  return present;
}

/** Loads `page` in another workspace, or the default one. All data of the former one is dropped with the present page. */
export function openWorkspace(id: number | undefined, page = '/'): void {
  if (id === undefined) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, String(id));
  globalThis.location.assign(page);
}

/** The next request is for the default workspace. */
export function forgetWorkspace(): void {
  localStorage.removeItem(KEY);
  present = undefined;
}

/** Chooses the workspace that the address of the page names. Call it before the first request. */
export function followWorkspaceLink(): void {
  const url = new URL(globalThis.location.href);
  const named = url.searchParams.get(PARAMETER);
  if (named === null) return;
  if (ID.test(named)) {
    localStorage.setItem(KEY, named);
    present = named;
  }
  url.searchParams.delete(PARAMETER);
  history.replaceState(history.state, '', url);
}
