import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';

/** Returns the folder for programs' state (XDG_STATE_HOME). */
export function defaultStateDir(environment: Readonly<Record<string, string | undefined>>): string {
  const home = environment['XDG_STATE_HOME'];
  if (home !== undefined && isAbsolute(home)) return join(home, 'campanile');
  if (process.platform === 'win32') return join(environment['LOCALAPPDATA'] ?? homedir(), 'campanile');
  return join(homedir(), '.local', 'state', 'campanile');
}

/** Both absolute; a folder is inside itself. */
export function isInside(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return !/^\.\.([/\\]|$)/.test(path) && !isAbsolute(path);
}
