import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../ledger.ts';
import { PATIENCE_MS } from '../patience.ts';

/** The service as its users run it: a process of its own, with an embedded PostgreSQL. */
export interface Service {
  url: string;
  pid: number;
  /** Resolves when the process has ended, however, to its exit code; null after a signal. */
  ended: Promise<number | null>;
  /** Holds `data` and `state`; give it to `startService` to start again on the same. */
  folder: string;
  /** The process and all that it started, killed at once and without a word; nothing when it has ended. */
  kill(): Promise<void>;
  /** Asks it to stop; resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Stops the process (SIGSTOP) until `wake`. */
  freeze(): void;
  wake(): void;
  /** What it has logged so far. */
  log(): string;
}

const DOOR = join(import.meta.dirname, '../../../bin/campanile.mjs');

export interface ServiceOptions {
  folder?: string;
  environment?: Record<string, string>;
  /** What is run instead of the service's own door. */
  entry?: string;
  /** By which Node.js, or what starts it; that of the test unless given. */
  node?: string;
  /** In front of the door. */
  words?: readonly string[];
  /** Where; here unless given. */
  cwd?: string;
}

/** Starts the service on a free port, by default in a new folder. Rejects with what it said when it ends instead. */
export async function startService({
  folder,
  environment = {},
  entry = DOOR,
  node = process.execPath,
  words = [],
  cwd,
}: ServiceOptions = {}): Promise<Service> {
  const home = folder ?? (await mkdtemp(join(tmpdir(), 'campanile-service-')));
  const child = spawn(node, [...words, entry], {
    cwd,
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      DATA_DIR: join(home, 'data'),
      STATE_DIR: join(home, 'state'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that it can be killed whole.
    detached: true,
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not start in time: ${said.join('')}`)), PATIENCE_MS);
    createInterface(child.stdout).on('line', (line) => {
      said.push(`${line}\n`);
      // A worker listens nowhere.
      const found = /listening on (http:[^"\s]+)|"msg":"working"/.exec(line);
      if (!found) return;
      clearTimeout(timer);
      resolve(found[1] ?? '');
    });
    void ended.then(() => {
      clearTimeout(timer);
      reject(new Error(`it ended: ${said.join('')}`));
    });
  });
  return {
    url,
    pid: child.pid ?? 0,
    ended,
    folder: home,
    log: () => said.join(''),
    async kill() {
      killGroup(child);
      await ended;
    },
    async stop() {
      child.kill('SIGTERM');
      return ended;
    },
    freeze: () => void child.kill('SIGSTOP'),
    wake: () => void child.kill('SIGCONT'),
  };
}

/** Kills, and waits until the server of its own has ended, too: what is copied of its data before is no whole ledger. */
export async function killWithServer(service: Service, dataDir = join(service.folder, 'data')): Promise<void> {
  await service.kill();
  await until(
    () => existsSync(join(dataDir, 'postgres/postmaster.pid')),
    (isRunning) => !isRunning,
  );
}

/** Removes the folder of a service that has ended. */
export async function removeService({ folder }: Service): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
}
