import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const PILE_BYTES = 40 * 1024 * 1024;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options: {
  type: 'major';
  execution: 'sync';
  flavor?: 'last-resort';
}) => void;

/**
 * Has V8 collect now when buffers have piled up. To be called when a big file was let go of: the copies that the database driver made
 * of it are dead then, but V8 counts them as outside of its heap and lets more than 100 MB of them lie about. Costs some 30 ms when
 * there is a pile, and next to nothing when there is none.
 */
export function collectDeadBuffers(): void {
  if (process.memoryUsage().arrayBuffers > PILE_BYTES) collect({ type: 'major', execution: 'sync' });
}

/**
 * Drops what only the start needed, some 8 MB, for which an idle process would not be asked for hours. To be called before anybody
 * waits for anything: it takes some 100 ms.
 */
export function collectAll(): void {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
