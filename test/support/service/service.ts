import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '../ledger.ts';
import { PATIENCE_MS } from '../patience.ts';
import { NODE_COMPILE_CACHE } from './campanile.ts';

/** The service as its users run it: a process of its own, with an embedded PostgreSQL. */
export interface Service {
  url: string;
  pid: number;
  /** Resolves to the exit code when the process has ended; null after a signal. */
  ended: Promise<number | null>;
  /** Contains `data` and `state`; pass it to `startService` to restart with the same data. */
  folder: string;
  /** Kills the process and its children with SIGKILL; does nothing if it has ended. */
  kill(): Promise<void>;
  /** Stops it gracefully; resolves to the exit code. */
  stop(): Promise<number | null>;
  /** Suspends the process until it is woken. */
  freeze(): void;
  wake(): void;
  /** Returns its log so far. */
  log(): string;
}

const DOOR = join(import.meta.dirname, '../../../bin/campanile.mjs');

export interface ServiceOptions {
  folder?: string;
  environment?: Record<string, string>;
  /** The script to run instead of the service's own launcher. */
  entry?: string;
  /** The Node.js binary, or a program that starts it; by default that of the test. */
  node?: string;
  /** Arguments before the launcher. */
  words?: readonly string[];
  /** The working directory; by default that of the test. */
  cwd?: string;
}

/** Starts the service on a free port, by default in a new folder. Rejects with its output if it ends instead. */
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
      NODE_COMPILE_CACHE,
      PORT: '0',
      DATA_DIR: join(home, 'data'),
      STATE_DIR: join(home, 'state'),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that all of it can be killed.
    detached: true,
  });
  const said: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it did not start in time: ${said.join('')}`)), PATIENCE_MS);
    createInterface(child.stdout).on('line', (line) => {
      said.push(`${line}\n`);
      // A worker logs no address.
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

/** Kills the service and waits until its PostgreSQL has ended, too: its data is not a consistent copy before. */
export async function killWithServer(service: Service, dataDir = join(service.folder, 'data')): Promise<void> {
  await service.kill();
  await until(() => existsSync(join(dataDir, 'postgres/postmaster.pid')), false);
}

/** Removes the folder of a service that has ended. */
export async function removeService({ folder }: Service): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  process.kill(-child.pid, 'SIGKILL');
}
