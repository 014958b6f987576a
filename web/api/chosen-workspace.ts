const KEY = 'campanile.workspace';

/** Returns the id of the workspace that was chosen in this browser; undefined: the default one of the user. */
export function chosenWorkspace(): string | undefined {
  return localStorage.getItem(KEY) ?? undefined;
}

/** Shows another workspace, or the default one, from the home page on. All data of the former one is dropped with the page. */
export function openWorkspace(id: number | undefined): void {
  forgetWorkspace();
  if (id !== undefined) localStorage.setItem(KEY, String(id));
  globalThis.location.assign('/');
}

/** The next request is for the default workspace. */
export function forgetWorkspace(): void {
  localStorage.removeItem(KEY);
}
