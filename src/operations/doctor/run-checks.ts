/** Checks an installation, for `campanile doctor` and for administrators in the dashboard. */
import type { Config } from '../../platform/config/config.ts';
import type { Misspelled } from '../../platform/config/find-misspelled.ts';
import { connectOnce } from '../../platform/database/check-new-connections.ts';
import { addressOf, pingDatabase } from '../../platform/database/connect.ts';
import type { Database } from '../../platform/database/statements.ts';
import { LOOPBACK } from '../../platform/network/address-range.ts';
import { CHECKS, describeError, fail, ok, runCheck, warn, type CheckResult, type Finding } from './finding.ts';
import { checkAccounts, checkClock, checkHold, checkRuns, checkServer, checkWorkers } from './check-database.ts';
import { checkSchema } from './check-schema.ts';
import { checkBackups, checkDisks, checkPermissions } from './check-machine.ts';
import { checkLanes, checkLoops, checkQuarantine } from './check-failures.ts';
import { checkFiles } from './check-files.ts';
import { checkLinkPreviews } from './check-link-previews.ts';
import { checkTimeZones } from './check-time-zones.ts';
import { checkSecrets } from './check-secrets.ts';
import { checkClientVersion, checkWhatsApp } from './check-whatsapp.ts';

/**
 * Runs all checks of the installation from this machine, and returns the findings in the order of `CHECKS`. Without the database it skips
 * the checks that need one; `away` is the reason, if known. Never rejects; changes nothing. Connects to WhatsApp's server to see whether
 * it answers, also by the client that fetches link previews.
 */
export async function runChecks({
  config,
  db,
  away,
}: { config: Config } & ({ db: Database; away?: undefined } | { db?: undefined; away: string })): Promise<Finding[]> {
  const installed = { ...config, dataDir: config.databaseUrl === undefined ? config.dataDir : undefined };
  const [reason, reached] = db ? await reach(db, config) : [away, undefined];
  const checks = [
    runCheck('configuration', () => checkConfiguration(config)),
    runCheck('disk', () => checkDisks(installed)),
    runCheck('permissions', () => checkPermissions(installed)),
    runCheck('whatsapp', () => checkWhatsApp(reached, config)),
    runCheck('link_previews', () => checkLinkPreviews(config)),
    runCheck('backups', () => checkBackups(installed)),
    ...(reached ? runDatabaseChecks(reached, config) : [runCheck('database', () => explainSkipped(reason))]),
  ];
  const findings = (await Promise.all(checks)).flat();
  return findings.toSorted((one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check));
}

function runDatabaseChecks(db: Database, config: Config): Array<Promise<Finding[]>> {
  return [
    runCheck('database', () => checkServer(db)),
    runCheck('schema', () => checkSchema(db)),
    runCheck('clock', () => checkClock(db)),
    runCheck('secrets', () => checkSecrets(db, config)),
    runCheck('hold', () => checkHold(db)),
    runCheck('workers', () => checkWorkers(db)),
    runCheck('loops', () => checkLoops(db)),
    runCheck('runs', () => checkRuns(db)),
    runCheck('accounts', () => checkAccounts(db)),
    runCheck('accounts', () => checkTimeZones(db)),
    runCheck('accounts', () => checkLanes(db)),
    runCheck('quarantine', () => checkQuarantine(db)),
    runCheck('client_version', () => Array.fromAsync(checkClientVersion(db, config))),
    runCheck('files', () => checkFiles(db, config)),
  ];
}

async function reach(db: Database, { databaseUrl }: Config): Promise<[reason: string, db?: Database]> {
  try {
    // The open connections of the service survive a password that has changed.
    if (databaseUrl !== undefined) await connectOnce(addressOf(databaseUrl));
    await pingDatabase(db);
    return ['', db];
  } catch (error) {
    return [describeError(error)];
  }
}

function explainSkipped(reason: string): CheckResult {
  return fail(
    `The checks that need the database were skipped: ${reason}`,
    'Start the database, or check DATABASE_URL and DATA_DIR.',
  );
}

const NO_ZONE = 'TIME_ZONE is not set: schedules of users who chose no time zone are in UTC';

export function findMisspellings({ misspelled }: { misspelled: readonly Misspelled[] }): CheckResult[] {
  return misspelled.map(({ name, meant }) =>
    warn(`${name} is not a setting`, `Did you mean ${meant}? Then rename it.`),
  );
}

function checkConfiguration(config: Config): CheckResult[] {
  const { host, publicUrl, role, isTimeZoneSet } = config;
  const misspellings = findMisspellings(config);
  const found = [...(isTimeZoneSet ? [] : [ok(NO_ZONE)]), ...misspellings];
  if (role === 'worker' || LOOPBACK.test(host) || publicUrl?.startsWith('https:'))
    return misspellings.length > 0 ? found : [ok('The settings are consistent'), ...found];
  return [
    ...found,
    warn(
      `HOST (${host}) is reachable without HTTPS, so passwords and tokens can be intercepted`,
      'Put a TLS proxy in front, and set PUBLIC_URL to its https address.',
    ),
  ];
}
