import { join } from 'node:path';
import type { BackupCommand } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log/log.ts';
import { writeCommandRecord, type CommandRecord } from './command-record.ts';
import { BackupCommandError, runBackupCommand } from './run-backup-command.ts';

/** After a failure the command runs again for the newest backup. */
const RETRY_MS = 60 * 60_000;

export interface PassOnOptions {
  /** BACKUP_TO. */
  to: string;
  command: BackupCommand;
  now: () => Date;
  log: Log;
  signal: AbortSignal;
  limitMs?: number | undefined;
}

/**
 * Runs the command for a backup, unless it has succeeded for it, or has failed within the last hour. Logs and records the result. Returns
 * the new record, or the last one if nothing ended. Never throws for a command that fails. A shutdown ends the command without a record:
 * the next start runs it again.
 */
export async function passOnBackup(
  name: string,
  last: CommandRecord | undefined,
  { to, command, now, log, signal, limitMs }: PassOnOptions,
): Promise<CommandRecord | undefined> {
  if (last && isSettled(name, last, now())) return last;
  const file = join(to, name);
  let problem: string | null = null;
  try {
    await runBackupCommand(command, { file, signal, ...(limitMs !== undefined && { limitMs }) });
    log.info({ file }, 'BACKUP_COMMAND succeeded');
  } catch (error) {
    if (signal.aborted) return last;
    problem = error instanceof Error ? error.message : String(error);
    const output = error instanceof BackupCommandError ? error.output : undefined;
    log.error({ file, reason: problem, output }, 'BACKUP_COMMAND failed; the next attempt is in an hour');
  }
  const endedAt = now();
  const record = {
    file: name,
    endedAt,
    problem,
    lastSuccessAt: problem === null ? endedAt : (last?.lastSuccessAt ?? null),
  };
  await writeCommandRecord(to, record).catch((error: unknown) =>
    log.error({ err: error }, 'the result of BACKUP_COMMAND could not be recorded; the next start runs it again'),
  );
  return record;
}

function isSettled(name: string, { file, problem, endedAt }: CommandRecord, now: Date): boolean {
  if (problem === null) return file === name;
  return Math.abs(now.getTime() - endedAt.getTime()) < RETRY_MS;
}
