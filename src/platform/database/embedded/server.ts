import type { Log } from '../../log/log.ts';
import { StartupError } from '../../errors/errors.ts';
import { sleep } from '../../time/time.ts';
import type { Binaries } from './binaries.ts';
import { DiskFullError } from './folder.ts';
import {
  failureLine,
  readOutput,
  programEnd,
  runProgram,
  isDiskFullMessage,
  startProgram,
  type Identity,
  type Output,
  type Program,
} from './program.ts';

/** A running `postgres`. */
export interface Server {
  pid: number | undefined;
  stop(): Promise<void>;
  /** Resolves with the reason when it ends without `stop`. */
  exited: Promise<string>;
  /** Whether it ever said that the disk is full. */
  ranOutOfDisk(): boolean;
}

const SETTINGS: Record<string, string> = {
  // Enough for a busy day, small for an idle one: most of the cache is the system's.
  shared_buffers: '64MB',
  max_connections: '100',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '',
  lc_messages: 'C',
  // The client that sent a statement gets its full error. Here details and parameters would only put personal data into the log.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
  // A subscription in the data would have the server connect elsewhere by itself.
  max_logical_replication_workers: '0',
};

/** The ledger has no event triggers; one in the data would run at each connection or change of the schema. */
const SETTINGS_FROM_17 = { event_triggers: 'off' };

/** No I/O worker processes: they came with PostgreSQL 18, and the ledger's short reads do not need them. */
const SETTINGS_FROM_18 = { io_method: 'sync' };

const READY = 'database system is ready to accept connections';
const PATIENCE_MS = 10_000;
/**
 * The signals of a shutdown and the time to wait after each: fast (transactions are rolled back), then immediate (recovers at the next
 * start).
 */
const STOP_STEPS: ReadonlyArray<[NodeJS.Signals, waitMs: number]> = [
  ['SIGINT', 10_000],
  ['SIGQUIT', 5_000],
];

export interface ServerOptions {
  cluster: string;
  dataDir: string;
  settings: Record<string, string>;
  log: Log;
  /** Called for each time the server says so. */
  onDiskFull?: (() => void) | undefined;
}

/**
 * Starts `postgres` and resolves once it takes connections, after a crash as soon as its recovery is done. Throws a StartupError
 * with the server's own reason when it ends instead.
 */
export async function startServer(
  { cluster, dataDir, settings, log, onDiskFull }: ServerOptions,
  binaries: Binaries,
  identity: Identity,
): Promise<Server> {
  const major = Number(binaries.major);
  const ours = { ...SETTINGS, ...(major >= 17 && SETTINGS_FROM_17), ...(major >= 18 && SETTINGS_FROM_18) };
  const flags = Object.entries({ ...ours, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = startProgram(binaries.postgres, ['-D', cluster, ...flags], identity);
  const ready = Promise.withResolvers<undefined>();
  const output = readOutput([child.stdout, child.stderr], (line) => {
    logServerOutput(line, log);
    if (isDiskFullMessage(line)) onDiskFull?.();
    if (line.includes(READY)) ready.resolve(undefined);
  });
  const ended = programEnd(child);
  const patience = setInterval(
    () => log.info('PostgreSQL is still starting: it recovers what a crash left'),
    PATIENCE_MS,
  );
  const outcome = await Promise.race([ready.promise, ended]);
  clearInterval(patience);
  if (outcome !== undefined) {
    if (output.diskFull) throw new DiskFullError(dataDir);
    throw new StartupError(`PostgreSQL did not start in ${cluster}: ${failureLine(output)}`);
  }
  return supervise(child, ended, output, binaries, identity);
}

function supervise(
  child: Program,
  ended: Promise<number | string>,
  output: Output,
  binaries: Binaries,
  identity: Identity,
): Server {
  // Where nothing else makes the server end with us (see SETPRIV), this does unless we are killed.
  const stopOnExit = () => child.kill('SIGINT');
  process.once('exit', stopOnExit);
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    for (const [signal, waitMs] of STOP_STEPS) {
      if (child.exitCode !== null || child.signalCode !== null) break;
      await sendSignal(child, signal, binaries, identity);
      if (await endsWithin(ended, waitMs)) break;
    }
    child.kill('SIGKILL');
    await ended;
  };
  return {
    pid: child.pid,
    ranOutOfDisk: () => output.diskFull,
    stop: () => (stopping ??= stop()),
    exited: new Promise((resolve) => {
      void ended.then((end) => {
        process.removeListener('exit', stopOnExit);
        if (!stopping) resolve(`PostgreSQL ended by itself (${end}): ${failureLine(output)}`);
      });
    }),
  };
}

async function sendSignal(child: Program, signal: NodeJS.Signals, binaries: Binaries, identity: Identity) {
  // On Windows a signal would kill the process at once; pg_ctl requests a shutdown.
  if (process.platform === 'win32')
    await runProgram(binaries.pgCtl, ['kill', signal.replace('SIG', ''), String(child.pid)], identity);
  else child.kill(signal);
}

async function endsWithin(ended: Promise<unknown>, ms: number): Promise<boolean> {
  const ending = new AbortController();
  void ended.then(() => ending.abort());
  await sleep(ms, ending.signal);
  return ending.signal.aborted;
}

/** Errors of a statement or a connection are reported to their client. Only messages about the server are worth a warning. */
function logServerOutput(line: string, log: Log): void {
  if (/^(WARNING|FATAL|PANIC): +(?! |terminating connection)/.test(line))
    log.warn({ postgres: line }, 'PostgreSQL says');
  else log.debug({ postgres: line }, 'PostgreSQL says');
}
