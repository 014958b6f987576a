import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartupError } from '../../errors/errors.ts';
import { sleep } from '../../time/time.ts';

const SQLITE_BUSY = 5;
/** A process that was killed a moment ago has its lock until the system has cleared it away. */
const PATIENCE_MS = 2_000;
const POLL_MS = 50;

/**
 * Takes DATA_DIR for this process until `release`, or until it ends in any way. Throws a StartupError when a living process has it.
 *
 * Node has no file locks of its own, but its SQLite takes real ones: the system frees them when the process dies, so there is
 * no stale lock to detect by pid and no race, and they hold between containers that share a volume. The file stays empty.
 * Trap: a process that opens and closes the file in any other way loses its lock.
 */
export async function lockFolder(dataDir: string): Promise<{ release: () => void }> {
  const holderFile = join(dataDir, 'campanile.pid');
  const file = new DatabaseSync(join(dataDir, 'campanile.lock'));
  try {
    for (const end = Date.now() + PATIENCE_MS; !tryLock(file); await sleep(POLL_MS)) {
      if (Date.now() < end) continue;
      throw new StartupError(
        `Campanile is already running on DATA_DIR (${dataDir}), as process ${readHolder(holderFile)}: stop that one first, or give this one another DATA_DIR.`,
      );
    }
    writeFileSync(holderFile, `${process.pid}\n`, { mode: 0o600 });
  } catch (error) {
    file.close();
    throw error;
  }
  return { release: () => file.isOpen && file.close() };
}

function tryLock(file: DatabaseSync): boolean {
  try {
    // In memory, or a crash would leave a journal beside the lock.
    file.exec('pragma journal_mode = memory; begin exclusive');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/** Used only in a message; the lock decides who holds the folder. */
function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim() || 'unknown';
  } catch {
    return 'unknown';
  }
}
