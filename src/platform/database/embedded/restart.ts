import type { Log } from '../../log/log.ts';
import { sleep } from '../../time/time.ts';
import { DiskFullError } from './folder.ts';
import type { Server } from './server.ts';
import { errorCodeOf } from '../../errors/errors.ts';

/** The pauses before each new start. When they are used up the operator has to look. */
const PAUSES_MS = [0, 500, 1_000, 2_000, 4_000, 8_000];
/** A full disk is nothing that trying could make worse: it goes on until there is room. */
const DISK_FULL_PAUSE_MS = 2_000;
/** A server that ran for so long counts as recovered: the count of restarts begins at 0 again. */
const STEADY_MS = 60_000;

/** Supervisor: starts the server again by `restart` whenever the server ends without having been stopped. */
export function superviseServer(
  first: Server,
  restart: () => Promise<Server>,
  log: Log,
  pausesMs: readonly number[] = PAUSES_MS,
) {
  const stopping = new AbortController();
  const givenUp = Promise.withResolvers<string>();
  let server = first;
  let attempts = 0;
  let restarting: Promise<void> = Promise.resolve();

  function watch() {
    const startedAt = performance.now();
    void server.exited.then((reason) => {
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > STEADY_MS) attempts = 0;
      log.error({ reason }, 'PostgreSQL is started again');
      restarting = restartUntilRunning(reason, server.ranOutOfDisk());
    });
  }

  async function restartUntilRunning(firstReason: string, firstDiskFull: boolean): Promise<void> {
    let reason = firstReason;
    let diskFull = firstDiskFull;
    for (;;) {
      const pauseMs = diskFull ? DISK_FULL_PAUSE_MS : pausesMs[attempts++];
      if (pauseMs === undefined) return givenUp.resolve(reason);
      await sleep(pauseMs, stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        server = await restart();
        watch();
        return;
      } catch (error) {
        reason = error instanceof Error ? error.message : String(error);
        diskFull = isDiskFull(error);
        log.warn({ reason }, 'PostgreSQL could not be started again yet');
      }
    }
  }

  watch();
  return {
    /** Resolves with the reason when starting it again has been given up. */
    exited: givenUp.promise,
    async stop() {
      stopping.abort();
      await restarting;
      await server.stop();
    },
  };
}

function isDiskFull(error: unknown): boolean {
  return error instanceof DiskFullError || errorCodeOf(error) === 'ENOSPC';
}
