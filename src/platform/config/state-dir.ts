import { homedir } from 'node:os';
import { isAbsolute, join, relative } from 'node:path';
import type { Environment } from './settings-reader.ts';

/** Where the user's programs keep what they have to remember. */
export function defaultStateDir(environment: Environment): string {
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
