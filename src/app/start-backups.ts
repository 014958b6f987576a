import { backUpDaily } from '../operations/backup/back-up-daily.ts';
import type { Config } from '../platform/config/config.ts';
import type { PostgresAddress } from '../platform/database/connect.ts';
import type { Database } from '../platform/database/statements.ts';
import type { Log } from '../platform/log/log.ts';
import { measureBackupCommand, measureBackups, type Metrics } from '../operations/metrics.ts';
import { readVersion } from '../platform/config/version.ts';
import { notifyOldBackup } from '../notifications/notices/notify-old-backup.ts';

/** Starts the daily backups if they are configured. Returns a handle that stops them. */
export async function startBackups({
  config: { backup: settings, databaseUrl, dataDir, timeZone },
  metrics,
  ...of
}: {
  config: Config;
  db: Database;
  address: PostgresAddress;
  metrics: Metrics;
  log: Log;
}): Promise<() => Promise<void>> {
  if (!settings) return () => Promise.resolve();
  const { db, address, log } = of;
  const { version } = readVersion();
  const isEmbedded = databaseUrl === undefined;
  const onFailed = (lastGoodAt: Date | undefined) => notifyOldBackup(db, lastGoodAt);
  const backups = await backUpDaily({ settings, timeZone, db, address, isEmbedded, dataDir, version, log, onFailed });
  measureBackups(metrics.registry, backups.lastGoodAt);
  if (settings.command) measureBackupCommand(metrics.registry, backups.lastCommandAt);
  return backups.stop;
}
