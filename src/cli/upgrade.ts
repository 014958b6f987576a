import { findLastBackup } from '../operations/backup/back-up-daily.ts';
import {
  findLastUpgradeBackup,
  findUpgradeBackupProblem,
  upgradeBackupFolder,
} from '../operations/backup/back-up-before-upgrade.ts';
import { nearestFolder } from '../platform/database/embedded/folder.ts';
import type { Config } from '../platform/config/config.ts';
import type { Database } from '../platform/database/statements.ts';
import { planUpgrade, type UpgradePlan, type UpgradeStep } from '../platform/database/plan-upgrade.ts';
import { readDatabaseSize } from '../platform/database/read-size.ts';
import { readFreeBytes } from '../platform/database/watch-disk.ts';
import type { Given, JsonFlag } from './command.ts';
import { withDatabase } from './with-database.ts';
import { writeJson } from './write-json.ts';

/** Exit codes of `campanile upgrade --check`. */
const UP_TO_DATE = 0;
const REJECTED = 1;
const PENDING = 3;

/**
 * `campanile upgrade --check`: shows the next start's changes to the database, and changes nothing. Throws a StartupError with the remedy
 * when the operator has to change something.
 */
export async function upgrade({ options: { json }, output }: Given<never, JsonFlag>): Promise<number> {
  const { plan, bytes, backups } = await withDatabase(async ({ config, db }) => {
    const planned = await planUpgrade(db);
    const backsUp = planned.problem === undefined && isPending(planned) && !planned.isNew;
    const problem = backsUp && config.backUpBeforeUpgrade ? await findBackupProblem(db, config) : undefined;
    return {
      plan: problem === undefined ? planned : { ...planned, problem },
      bytes: await readDatabaseSize(db),
      backups: backsUp ? await readBackups(config) : undefined,
    };
  });
  if (json) writeJson(output, toWire(plan, bytes, backups));
  else output.write(`${describe(plan, bytes, backups)}\n`);
  if (plan.problem !== undefined) return REJECTED;
  return isPending(plan) ? PENDING : UP_TO_DATE;
}

function describe(plan: UpgradePlan, bytes: number, backups: Backups | undefined): string {
  if (plan.problem !== undefined) return `The next start would fail. ${plan.problem}`;
  if (plan.isNew) return 'The database is empty. The next start creates the schema. This check changed nothing.';
  if (!isPending(plan)) return `The database is up to date (epoch ${plan.epoch.from}). The next start changes nothing.`;
  const lines = [describePlan(plan, bytes), ...plan.steps.map(describeStep), describeFunctions(plan)];
  lines.push(...(backups ? describeBackups(backups) : []), 'This check changed nothing.');
  return lines.filter(Boolean).join('\n');
}

function toWire({ problem, isNew, steps, functions, epoch }: UpgradePlan, bytes: number, backups?: Backups) {
  return {
    problem: problem ?? null,
    isNew,
    epoch,
    migrations: steps,
    functions,
    databaseBytes: bytes,
    lastBackupAt: backups?.lastAt ?? null,
  };
}

const isPending = ({ steps, functions, epoch }: UpgradePlan): boolean =>
  steps.length > 0 || functions.length > 0 || epoch.from < epoch.to;

function describePlan({ steps, epoch }: UpgradePlan, bytes: number): string {
  const count = steps.length === 1 ? '1 migration' : `${steps.length} migrations`;
  return `The next start upgrades the database (${sizeOf(bytes)}) from epoch ${epoch.from} to ${epoch.to} with ${count}.`;
}

function describeStep({ name, locks }: UpgradeStep): string {
  return `  ${name}\n      locks: ${locks}`;
}

const describeFunctions = ({ functions }: UpgradePlan): string =>
  functions.length === 0 ? '' : `  Functions to replace: ${functions.join(', ')}`;

const findBackupProblem = (db: Database, { backup: settings, dataDir, databaseUrl }: Config) =>
  findUpgradeBackupProblem(db, { settings, dataDir, isEmbedded: databaseUrl === undefined });

type Backups = Awaited<ReturnType<typeof readBackups>>;

async function readBackups(config: Config) {
  const folder = upgradeBackupFolder(config);
  const now = new Date();
  const found = [
    config.backup && (await findLastBackup(config.backup.to, now)),
    await findLastUpgradeBackup(folder, now),
  ];
  const lastAt = found
    .filter((at) => at !== undefined)
    .toSorted((one, other) => one.getTime() - other.getTime())
    .at(-1);
  return {
    folder,
    lastAt,
    freeBytes: await readFreeBytes(nearestFolder(folder)),
    /** Whether the start writes a backup first. */
    isAutomatic: config.backUpBeforeUpgrade,
  };
}

function describeBackups({ folder, lastAt, freeBytes, isAutomatic }: Backups): string[] {
  return [
    lastAt === undefined
      ? `No backup was found in ${folder}.`
      : `The last known backup was made ${ageOf(lastAt)} (${lastAt.toISOString()}).`,
    isAutomatic
      ? `The start first writes a backup to ${folder} (${sizeOf(freeBytes)} free).`
      : 'The start writes no backup: BACKUP_BEFORE_UPGRADE is false.',
  ];
}

const HOUR_MS = 60 * 60_000;

function ageOf(at: Date): string {
  const hours = Math.floor((Date.now() - at.getTime()) / HOUR_MS);
  return hours === 1 ? '1 hour ago' : `${hours} hours ago`;
}

function sizeOf(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB'];
  const step = Math.min(units.length, Math.max(1, Math.floor(Math.log(bytes) / Math.log(1024))));
  return `${(bytes / 1024 ** step).toFixed(1)} ${units[step - 1]}`;
}
