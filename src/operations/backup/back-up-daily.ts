import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCodeOf } from '../../platform/errors/errors.ts';
import type { Database, PostgresAddress } from '../../platform/database/connect.ts';
import { readHold } from '../hold/read-hold.ts';
import type { BackupCommand, BackupSettings } from '../../platform/config/config.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import { readCommandRecord } from './command-record.ts';
import { makeBackup } from './make-backup.ts';
import { passOnBackup } from './pass-on-backup.ts';

const CHECK_INTERVAL_MS = 60_000;
const RETRY_MS = 60 * 60_000;
/** The names of our own daily backups: no other file is ever removed. */
const NAME = /^campanile-\d{8}T\d{6}Z\.campanile$/;

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
 * makes and removes nothing, because the operator may need the present backups.
 */
export async function backUpDaily({
  settings: { to, at, keep, passphrase, command },
  timeZone,
  now = () => new Date(),
  onFailed,
  commandLimitMs,
  ...of
}: {
  settings: BackupSettings;
  timeZone: string;
  db: Database;
  address: PostgresAddress;
  isEmbedded: boolean;
  dataDir: string;
  version: string;
  log: Log;
  now?: () => Date;
  /** Called with when the last good one was made, each time that another could not be. */
  onFailed?: (lastGoodAt: Date | undefined) => Promise<void>;
  /** The time limit of BACKUP_COMMAND. Default is six hours. */
  commandLimitMs?: number;
}): Promise<DailyBackups> {
  let lastGoodAt: Date | undefined = await findLastBackup(to);
  let commandRecord = command && (await readCommandRecord(to));
  const stopping = new AbortController();

  async function step(): Promise<number> {
    const isFresh = lastGoodAt && lastGoodAt >= lastOccurrence(now(), at, timeZone);
    if ((isFresh && !command) || (await readHold(of.db))) return CHECK_INTERVAL_MS;
    if (!isFresh && !(await backUp())) return RETRY_MS;
    if (command) await passOn(command);
    return CHECK_INTERVAL_MS;
  }

  async function backUp(): Promise<boolean> {
    const madeAt = now();
    const file = join(to, `campanile-${madeAt.toISOString().replaceAll(/[-:]|\.\d+/g, '')}.campanile`);
    try {
      await mkdir(to, { recursive: true, mode: 0o700 });
      await makeBackup({ ...of, file, passphrase });
      lastGoodAt = madeAt;
      of.log.info({ file }, 'a backup was made');
      await removeOldest(to, keep);
      return true;
    } catch (error) {
      of.log.error({ err: error, file }, 'the daily backup failed; the next attempt is in an hour');
      await onFailed?.(lastGoodAt);
      return false;
    }
  }

  async function passOn(given: BackupCommand): Promise<void> {
    const newest = (await listBackups(to)).at(-1);
    if (newest === undefined) return;
    const { log } = of;
    const options = { to, command: given, now, log, signal: stopping.signal, limitMs: commandLimitMs };
    commandRecord = await passOnBackup(newest, commandRecord, options);
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

/** The last instant before now at which the clock showed this time. */
export function lastOccurrence(now: Date, at: string, timeZone: string): Date {
  const local = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timeZone);
  const today = local.withPlainTime(at);
  const last =
    Temporal.ZonedDateTime.compare(today, local) <= 0 ? today : local.subtract({ days: 1 }).withPlainTime(at);
  return new Date(last.epochMilliseconds);
}

async function listBackups(to: string): Promise<string[]> {
  const names = await readdir(to).catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => NAME.test(name)).toSorted();
}

/** When the newest of those that were made by themselves was; undefined: none is there. */
export async function findLastBackup(to: string): Promise<Date | undefined> {
  return (await findNewestBackup(to))?.madeAt;
}

/** The newest daily backup; undefined: none is there. */
export async function findNewestBackup(to: string): Promise<{ name: string; madeAt: Date } | undefined> {
  const name = (await listBackups(to)).at(-1);
  return name === undefined ? undefined : { name, madeAt: (await stat(join(to, name))).mtime };
}

async function removeOldest(to: string, keep: number): Promise<void> {
  for (const name of (await listBackups(to)).slice(0, -keep)) await rm(join(to, name), { force: true });
}
