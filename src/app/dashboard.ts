import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BUILD_FOLDER, isFresh } from '../../web/freshness.ts';
import type { Log } from '../platform/log/log.ts';
import { errorCodeOf } from '../platform/errors/errors.ts';

const BUILDER = join(import.meta.dirname, '../../web/build.ts');

export interface Dashboard {
  /** The folder of the built dashboard; undefined when there is none. Never rejects. */
  folder: Promise<string | undefined>;
  /** Ends a build that is under way. */
  stop(): Promise<void>;
}

/**
 * Builds the dashboard if its sources have changed since the last build, in a child process, because the build needs many times the
 * service's memory. If it cannot be built, an older build is served, or none, and the log says why.
 */
export function prepareDashboard(log: Log): Dashboard {
  // The package has no sources to build from.
  if (!existsSync(BUILDER) || isFresh())
    return { folder: Promise.resolve(BUILD_FOLDER), stop: () => Promise.resolve() };
  if (!hasTools()) {
    log.warn(failure(existsSync(BUILD_FOLDER)));
    const folder = existsSync(BUILD_FOLDER) ? BUILD_FOLDER : undefined;
    return { folder: Promise.resolve(folder), stop: () => Promise.resolve() };
  }
  const stopping = new AbortController();
  const folder = build(log, stopping.signal).then(() => (existsSync(BUILD_FOLDER) ? BUILD_FOLDER : undefined));
  return {
    folder,
    async stop() {
      stopping.abort();
      await folder;
    },
  };
}

/** Whether the development dependencies are there. */
function hasTools(): boolean {
  try {
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch (error) {
    if (errorCodeOf(error) === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}

async function build(log: Log, signal: AbortSignal): Promise<void> {
  log.info('building the dashboard: its sources have changed, or this is the first start');
  const startedAt = performance.now();
  const output: string[] = [];
  const child = spawn(process.execPath, [BUILDER], { stdio: ['ignore', 'pipe', 'pipe'], signal });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => output.push(chunk.toString()));
  const code = await once(child, 'close').then(
    ([exitCode]: unknown[]) => exitCode,
    (error: unknown) => String(error),
  );
  if (signal.aborted) return;
  if (code === 0) log.info({ ms: Math.round(performance.now() - startedAt) }, 'the dashboard is built');
  else log.warn({ code, output: output.join('').trim() }, failure(existsSync(BUILD_FOLDER)));
}

function failure(hasOlder: boolean): string {
  const instead = hasOlder ? 'the one that was built before is served' : 'the service goes on without it';
  return `the dashboard could not be built, so ${instead}. Run "npm ci" without --omit=dev, then "npm run build"`;
}
