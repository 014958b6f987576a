import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { BUILD_FOLDER, isFresh } from '../../web/freshness.ts';
import type { DashboardFiles, DashboardState } from '../api/server/serve-dashboard.ts';
import type { Log } from '../platform/log/log.ts';
import { errorCodeOf } from '../platform/errors/errors.ts';

const BUILDER = join(import.meta.dirname, '../../web/build.ts');

export interface Dashboard extends DashboardFiles {
  /** Builds the dashboard if its state is `building`. Never rejects: if the build fails, an older one is served, or none. */
  build(): Promise<void>;
  /** Ends a build that is under way. */
  stop(): Promise<void>;
}

/**
 * Opens the dashboard: `building` if its sources have changed since the last build, and the tools are there. `builtFolder` is of one that
 * was built beforehand.
 */
export function openDashboard(log: Log, builtFolder?: string): Dashboard {
  const stopping = new AbortController();
  const lastBuild = () => (existsSync(BUILD_FOLDER) ? 'built' : 'missing');
  let state = firstState();
  let building: Promise<void> | undefined;

  function firstState(): DashboardState {
    // The package has no sources to build from.
    if (builtFolder !== undefined || !existsSync(BUILDER) || isFresh()) return 'built';
    if (hasTools()) return 'building';
    log.warn(failure(lastBuild()));
    return lastBuild();
  }

  async function run(): Promise<void> {
    if (state !== 'building') return;
    await build(log, stopping.signal);
    state = lastBuild();
  }

  return {
    folder: builtFolder ?? BUILD_FOLDER,
    state: () => state,
    build: () => (building ??= run()),
    async stop() {
      stopping.abort();
      await building;
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

/** In a child process, because the build needs many times the service's memory. */
async function build(log: Log, signal: AbortSignal): Promise<void> {
  log.info('building the dashboard: its sources have changed, or this is the first start. The API works meanwhile');
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
  else log.warn({ code, output: output.join('').trim() }, failure(existsSync(BUILD_FOLDER) ? 'built' : 'missing'));
}

function failure(state: DashboardState): string {
  const instead = state === 'built' ? 'the one that was built before is served' : 'the service goes on without it';
  return `the dashboard could not be built, so ${instead}. Run "npm ci" without --omit=dev, then "npm run build"`;
}
