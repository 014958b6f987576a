import { accessSync, constants, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { findStateDir } from '../platform/config/state-dir.ts';
import { errorCodeOf } from '../platform/errors/errors.ts';

/**
 * Keeps compiled code in `STATE_DIR`, since the folder of the installation may be read-only. The next start is quicker, and needs neither
 * the compiler nor its memory, some 20 MB. Does nothing before the service has created `STATE_DIR`, and where Node.js has a cache already
 * (`NODE_COMPILE_CACHE`).
 */
export function cacheCompiledCode(): void {
  const folder = findStateDir();
  if (isForUs(folder)) enableCompileCache(join(folder, 'compile-cache'));
}

/** Root can write everywhere, but its files would lock out the user that the service runs as. */
function isForUs(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return process.getuid?.() !== 0 || statSync(folder).uid === 0;
  } catch (error) {
    // No folder yet, or one of another user.
    if (errorCodeOf(error) === undefined) throw error;
    return false;
  }
}
