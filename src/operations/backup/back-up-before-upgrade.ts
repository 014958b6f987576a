import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readCount, type Connection } from '../../platform/database/statements.ts';
import { readFreeBytes } from '../../platform/database/watch-disk.ts';
import type { BackupSettings, Config } from '../../platform/config/config.ts';
import { StartupError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import { listBackups, toTimestamp, type MadeBackup } from './list-backups.ts';
import { makeBackup, type BackupOptions } from './make-backup.ts';
import { requireDumpTool } from './postgres-tools.ts';
import { findWriteProblem } from './write-problem.ts';
import { nearestFolder } from '../../platform/database/embedded/folder.ts';

/** The ledger's number, and when it was made. Daily backups have other names, so that none of these is removed by itself. */
const NAME = /^campanile-before-upgrade-(?<number>\d+)-(?<at>\d{8}T\d{6}Z)\.campanile$/;
/** A start that failed and is repeated meanwhile does not fill the disk. */
const REUSED_MS = 60 * 60_000;
/** Disk space for the copy of the cluster, and for the archive made of that copy. */
const ROOM_FACTOR = 2;

export interface UpgradeBackupOptions extends Pick<BackupOptions, 'address' | 'isEmbedded' | 'dataDir' | 'version'> {
  settings: BackupSettings | undefined;
  log: Log;
}

/**
 * Backs up the database before its migration: into BACKUP_TO, or into DATA_DIR without the secrets of DATA_DIR. Skips the backup if there
 * is one of the last hour and nothing was sent since. Throws a StartupError with the remedy when no backup can be made.
 */
export async function backUpBeforeUpgrade(db: Connection, options: UpgradeBackupOptions): Promise<void> {
  const { settings, dataDir, isEmbedded, address, version, log } = options;
  const folder = upgradeBackupFolder({ backup: settings, dataDir });
  try {
    const number = await readLedgerNumber(db);
    const present = await findRecent(folder, number);
    if (present !== undefined) {
      log.info({ file: join(folder, present.name) }, 'the backup before the upgrade exists');
      return;
    }
    await requireRoom(db, folder, options);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, `campanile-before-upgrade-${number}-${toTimestamp(new Date())}.campanile`);
    const secrets = settings ? 'seal' : 'leave';
    await makeBackup({ db, address, isEmbedded, dataDir, file, passphrase: settings?.passphrase, secrets, version });
    log.info({ file }, 'wrote a backup before the upgrade of the database');
  } catch (error) {
    throw new StartupError(
      `The database was not upgraded, because the backup before the upgrade failed: ${describeFailure(error)}`,
      error,
    );
  }
}

/**
 * Returns why the next start could not make the backup before the upgrade, with the remedy; undefined: nothing speaks against it. Changes
 * nothing: the file that it writes is removed.
 */
export async function findUpgradeBackupProblem(
  db: Connection,
  options: Pick<UpgradeBackupOptions, 'settings' | 'dataDir' | 'isEmbedded'>,
): Promise<string | undefined> {
  const folder = upgradeBackupFolder({ backup: options.settings, dataDir: options.dataDir });
  try {
    if ((await findRecent(folder, await readLedgerNumber(db))) === undefined) await requireRoom(db, folder, options);
    return undefined;
  } catch (error) {
    return `The backup before the upgrade would fail: ${describeFailure(error)}`;
  }
}

function describeFailure(error: unknown): string {
  const reason = error instanceof Error ? error.message : String(error);
  return `${reason.replace(/\.$/, '')}. Nothing was changed. Fix the cause, or back up by other means and set BACKUP_BEFORE_UPGRADE=false for this start.`;
}

/** BACKUP_TO, or a folder in DATA_DIR. */
export function upgradeBackupFolder({ backup, dataDir }: Pick<Config, 'backup' | 'dataDir'>): string {
  return backup?.to ?? join(dataDir, 'backups');
}

/** When the newest backup was made that an upgrade has made; undefined: none is there. */
export async function findLastUpgradeBackup(folder: string, now: Date): Promise<Date | undefined> {
  return (await listBackups(folder, NAME, now)).past.at(-1)?.madeAt;
}

function readLedgerNumber(db: Connection): Promise<number> {
  return readCount(db)`select number from ledger`;
}

/** Each heartbeat of a worker raises the number. */
async function findRecent(folder: string, number: number): Promise<MadeBackup | undefined> {
  const now = new Date();
  const { past } = await listBackups(folder, NAME, now);
  return past.find(
    ({ name, madeAt }) =>
      NAME.exec(name)?.groups?.['number'] === String(number) && now.getTime() - madeAt.getTime() < REUSED_MS,
  );
}

/** Throws a StartupError if the backup cannot be written, or there is no room for it. The room for a dump is unknown. */
async function requireRoom(
  db: Connection,
  folder: string,
  { dataDir, isEmbedded }: Pick<UpgradeBackupOptions, 'dataDir' | 'isEmbedded'>,
): Promise<void> {
  for (const written of new Set([folder, ...(isEmbedded ? [dataDir] : [])])) {
    const problem = await findWriteProblem(written);
    if (problem !== undefined) throw new StartupError(problem);
  }
  if (!isEmbedded) return requireDumpTool(db);
  const bytes = await readCount(db)`select sum(pg_database_size(oid))::float8 from pg_database`;
  await requireFreeSpace(dataDir, bytes * ROOM_FACTOR);
  await requireFreeSpace(folder, bytes);
}

async function requireFreeSpace(folder: string, needed: number): Promise<void> {
  const free = await readFreeBytes(nearestFolder(folder));
  if (free < needed)
    throw new StartupError(`it needs ${megabytes(needed)} MB, and ${megabytes(free)} MB are free for ${folder}`);
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2).toLocaleString('en');
