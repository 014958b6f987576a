import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../lib/errors.ts';

/** DATA_DIR is ours until `release`, or until this process ends in whatever way. */
export interface FolderLock {
  release(): void;
}

const SQLITE_BUSY = 5;

/**
 * Takes DATA_DIR for this process. Throws a StartupError when a living process has it.
 *
 * Node has no file locks of its own, but its SQLite takes real ones: the system frees them when the process dies, so there is
 * no stale lock to judge by pid and no race, and they hold between containers that share a volume. The file stays empty.
 * Trap: a process that opens and closes the file in any other way loses its lock.
 */
export function lockFolder(dataDir: string): FolderLock {
  const holderFile = join(dataDir, 'campanile.pid');
  const file = new DatabaseSync(join(dataDir, 'campanile.lock'));
  try {
    // In memory, or a journal would be left beside the lock by a crash.
    file.exec('pragma journal_mode = memory; begin exclusive');
  } catch (error) {
    file.close();
    if (!isBusy(error)) throw error;
    throw new StartupError(
      `Campanile is already running on DATA_DIR (${dataDir}), as process ${readHolder(holderFile)}: stop that one first, or give this one another DATA_DIR.`,
      error,
    );
  }
  writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => file.isOpen && file.close() };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}

/** Only for the sentence above; who holds the folder is decided by the lock. */
function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || 'unknown';
  } catch {
    return 'unknown';
  }
}
