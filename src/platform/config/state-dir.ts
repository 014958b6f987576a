import { homedir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';

/** Returns `STATE_DIR`, by default the folder for programs' state; absolute. */
export function findStateDir(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  return resolve(environment['STATE_DIR']?.trim() || defaultStateDir(environment));
}

/** XDG_STATE_HOME. */
function defaultStateDir(environment: Readonly<Record<string, string | undefined>>): string {
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
