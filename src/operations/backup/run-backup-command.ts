import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { BackupCommand } from '../../platform/config/config.ts';
import { errorCodeOf } from '../../platform/errors/errors.ts';
import { sleep } from '../../platform/time/time.ts';

/** Within a day, so that an upload that hangs does not hold up the next backup. */
const LIMIT_MS = 6 * 60 * 60_000;
/** Between SIGTERM and SIGKILL, and for output that is left when the command has ended. */
const GRACE_MS = 2_000;
/** The end of the output that is kept for the log. */
const KEPT_CHARACTERS = 2_000;

/** The command ended otherwise than with exit code 0. */
export class BackupCommandError extends Error {
  override name = 'BackupCommandError';
  /** The end of its stdout and stderr. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

/**
 * Runs the operator's command for a backup. The command gets the path as `BACKUP_FILE` in its environment. Shell injection: the path is no
 * part of the command's text. Throws a BackupCommandError when the exit code is not 0, when the command takes longer than six hours, or
 * when `signal` ends it. Ends the command with all processes that it has started.
 */
export async function runBackupCommand(
  { command, environment }: BackupCommand,
  { file, signal, limitMs = LIMIT_MS }: { file: string; signal: AbortSignal; limitMs?: number },
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(command, {
    shell: true,
    env: { ...environment, BACKUP_FILE: file },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own.
    detached: process.platform !== 'win32',
  });
  const output = keepEnd(child);
  const limit = AbortSignal.timeout(limitMs);
  const ends = AbortSignal.any([signal, limit]);
  const end = () => void endGroup(child);
  ends.addEventListener('abort', end);
  try {
    const [code, by] = await waitForExit(child);
    if (code === 0) return;
    const reason = limit.aborted
      ? `took longer than ${Math.round(limitMs / 60_000)} minutes and was ended`
      : code === null
        ? `was ended by ${by}`
        : `ended with exit code ${code}`;
    throw new BackupCommandError(`BACKUP_COMMAND ${reason}`, output());
  } finally {
    ends.removeEventListener('abort', end);
  }
}

async function waitForExit(child: ChildProcess): Promise<[code: number | null, by: NodeJS.Signals | null]> {
  const closed = once(child, 'close');
  const [code, by] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  // A process that the command leaves behind may keep the pipes open.
  await Promise.race([closed, sleep(GRACE_MS)]);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return [code, by];
}

/** Reads all output, so that the command never waits for us. Returns its end. */
function keepEnd(child: ChildProcess): () => string {
  let kept = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      kept = (kept + text).slice(-KEPT_CHARACTERS);
    });
  return () => kept.trim();
}

async function endGroup(child: ChildProcess): Promise<void> {
  signalGroup(child, 'SIGTERM');
  await sleep(GRACE_MS);
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    // All of it has ended.
    if (errorCodeOf(error) !== 'ESRCH') throw error;
  }
}
