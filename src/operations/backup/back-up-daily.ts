import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readHold } from '../hold/read-hold.ts';
import type { BackupCommand, BackupSettings } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import { readCommandRecord } from './command-record.ts';
import { listBackups, toTimestamp, type MadeBackup } from './list-backups.ts';
import { makeBackup, type BackupOptions } from './make-backup.ts';
import { passOnBackup } from './pass-on-backup.ts';
import { findWriteProblem } from './write-problem.ts';

const CHECK_INTERVAL_MS = 60_000;
const RETRY_MS = 60 * 60_000;
/** The names of our own daily backups: no other file is ever removed. */
const NAME = /^campanile-(?<at>\d{8}T\d{6}Z)\.campanile$/;

export interface DailyBackups {
  /** When the last good one was made; undefined: none is there. */
  lastGoodAt(): Date | undefined;
  /** When BACKUP_COMMAND last succeeded; undefined: never. */
  lastCommandAt(): Date | undefined;
  /** A backup that is under way is given the time to end; BACKUP_COMMAND is ended. */
  stop(): Promise<void>;
}

/**
 * Makes a backup each day, and removes the oldest of its own backups. A missed backup is made up for at once. While the ledger is held it
 * makes and removes nothing, because the operator may need the present backups. A folder that cannot be written is an error in the log and
 * stops nothing: sending is worth more than a backup of it.
 */
export async function backUpDaily({
  settings: { to, at, keep, passphrase, command },
  timeZone,
  now = () => new Date(),
  onFailed,
  commandLimitMs,
  ...of
}: Pick<BackupOptions, 'db' | 'address' | 'isEmbedded' | 'dataDir' | 'version'> & {
  settings: BackupSettings;
  timeZone: string;
  log: Log;
  now?: () => Date;
  /** Called with when the last good one was made, each time that another could not be. */
  onFailed?: (lastGoodAt: Date | undefined) => Promise<void>;
  /** The time limit of BACKUP_COMMAND. Default is six hours. */
  commandLimitMs?: number;
}): Promise<DailyBackups> {
  let lastGoodAt: Date | undefined = await findLastBackup(to, now());
  let commandRecord = command && (await readCommandRecord(to));
  const stopping = new AbortController();
  await reportWriteProblem(to, of.log);

  async function step(): Promise<number> {
    const isFresh = lastGoodAt && lastGoodAt <= now() && lastGoodAt >= lastOccurrence(now(), at, timeZone);
    if ((isFresh && !command) || (await readHold(of.db))) return CHECK_INTERVAL_MS;
    if (!isFresh && !(await backUp())) return RETRY_MS;
    if (command) await passOn(command);
    return CHECK_INTERVAL_MS;
  }

  async function backUp(): Promise<boolean> {
    const madeAt = now();
    const file = join(to, `campanile-${toTimestamp(madeAt)}.campanile`);
    try {
      await mkdir(to, { recursive: true, mode: 0o700 });
      await makeBackup({ ...of, file, passphrase });
      lastGoodAt = madeAt;
      of.log.info({ file }, 'a backup was made');
      await removeOldest(to, keep, madeAt);
      return true;
    } catch (error) {
      of.log.error({ err: error, file }, 'the daily backup failed; the next attempt is in an hour');
      await onFailed?.(lastGoodAt);
      return false;
    }
  }

  async function passOn(given: BackupCommand): Promise<void> {
    const newest = await findNewestBackup(to, now());
    if (newest === undefined) return;
    const options = { to, command: given, now, log: of.log, signal: stopping.signal, limitMs: commandLimitMs };
    commandRecord = await passOnBackup(newest.name, commandRecord, options);
  }

  const loop = startLoop('backups', step, { log: of.log });
  return {
    lastGoodAt: () => lastGoodAt,
    lastCommandAt: () => commandRecord?.lastSuccessAt ?? undefined,
    stop() {
      const ended = loop.stop();
      stopping.abort();
      return ended;
    },
  };
}

async function reportWriteProblem(to: string, log: Log): Promise<void> {
  const problem = await findWriteProblem(to);
  if (problem === undefined) return;
  log.error(
    { folder: to },
    `No daily backup can be written to BACKUP_TO: ${problem}. Let the user of Campanile write there, and name the folder in ReadWritePaths of the systemd unit (docs/how-to/back-up.md)`,
  );
}

/** The last instant before now at which the clock showed this time. */
export function lastOccurrence(now: Date, at: string, timeZone: string): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const today = local.withPlainTime(at);
  const last =
    Temporal.ZonedDateTime.compare(today, local) <= 0 ? today : local.subtract({ days: 1 }).withPlainTime(at);
  return new Date(last.epochMilliseconds);
}

/** When the newest daily backup was made; undefined: none is there. */
export async function findLastBackup(to: string, now: Date): Promise<Date | undefined> {
  return (await findNewestBackup(to, now))?.madeAt;
}

/** The newest daily backup; undefined: none is there. One dated in the future is none. */
export async function findNewestBackup(to: string, now: Date): Promise<MadeBackup | undefined> {
  return (await listDailyBackups(to, now)).past.at(-1);
}

/** All daily backups in the folder. */
export const listDailyBackups = (to: string, now: Date) => listBackups(to, NAME, now);

async function removeOldest(to: string, keep: number, now: Date): Promise<void> {
  const { past } = await listDailyBackups(to, now);
  for (const { name } of past.slice(0, -keep)) await rm(join(to, name), { force: true });
}
