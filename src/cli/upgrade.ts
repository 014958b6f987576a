import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { findLastBackup } from '../operations/backup/back-up-daily.ts';
import { findLastUpgradeBackup, upgradeBackupFolder } from '../operations/backup/back-up-before-upgrade.ts';
import { readConfig, type Config } from '../platform/config/config.ts';
import { planUpgrade, type TableSize, type UpgradePlan, type UpgradeStep } from '../platform/database/plan-upgrade.ts';
import { readDatabaseSize } from '../platform/database/read-size.ts';
import { readFreeBytes } from '../platform/database/watch-disk.ts';
import { UsageError } from '../platform/errors/errors.ts';
import type { Shell } from './shell.ts';
import { withDatabase } from './with-database.ts';

/** Exit codes of `campanile upgrade --check`. */
const UP_TO_DATE = 0;
const REJECTED = 1;
const PENDING = 3;

/**
 * `campanile upgrade --check`: shows the next start's changes to the database, and changes nothing. Throws a UsageError for wrong
 * arguments, and a StartupError with the remedy when the operator has to change something.
 */
export async function upgrade({ given, output }: Shell): Promise<number> {
  requireCheck(given);
  const { plan, bytes } = await withDatabase(async ({ db }) => ({
    plan: await planUpgrade(db),
    bytes: await readDatabaseSize(db),
  }));
  if (plan.problem !== undefined) {
    output.write(`The next start would fail. ${plan.problem}\n`);
    return REJECTED;
  }
  if (!isPending(plan)) {
    output.write(`The database is up to date (epoch ${plan.epoch.from}). The next start changes nothing.\n`);
    return UP_TO_DATE;
  }
  const lines = [describePlan(plan, bytes), ...plan.steps.map(describeStep), describeFunctions(plan)];
  lines.push(...(plan.isNew ? [] : await describeBackups(readConfig())), 'This check changed nothing.');
  output.write(`${lines.filter(Boolean).join('\n')}\n`);
  return PENDING;
}

/** To upgrade, the service is started; a command that does it by itself is not there. */
function requireCheck(given: readonly string[]): void {
  let check;
  try {
    ({ check } = parseArgs({ args: [...given], options: { check: { type: 'boolean' } } }).values);
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  if (!check) throw new UsageError('Expected --check. The service upgrades the database by itself when it starts.');
}

const isPending = ({ steps, functions, epoch }: UpgradePlan): boolean =>
  steps.length > 0 || functions.length > 0 || epoch.from < epoch.to;

function describePlan({ isNew, steps, epoch }: UpgradePlan, bytes: number): string {
  const count = steps.length === 1 ? '1 migration' : `${steps.length} migrations`;
  return isNew
    ? `The database is empty. The next start creates the schema with ${count}.`
    : `The next start upgrades the database (${sizeOf(bytes)}) from epoch ${epoch.from} to ${epoch.to} with ${count}.`;
}

function describeStep({ name, locks, tables }: UpgradeStep): string {
  const sizes = tables.map(describeTable).join(', ');
  return `  ${name}\n      locks: ${locks}${sizes === '' ? '' : `\n      tables: ${sizes}`}`;
}

function describeTable({ name, bytes, rows }: TableSize): string {
  return `${name} (${sizeOf(bytes)}${rows === undefined ? '' : `, about ${rows.toLocaleString('en')} rows`})`;
}

const describeFunctions = ({ functions }: UpgradePlan): string =>
  functions.length === 0 ? '' : `  Functions to replace: ${functions.join(', ')}`;

async function describeBackups(config: Config): Promise<string[]> {
  const folder = upgradeBackupFolder(config);
  const found = [config.backup && (await findLastBackup(config.backup.to)), await findLastUpgradeBackup(folder)];
  const last = found
    .filter((at) => at !== undefined)
    .toSorted((one, other) => one.getTime() - other.getTime())
    .at(-1);
  const free = await readFreeBytes(nearestFolder(folder));
  return [
    last === undefined
      ? `No backup was found in ${folder}.`
      : `The last known backup was made ${ageOf(last)} (${last.toISOString()}).`,
    config.backUpBeforeUpgrade
      ? `The start first writes a backup to ${folder} (${sizeOf(free)} free).`
      : 'The start writes no backup: BACKUP_BEFORE_UPGRADE is false.',
  ];
}

function nearestFolder(folder: string): string {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  return existing;
}

const HOUR_MS = 60 * 60_000;

function ageOf(at: Date): string {
  const hours = Math.max(0, Math.floor((Date.now() - at.getTime()) / HOUR_MS));
  return hours === 1 ? '1 hour ago' : `${hours} hours ago`;
}

function sizeOf(bytes: number): string {
  const units = ['KiB', 'MiB', 'GiB'];
  const step = Math.min(units.length, Math.max(1, Math.floor(Math.log(bytes) / Math.log(1024))));
  return `${(bytes / 1024 ** step).toFixed(1)} ${units[step - 1]}`;
}
