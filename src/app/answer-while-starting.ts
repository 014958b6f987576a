import { Registry } from 'prom-client';
import { buildOperatorServer } from '../api/server/operator-server.ts';
import type { Config } from '../platform/config/config.ts';
import { AppError } from '../platform/errors/errors.ts';
import type { Log } from '../platform/log/log.ts';
import { listen, PortInUseError } from './listen.ts';

const PHASES = {
  database: 'Campanile is starting, and waits for the database',
  migrating: 'Campanile is starting, and brings the database up to date',
  starting: 'Campanile is starting',
} as const;

export type Phase = keyof typeof PHASES;

/** The server that has the port until the service can answer. */
export interface StartingServer {
  setPhase(phase: Phase): void;
  /** Frees the port. */
  close(): Promise<void>;
}

/**
 * Listens before anything else is started. Liveness is 200 from then on, so that no probe kills a process that waits for the database or
 * migrates it; readiness and all other paths are 503 with the phase. Throws a StartupError when the address cannot be used. A worker goes
 * without if the port is in use.
 */
export async function answerWhileStarting(
  config: Pick<Config, 'host' | 'port' | 'role' | 'publicUrl' | 'metricsToken' | 'publicDocs'>,
  log: Log,
): Promise<StartingServer> {
  let phase: Phase = 'database';
  const reject = () => new AppError('database_unavailable', PHASES[phase]);
  const server = buildOperatorServer({
    readyChecks: {
      database: () => (phase === 'database' ? Promise.reject(reject()) : Promise.resolve()),
      starting: () => Promise.reject(reject()),
    },
    rejectOthers: reject,
    isDiskFull: () => false,
    metrics: new Registry(),
    log,
    settings: config,
  });
  try {
    await listen(server, config);
  } catch (error) {
    await server.close();
    if (config.role !== 'worker' || !(error instanceof PortInUseError)) throw error;
  }
  return {
    setPhase(next) {
      phase = next;
    },
    close: async () => server.close(),
  };
}
