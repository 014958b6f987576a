/** Looks an installation over, as `campanile doctor` and administrators in the dashboard have it. */
import type { Config } from '../config.ts';
import { pingDatabase, type Database } from '../database/connect.ts';
import { LOOPBACK } from '../lib/address-range.ts';
import { CHECKS, describeError, find, lookSafely, type Finding } from './finding.ts';
import {
  lookAtAccounts,
  lookAtClock,
  lookAtHold,
  lookAtRuns,
  lookAtServer,
  lookAtWorkers,
} from './look-at-database.ts';
import { checkSchema } from './check-schema.ts';
import { lookAtBackups, lookAtDisks, lookAtPermissions } from './look-at-machine.ts';
import { lookAtLoops, lookAtQuarantine } from './look-at-failures.ts';
import { lookAtTimeZones } from './look-at-time-zones.ts';
import { lookAtSecrets } from './look-at-secrets.ts';
import { lookAtClientVersion, lookAtWhatsApp } from './look-at-whatsapp.ts';

/**
 * What there is to say of the installation, from this machine, in the order of `CHECKS`. Where the database cannot be reached, what only
 * it knows is not told; `away` says why, where that is known already. Never rejects; changes nothing. WhatsApp's server is asked whether
 * it answers.
 */
export async function examine({
  config,
  db,
  away,
}: { config: Config } & ({ db: Database; away?: undefined } | { db?: undefined; away: string })): Promise<Finding[]> {
  const installed = { ...config, dataDir: config.databaseUrl === undefined ? config.dataDir : undefined };
  const [reason, reached] = db ? await reach(db) : [away, undefined];
  const looks = [
    lookSafely('configuration', () => lookAtConfiguration(config)),
    lookSafely('disk', () => lookAtDisks(installed)),
    lookSafely('permissions', () => lookAtPermissions(installed)),
    lookSafely('whatsapp', () => lookAtWhatsApp(reached, config)),
    lookSafely('backups', () => lookAtBackups(installed)),
    ...(reached ? lookInto(reached, config) : [isAway(reason)]),
  ];
  const findings = (await Promise.all(looks)).flat();
  return findings.toSorted((one, other) => CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check));
}

function lookInto(db: Database, config: Config): Array<Promise<Finding[]>> {
  return [
    lookSafely('database', () => lookAtServer(db)),
    lookSafely('schema', () => checkSchema(db)),
    lookSafely('clock', () => lookAtClock(db)),
    lookSafely('secrets', () => lookAtSecrets(db, config)),
    lookSafely('hold', () => lookAtHold(db)),
    lookSafely('workers', () => lookAtWorkers(db)),
    lookSafely('loops', () => lookAtLoops(db)),
    lookSafely('runs', () => lookAtRuns(db)),
    lookSafely('accounts', () => lookAtAccounts(db)),
    lookSafely('accounts', () => lookAtTimeZones(db)),
    lookSafely('quarantine', () => lookAtQuarantine(db)),
    lookSafely('client_version', () => lookAtClientVersion(db, config)),
  ];
}

async function reach(db: Database): Promise<[reason: string, db?: Database]> {
  try {
    await pingDatabase(db);
    return ['', db];
  } catch (error) {
    return [describeError(error)];
  }
}

function isAway(reason: string): Finding[] {
  return [
    find(
      'database',
      `It cannot be reached, so that nothing is told of what only it knows: ${reason}`,
      'error',
      'Start it, or see DATABASE_URL and DATA_DIR.',
    ),
  ];
}

function lookAtConfiguration({ host, publicUrl, role }: Config): Finding[] {
  if (role === 'worker' || LOOPBACK.test(host) || publicUrl?.startsWith('https:'))
    return [find('configuration', 'Its settings make sense')];
  return [
    find(
      'configuration',
      `Others reach HOST (${host}) without HTTPS: whoever is on the way reads passwords and tokens`,
      'warning',
      'Put a proxy with TLS in front, and set PUBLIC_URL to its https address.',
    ),
  ];
}
