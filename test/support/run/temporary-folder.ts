/** The temporary folder of tests: in memory if there is enough of it, since the disk of a busy machine may stall for seconds. */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Short: the path of a socket has little room. */
const NAME = 'cmp-';
/** Several times the space that a whole run needs. */
const ENOUGH_BYTES = 6 * 2 ** 30;

/** Puts `os.tmpdir()` of this process and its children into memory. Does nothing if there is too little memory, or a folder was chosen. */
export function useMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return;
  removeLeft();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH_BYTES) return;
  const folder = join(MEMORY, `${NAME}${process.pid}`);
  // Other users read it, too: processes that dropped their privileges. It may be there already: a killed run had the same number.
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  process.env['TMPDIR'] = folder;
  process.on('exit', () => remove(folder));
}

/** Removes the folders of killed runs. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(NAME) && !existsSync(join('/proc', name.slice(NAME.length)))) remove(join(MEMORY, name));
}

/** One that stays is no reason to run no test: a disk that a killed run mounted in it is busy. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    process.emitWarning(`A temporary folder of tests stays: ${String(error)}`);
  }
}
