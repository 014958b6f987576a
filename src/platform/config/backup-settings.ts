import { resolve } from 'node:path';

/** Of what seals the secrets in a backup. */
export const SHORTEST_PASSPHRASE = 12;

/** How the service backs itself up. */
export interface BackupSettings {
  /** Absolute. */
  to: string;
  /** By the clock in the installation's zone: `HH:MM`. */
  at: string;
  /** So many are kept. */
  keep: number;
  /** Seals the secrets of DATA_DIR. */
  passphrase: string | undefined;
}

/** Undefined without a folder: then the service makes none. */
export function backupSettings({
  to,
  at = '03:00',
  keep = 7,
  passphrase,
}: {
  to: string | undefined;
  at: string | undefined;
  keep: number | undefined;
  passphrase: string | undefined;
}): BackupSettings | undefined {
  return to === undefined ? undefined : { to: resolve(to), at, keep, passphrase };
}

export function timeOfDay(text: string): string | undefined {
  return /^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? text : undefined;
}

export function longPassphrase(text: string): string | undefined {
  return text.length >= SHORTEST_PASSPHRASE ? text : undefined;
}

/** What is wrong with it, given the rest of the configuration. */
export function backupProblems(
  backup: BackupSettings | undefined,
  { hasOwnSecrets }: { hasOwnSecrets: boolean },
): string[] {
  if (!backup) return [];
  if (backup.passphrase === undefined && !hasOwnSecrets)
    return [
      'BACKUP_TO needs BACKUP_PASSPHRASE, or BACKUP_PASSPHRASE_FILE that names a file with it, or JWT_SECRET and ENCRYPTION_KEY: the secrets in DATA_DIR are sealed with it',
    ];
  return [];
}
