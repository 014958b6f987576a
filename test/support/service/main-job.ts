import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PATIENCE_MS } from '../patience.ts';

const EXAMPLE = join(import.meta.dirname, '../../../examples/announce.ts');

/** Signs up with the service at `url`, posts to a sandbox group and waits until everything is sent; resolves to the output. */
export async function doMainJob(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [EXAMPLE, 'chess'], {
    timeout: PATIENCE_MS,
    env: { BASE: url },
  });
  return stdout;
}
