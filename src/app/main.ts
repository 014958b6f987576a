import { startApp, type App, type AppOptions } from './app.ts';
import { readConfig } from '../platform/config/config.ts';
import { describeMisspelled } from '../platform/config/find-misspelled.ts';
import { StartupError } from '../platform/errors/errors.ts';
import { createLog, type Log } from '../platform/log/log.ts';
import { readVersion } from '../platform/config/version.ts';

/** Requests and sends in hand get 10 s (contract §1); what then is left is cut off. */
const STOP_LIMIT_MS = 14_000;

/** How often to check that the parent process still exists. */
const PARENT_CHECK_MS = 250;

/**
 * Runs the service until a signal or a fatal error ends it. Sets the exit code; never rejects. With `stopWithParent` it also ends when its
 * parent process ends. The other options are those of `startApp`.
 */
export async function main({
  stopWithParent = false,
  ...options
}: AppOptions & { stopWithParent?: boolean } = {}): Promise<void> {
  let log: Log | undefined;
  const asked = Promise.race([waitForSignal(() => log), ...(stopWithParent ? [waitForParentExit()] : [])]);
  let app: App;
  try {
    const config = readConfig();
    log = createLog(config.logLevel);
    log.info({ ...readVersion(), node: process.versions.node, role: config.role }, 'Campanile starts');
    for (const misspelled of config.misspelled) log.warn(describeMisspelled(misspelled));
    app = await startApp(config, log, options);
  } catch (error) {
    reportFailedStart(error, log);
    return exit(1);
  }
  const { url } = app;
  log.info(url === undefined ? 'working' : `listening on ${url}`);
  const reason = await Promise.race([
    asked.then((signal) => ({ signal })),
    app.failed.then((failure) => ({ failure })),
  ]);
  if ('failure' in reason) log.fatal(reason.failure);
  else log.info({ signal: reason.signal }, 'stopping');
  await stop(app, log);
  exit('failure' in reason ? 1 : 0);
}

/** SIGHUP in a terminal means that it was closed, and stops the service, too. A service without one goes on. */
function waitForSignal(log: () => Log | undefined): Promise<NodeJS.Signals> {
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  return new Promise((resolve) => {
    // `on`, not `once`: without a listener a second signal would kill the process in the middle of stopping.
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        if (signal !== 'SIGHUP' || hasTerminal) return resolve(signal);
        log()?.warn('SIGHUP changes nothing: restart Campanile to read its settings again');
      });
  });
}

function waitForParentExit(): Promise<'parent gone'> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    setInterval(() => {
      if (process.ppid !== parent) resolve('parent gone');
    }, PARENT_CHECK_MS).unref();
  });
}

async function stop(app: App, log: Log): Promise<void> {
  const tooLong = setTimeout(() => {
    log.error('stopping took too long: what was still in hand is cut off and will be taken up at the next start');
    exit(0);
  }, STOP_LIMIT_MS);
  try {
    await app.stop();
  } catch (error) {
    log.error({ err: error }, 'something did not close cleanly');
  }
  clearTimeout(tooLong);
}

function reportFailedStart(error: unknown, log: Log | undefined): void {
  if (error instanceof StartupError) process.stderr.write(`${error.message}\n`);
  else if (log) log.fatal({ err: error }, 'Campanile could not start');
  else process.stderr.write(`Campanile could not start: ${String(error)}\n`);
}

function exit(code: number): void {
  process.exitCode = code;
  // A handle that a library leaves open must not keep the process alive.
  process.exit();
}
