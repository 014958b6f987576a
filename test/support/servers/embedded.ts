import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { sql } from 'kysely';
import { beforeAll, expect, onTestFinished } from 'vitest';
import { connectDatabase, type PostgresAddress } from '../../../src/platform/database/connect.ts';
import { startEmbeddedPostgres, type EmbeddedOptions } from '../../../src/platform/database/embedded/embedded.ts';
import { StartupError } from '../../../src/platform/errors/errors.ts';
import { createLog } from '../../../src/platform/log/log.ts';

export const NOBODY = 65534;
export const isLinux = process.platform === 'linux';
export const isRoot = process.getuid?.() === 0;

const log = createLog('silent');

/** A cluster with one committed row, which tests copy instead of creating a new one. */
let seed = '';
export function useSeed(): void {
  beforeAll(async () => {
    seed = temporaryFolder(() => undefined);
    const postgres = await start({ dataDir: seed });
    await write(postgres.address, 'a row of the first start');
    await postgres.stop();
    return () => rmSync(seed, { recursive: true, force: true });
  });
}

export function works(command: string, ...words: string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

export async function start(options: Omit<EmbeddedOptions, 'log'>) {
  const postgres = await startEmbeddedPostgres({ log, ...options, settings: { fsync: 'off', ...options.settings } });
  if (options.dataDir !== seed) onTestFinished(() => postgres.stop());
  return postgres;
}

/** Returns the error message of a rejected start. */
export async function refusal(options: Omit<EmbeddedOptions, 'log'>): Promise<string> {
  try {
    await start(options);
  } catch (error) {
    if (error instanceof StartupError && !error.message.includes('\n')) return error.message;
    throw error;
  }
  throw new Error('it started');
}

export function temporaryFolder(whenDone: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-embedded-'));
  chmodSync(folder, 0o755);
  whenDone(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function seeded(): string {
  const dataDir = temporaryFolder();
  copySeed(dataDir);
  return dataDir;
}

export function copySeed(dataDir: string): void {
  cpSync(seed, dataDir, { recursive: true });
}

export function spawnChild(dataDir: string, as: { uid?: number; gid?: number } = {}) {
  const script = join(import.meta.dirname, 'embedded-child.ts');
  const child = spawn(process.execPath, [script, JSON.stringify({ dataDir })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...as,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Starts a server in a child process; resolves when it is ready. */
export async function startChild(dataDir: string): Promise<ChildProcess> {
  const child = spawnChild(dataDir);
  expect(await firstLine(child)).toBe('{"ready":true}');
  return child;
}

/** Returns the report of the child; empty if it ended without one. */
export async function firstLine(child: { stdout: Readable }): Promise<string> {
  for await (const line of createInterface(child.stdout)) return line;
  return '';
}

export function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`) && !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ');
}

export async function ask(address: PostgresAddress, question: ReturnType<typeof sql>): Promise<unknown[]> {
  const db = connectDatabase(address, { log, poolSize: 1 });
  try {
    const { rows } = await sql<{ answer: unknown }>`select answer from (${question}) as asked`.execute(db);
    return rows.map(({ answer }) => answer);
  } finally {
    await db.destroy();
  }
}

export function read(address: PostgresAddress): Promise<unknown[]> {
  return ask(address, sql`select text as answer from notes order by id`);
}

export async function write(address: PostgresAddress, text: string): Promise<void> {
  const db = connectDatabase(address, { log, poolSize: 1 });
  try {
    await sql`create table if not exists notes (id bigint generated always as identity, text text)`.execute(db);
    await sql`insert into notes (text) values (${text})`.execute(db);
  } finally {
    await db.destroy();
  }
}
