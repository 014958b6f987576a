const KEY = 'campanile.workspace';
/** A link to a page in another workspace names it, as those in mails and notices do. */
const PARAMETER = 'workspace';
/** Other texts name no workspace, and some are no value of a header: every request would fail. */
const ID = /^\d{1,15}$/;

/** Of this page for as long as it is open: another tab can show another workspace. */
let present: string | undefined;
/** Whose choice it is; undefined: of the address, for the person who is signed in. */
let chooser: string | undefined;
[present, chooser] = readStored();

function readStored(): [id?: string | undefined, userId?: string | undefined] {
  const [id = '', userId] = localStorage.getItem(KEY)?.split(' ') ?? [];
  return ID.test(id) ? [id, userId] : [];
}

/** Returns the id of the workspace that this page shows; undefined until somebody is signed in. */
export function chosenWorkspace(): string | undefined {
  return present;
}

/** Chooses the workspace that the user opened last, wherever that was, unless they have chosen one in this browser or by the address. */
export function followLastWorkspace(id: number, userId: number): void {
  const isOfOther = chooser !== undefined && chooser !== String(userId);
  if (present === undefined || isOfOther) present = String(id);
  chooser = String(userId);
  localStorage.setItem(KEY, `${present} ${chooser}`);
}

/** Loads `page` in another workspace; undefined: the one opened last. All data of the former one is dropped with the present page. */
export function openWorkspace(id: number | undefined, page = '/'): void {
  if (id === undefined) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, String(id));
  globalThis.location.assign(page);
}

/** The next session chooses anew. */
export function forgetWorkspace(): void {
  localStorage.removeItem(KEY);
  present = undefined;
  chooser = undefined;
}

/** Chooses the workspace that the address of the page names. Call it before the first request. */
export function followWorkspaceLink(): void {
  const url = new URL(globalThis.location.href);
  const named = url.searchParams.get(PARAMETER);
  if (named === null) return;
  if (ID.test(named)) {
    localStorage.setItem(KEY, named);
    present = named;
    chooser = undefined;
  }
  url.searchParams.delete(PARAMETER);
  history.replaceState(history.state, '', url);
}
