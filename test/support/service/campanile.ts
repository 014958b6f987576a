import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const DOOR = join(import.meta.dirname, '../../../bin/campanile.mjs');

/** One cache of compiled code for all processes of a run. */
export const NODE_COMPILE_CACHE = join(import.meta.dirname, '../../../node_modules/.cache/campanile');

/** The output of a command: stdout if it succeeded, otherwise both streams. */
export interface Said {
  code: number;
  said: string;
}

/** Runs a command of `bin/campanile.mjs` as an operator would, with only these variables and PATH. */
export async function campanile(environment: Record<string, string>, ...words: string[]): Promise<Said> {
  const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE, ...environment };
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [DOOR, ...words], { env });
    return { code: 0, said: stdout };
  } catch (error) {
    if (error instanceof Error && 'code' in error && 'stdout' in error && 'stderr' in error)
      return { code: Number(error.code), said: `${String(error.stdout)}${String(error.stderr)}` };
    throw error;
  }
}
