import { mkdir, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Connection, PostgresAddress } from '../../platform/database/connect.ts';
import { readFreeBytes } from '../../platform/database/watch-disk.ts';
import type { BackupSettings } from '../../platform/config/config.ts';
import { errorCodeOf, StartupError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import { makeBackup } from './make-backup.ts';

/** The ledger's number, and when it was made. Daily backups have other names, so that none of these is removed by itself. */
const NAME = /^campanile-before-upgrade-(\d+)-\d{8}T\d{6}Z\.campanile$/;
/** A start that failed and is repeated meanwhile does not fill the disk. */
const REUSED_MS = 60 * 60_000;
/** Disk space for the copy of the cluster, and for the archive made of that copy. */
const ROOM_FACTOR = 2;

export interface UpgradeBackupOptions {
  settings: BackupSettings | undefined;
  address: PostgresAddress;
  isEmbedded: boolean;
  dataDir: string;
  version: string;
  log: Log;
}

/**
 * Backs up the database before its migration: into BACKUP_TO, or into DATA_DIR without the secrets of DATA_DIR. Skips the backup if there
 * is one of the last hour and nothing was sent since. Throws a StartupError with the remedy when no backup can be made.
 */
export async function backUpBeforeUpgrade(
  db: Connection,
  { settings, dataDir, isEmbedded, address, version, log }: UpgradeBackupOptions,
): Promise<void> {
  const folder = upgradeBackupFolder({ backup: settings, dataDir });
  try {
    const number = await readLedgerNumber(db);
    const present = await findRecent(folder, number);
    if (present !== undefined) {
      log.info({ file: present }, 'the backup before the upgrade exists');
      return;
    }
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (isEmbedded) await assertDiskSpace(db, folder);
    const at = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
    const file = join(folder, `campanile-before-upgrade-${number}-${at}.campanile`);
    const secrets = settings ? 'seal' : 'leave';
    await makeBackup({ db, address, isEmbedded, dataDir, file, passphrase: settings?.passphrase, secrets, version });
    log.info({ file }, 'wrote a backup before the upgrade of the database');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(
      `The database was not upgraded, because the backup before the upgrade failed: ${reason.replace(/\.$/, '')}. Nothing was changed. Fix the cause, or back up by other means and set BACKUP_BEFORE_UPGRADE=false for this start.`,
      error,
    );
  }
}

/** BACKUP_TO, or a folder in DATA_DIR. */
export function upgradeBackupFolder({
  backup,
  dataDir,
}: {
  backup: BackupSettings | undefined;
  dataDir: string;
}): string {
  return backup?.to ?? join(dataDir, 'backups');
}

/** When the newest backup was made that an upgrade has made; undefined: none is there. */
export async function findLastUpgradeBackup(folder: string): Promise<Date | undefined> {
  const found = await listUpgradeBackups(folder);
  return found
    .map(({ madeAt }) => madeAt)
    .toSorted((one, other) => one.getTime() - other.getTime())
    .at(-1);
}

async function listUpgradeBackups(folder: string): Promise<Array<{ file: string; number: number; madeAt: Date }>> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return Promise.all(
    names
      .filter((name) => NAME.test(name))
      .map(async (name) => {
        const file = join(folder, name);
        return { file, number: Number(NAME.exec(name)?.[1]), madeAt: (await stat(file)).mtime };
      }),
  );
}

async function readLedgerNumber(db: Connection): Promise<number> {
  const { rows } = await sql<{ number: number }>`select number from ledger`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the ledger lacks its identity row');
  return row.number;
}

/** Each heartbeat of a worker raises the number. */
async function findRecent(folder: string, number: number): Promise<string | undefined> {
  const found = await listUpgradeBackups(folder);
  return found.find((one) => one.number === number && Date.now() - one.madeAt.getTime() < REUSED_MS)?.file;
}

async function assertDiskSpace(db: Connection, folder: string): Promise<void> {
  const { rows } = await sql<{ bytes: number }>`
    select sum(pg_database_size(oid))::float8 as bytes from pg_database`.execute(db);
  const needed = (rows[0]?.bytes ?? 0) * ROOM_FACTOR;
  const free = await readFreeBytes(folder);
  if (free < needed)
    throw new StartupError(`it needs ${megabytes(needed)} MB, and ${megabytes(free)} MB are free for ${folder}`);
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2).toLocaleString('en');
