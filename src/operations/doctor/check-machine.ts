/** Checks of the machine: files, disks, and backups. */
import { existsSync } from 'node:fs';
import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { listDailyBackups } from '../backup/back-up-daily.ts';
import { readCommandRecord } from '../backup/command-record.ts';
import { findWriteProblem } from '../backup/write-problem.ts';
import { readRoom } from '../../platform/database/watch-disk.ts';
import type { BackupSettings } from '../../platform/config/config.ts';
import { fail, ok, orOk, report, warn, type CheckResult, type Results } from './finding.ts';

/** The configuration of these checks. */
export interface Installed {
  /** Undefined: the database is on a server of one's own. */
  dataDir: string | undefined;
  stateDir: string;
  diskFloorBytes: number | undefined;
  backup: BackupSettings | undefined;
}

const GIBIBYTE = 1024 ** 3;
const NEARLY_FULL = 3;

/** The disks that are written to from here. */
export async function checkDisks({ dataDir, diskFloorBytes, backup }: Installed): Promise<Results> {
  const folders = [
    ...(dataDir !== undefined && existsSync(dataDir) ? [['DATA_DIR', dataDir] as const] : []),
    ...(backup && existsSync(backup.to) ? [['BACKUP_TO', backup.to] as const] : []),
  ];
  if (folders.length === 0) return ok('This machine stores no data of Campanile');
  return Promise.all(
    folders.map(async ([name, folder]) => {
      const { freeBytes, floorBytes } = await readRoom(folder, diskFloorBytes);
      const summary = `${name} (${folder}) has ${(freeBytes / GIBIBYTE).toFixed(1)} GiB of free space`;
      if (freeBytes >= floorBytes * NEARLY_FULL) return ok(summary);
      const isLow = freeBytes < floorBytes;
      const effect = isLow && name === 'DATA_DIR' ? ', so new campaigns and files are rejected' : '';
      return report(isLow ? 'error' : 'warning', summary + effect, 'Free space, or move the folder to a larger disk.');
    }),
  );
}

const OTHERS = 0o077;
const SECRETS = ['jwt-secret', 'jwt-secret-previous', 'encryption-key'];

/** Checks that no other user of the machine can read secrets, and that fencing records can be stored. */
export async function checkPermissions(installed: Installed): Promise<CheckResult[]> {
  return orOk(findOpenPaths(installed), 'Only the owner can read the secrets');
}

async function* findOpenPaths({ dataDir, stateDir }: Installed) {
  const paths =
    dataDir === undefined || process.platform === 'win32'
      ? []
      : [dataDir, ...SECRETS.map((name) => join(dataDir, name))].filter((path) => existsSync(path));
  for (const path of paths) {
    const { mode } = await stat(path);
    if ((mode & OTHERS) === 0) continue;
    const permissions = (mode & 0o777).toString(8);
    const close = path === dataDir ? '700' : '600';
    yield fail(`Other users of this machine can access ${path} (0${permissions})`, `Run: chmod ${close} ${path}`);
  }
  const isKept = await access(stateDir, constants.R_OK | constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isKept)
    yield warn(
      `STATE_DIR (${stateDir}) is missing or not writable, so a restored backup may not be recognised`,
      'Give it a persistent volume that the user of Campanile owns.',
    );
}

/** A day, and two hours for a backup that is late or takes long. */
const OLDEST_MS = 26 * 60 * 60_000;
const HOUR_MS = 60 * 60_000;

/** Checks that daily backups can be written, and the age of the last good one. */
export async function checkBackups({ backup }: Installed): Promise<Results> {
  if (!backup) return warn('No automatic backups are configured', 'Set BACKUP_TO (docs/how-to/back-up.md).');
  const { to, command } = backup;
  const { past, future } = await listDailyBackups(to, new Date());
  const newest = past.at(-1);
  const problem = await findWriteProblem(to);
  return [
    ...(problem === undefined ? [] : [fail(`BACKUP_TO cannot be written: ${problem}`, OPEN_FOLDER)]),
    newest ? describeAge(newest.madeAt) : fail(`BACKUP_TO (${to}) has no backup`, SEE_LOG),
    ...future.map(({ name }) => warn(`${name} in BACKUP_TO is dated in the future`, FUTURE)),
    ...(newest && command ? [await checkBackupCommand(to, newest.name)] : []),
  ];
}

const SEE_LOG = 'Check the log for the reason.';
const FUTURE = 'It counts as no backup until then. Check the clock, and move the file away.';
const OPEN_FOLDER =
  'Let the user of Campanile write there, and name the folder in ReadWritePaths of the systemd unit (docs/how-to/back-up.md).';

function describeAge(madeAt: Date): CheckResult {
  const ageMs = Date.now() - madeAt.getTime();
  const summary = `The last backup was made ${Math.floor(ageMs / HOUR_MS)} hours ago (${madeAt.toISOString()})`;
  return ageMs <= OLDEST_MS ? ok(summary) : fail(summary, 'Check the log for the reason why later backups failed.');
}

/** Checks that BACKUP_COMMAND has succeeded for the newest backup. */
async function checkBackupCommand(to: string, newest: string): Promise<CheckResult> {
  const last = await readCommandRecord(to);
  if (!last) return warn(`BACKUP_COMMAND has not ended yet for ${newest}`);
  const { file, endedAt, problem } = last;
  if (problem !== null)
    return fail(
      `${problem}, for ${file} at ${endedAt.toISOString()}`,
      'Read its output in the log. Campanile runs it again every hour.',
    );
  if (file !== newest) return warn(`BACKUP_COMMAND has not ended yet for ${newest}. It succeeded for ${file}.`);
  return ok(`BACKUP_COMMAND succeeded for ${file} at ${endedAt.toISOString()}`);
}
