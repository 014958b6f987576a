/** Where tests leave what is gone after them: in memory where there is enough of it, since the disk of a busy machine may stall for seconds. */
import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const MEMORY = '/dev/shm';
/** Short: the path of a socket has little room. */
const NAME = 'cmp-';
/** What a whole run has at once, several times over. */
const ENOUGH_BYTES = 6 * 2 ** 30;

/** Puts `os.tmpdir()` of this process and its children into memory. Does nothing if there is too little memory, or a folder was chosen. */
export function useMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return;
  removeLeft();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize < ENOUGH_BYTES) return;
  const folder = join(MEMORY, `${NAME}${process.pid}`);
  // Processes that dropped their privileges read this folder, too.
  mkdirSync(folder, { mode: 0o755 });
  process.env['TMPDIR'] = folder;
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
}

/** What runs left that were killed. */
function removeLeft(): void {
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(NAME) && !existsSync(join('/proc', name.slice(NAME.length))))
      rmSync(join(MEMORY, name), { recursive: true, force: true });
}
