import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';

/** The user that PostgreSQL's programs run as. */
export interface Identity {
  /** Words in front of each command: `unshare ... setpriv ... --`. */
  prefix: readonly string[];
  /** Set if this process is root and has to run programs as another user. */
  as?: { uid: number; gid: number };
}

/** The output of a program. */
export interface Output {
  /** The last ones. */
  lines: string[];
  /** Whether it ever said that the disk is full; much may follow that. */
  diskFull: boolean;
}

export type Program = ChildProcessByStdio<null, Readable, Readable>;

const MAX_LINES = 20;
const LONGEST_LINE = 1_000;
const OUTPUT_GRACE_MS = 1_000;
/** The system's words, and PostgreSQL's hint where only a part of a block could be written. */
const DISK_FULL = /No space left on device|Disk quota exceeded|Check free disk space/;

export function isDiskFullMessage(line: string): boolean {
  return DISK_FULL.test(line);
}

/** Starts a program of PostgreSQL; a command that cannot be run shows as the child's `error` event. */
export function startProgram(command: string, args: readonly string[], identity: Identity): Program {
  const [first = command, ...rest] = [...identity.prefix, command, ...args];
  return spawn(first, rest, {
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: Ctrl+C in a terminal reaches us alone, and we end the server when our own work is done.
    detached: process.platform !== 'win32',
    // The server must not keep us from removing or unmounting the folder we were started in.
    cwd: '/',
    windowsHide: true,
    ...identity.as,
    // English messages, which are read below, and nothing of ours (PGDATA, secrets). Windows programs need their environment.
    ...(process.platform === 'win32'
      ? {}
      : { env: { LC_ALL: 'C', PATH: '/usr/sbin:/usr/bin:/sbin:/bin:/usr/local/bin' } }),
  });
}

/** Runs a program to its end. Never rejects: one that cannot be run is one that failed. */
export async function runProgram(command: string, args: readonly string[], identity: Identity) {
  const child = startProgram(command, args, identity);
  const output = readOutput([child.stdout, child.stderr]);
  const end = await programEnd(child);
  if (output.lines.length === 0) output.lines.push(String(end));
  return { ok: end === 0, output };
}

/** Resolves when the program has ended and its output was read. Returns the exit code, the signal, or the reason why it could not start. */
export function programEnd(child: Program): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? code ?? 'no exit code'));
    // Children of a killed server may hold its output open for long.
    child.once('exit', (code, signal) =>
      setTimeout(resolve, OUTPUT_GRACE_MS, signal ?? code ?? 'no exit code').unref(),
    );
  });
}

/** Reads the streams to their ends in any case: a server with a full pipe would block. The returned object changes until they end. */
export function readOutput(streams: readonly Readable[], onLine?: (line: string) => void): Output {
  const output: Output = { lines: [], diskFull: false };
  const take = (text: string) => {
    if (text === '') return;
    const line = text.slice(0, LONGEST_LINE);
    output.lines.push(line);
    if (output.lines.length > MAX_LINES) output.lines.shift();
    output.diskFull ||= isDiskFullMessage(line);
    onLine?.(line);
  };
  for (const stream of streams) {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const lines = (rest + chunk).split(/\r?\n/);
      // Of a line without an end only its beginning is of use.
      rest = (lines.pop() ?? '').slice(0, LONGEST_LINE);
      lines.forEach(take);
    });
    stream.once('end', () => take(rest));
  }
  return output;
}

/** The line that says most about a failure. */
export function failureLine({ lines }: Output): string {
  const errorPattern = /^(PANIC|FATAL|ERROR|initdb: error|.*error while loading|.*cannot )/;
  const last = lines.findLast((line) => !line.startsWith('LOG:'));
  return (lines.findLast((line) => errorPattern.test(line)) ?? last ?? 'it gave no reason').trim();
}
