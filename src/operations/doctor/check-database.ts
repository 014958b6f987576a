/** Checks of the database. */
import { sql } from 'kysely';
import { countAccounts } from '../../sending/accounts/count-accounts.ts';
import { LEASE_MS } from '../../sending/leases/leases.ts';
import { NEWEST_POSTGRES, OLDEST_POSTGRES } from '../../platform/database/check-version.ts';
import type { Database } from '../../platform/database/connect.ts';
import { readDatabaseSize } from '../../platform/database/read-size.ts';
import { readBacklog } from '../../sending/deliveries/read-backlog.ts';
import { readHold } from '../hold/read-hold.ts';
import { find, type Finding } from './finding.ts';

interface ServerRow {
  number: number;
  version: string;
  fsync: string;
  fullPageWrites: string;
  readOnly: string;
  used: number;
  most: number;
}

const CROWDED_SHARE = 0.8;
const GIBIBYTE = 1024 ** 3;

/** Checks the server's version, and the settings that could lose accepted data or block the service. */
export async function checkServer(db: Database): Promise<Finding[]> {
  const { rows } = await sql<ServerRow>`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
           current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
           current_setting('transaction_read_only') as "readOnly",
           (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used,
           current_setting('max_connections')::int as most`.execute(db);
  const [server] = rows;
  if (!server) throw new Error('the server did not say what it is');
  const gib = (await readDatabaseSize(db)) / GIBIBYTE;
  const summary = `PostgreSQL ${server.version}, ${gib.toFixed(2)} GiB, ${server.used} of ${server.most} connections in use`;
  const findings = findServerProblems(server);
  return findings.length > 0 ? findings : [find('database', summary)];
}

function findServerProblems({ number, version, fsync, fullPageWrites, readOnly, used, most }: ServerRow): Finding[] {
  const major = Math.floor(number / 10_000);
  const findings: Finding[] = [];
  const tested = `${OLDEST_POSTGRES} to ${NEWEST_POSTGRES}`;
  if (major < OLDEST_POSTGRES)
    findings.push(
      find('database', `PostgreSQL ${version} is too old: Campanile supports ${tested}`, 'error', 'Upgrade it.'),
    );
  if (major > NEWEST_POSTGRES)
    findings.push(
      find('database', `PostgreSQL ${version} is untested: this Campanile was tested with ${tested}`, 'warning'),
    );
  if (fsync === 'off' || fullPageWrites === 'off')
    findings.push(
      find(
        'database',
        'A power cut can lose or corrupt data: fsync or full_page_writes is off',
        'error',
        'Turn both on in postgresql.conf, and reload the server.',
      ),
    );
  if (readOnly === 'on')
    findings.push(
      find(
        'database',
        'The database is read-only: it is a standby, or is configured as read-only',
        'error',
        'Set DATABASE_URL to the primary.',
      ),
    );
  if (used >= most * CROWDED_SHARE)
    findings.push(
      find(
        'database',
        `${used} of ${most} connections are in use. When they run out, requests and sending wait.`,
        'warning',
        'Raise max_connections, or put PgBouncer in front (docs/how-to/use-your-own-postgresql.md).',
      ),
    );
  return findings;
}

const CLOCK_WARNING_MS = 2_000;
const CLOCK_ERROR_MS = 30_000;

/** Due times use the clock of the database; times that users read use the clock of this machine. */
export async function checkClock(db: Database): Promise<Finding[]> {
  const before = Date.now();
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const apartMs = Math.abs((rows[0]?.now.getTime() ?? 0) - (before + Date.now()) / 2);
  const seconds = (apartMs / 1_000).toFixed(1);
  if (apartMs < CLOCK_WARNING_MS)
    return [find('clock', `The clocks of the database and of this machine are ${seconds} s apart`)];
  return [
    find(
      'clock',
      `The clocks of the database and of this machine are ${seconds} s apart. Scheduled posts follow the clock of the database.`,
      apartMs < CLOCK_ERROR_MS ? 'warning' : 'error',
      'Synchronise both clocks with NTP.',
    ),
  ];
}

/** Whether the ledger is held. */
export async function checkHold(db: Database): Promise<Finding[]> {
  const hold = await readHold(db);
  if (!hold) return [find('hold', 'The ledger is not held')];
  return [
    find(
      'hold',
      `The ledger has been held since ${hold.since.toISOString()}, and nothing is sent: ${hold.reason}`,
      'error',
      'Review the queue and end the hold with "campanile release" or in the dashboard.',
    ),
  ];
}

/** Checks that a worker is running. */
export async function checkWorkers(db: Database): Promise<Finding[]> {
  const { rows } = await sql<{ alive: number }>`
    select count(*)::int as alive from workers
    where beat_at > campanile_now() - ${LEASE_MS} * interval '1 millisecond'`.execute(db);
  const alive = rows[0]?.alive ?? 0;
  if (alive > 0) return [find('workers', alive === 1 ? '1 worker is running' : `${alive} workers are running`)];
  return [
    find(
      'workers',
      'No worker is running, so nothing is sent',
      'error',
      'Start the service. With ROLE=api, also start at least one process with ROLE=worker.',
    ),
  ];
}

const OVERDUE_SECONDS = 60;
/** More are not counted. */
const MOST_MISSED = 10_000;

/** Runs that are late just now, and that were missed within a day. */
export async function checkRuns(db: Database): Promise<Finding[]> {
  const { late, overdueSeconds } = await readBacklog(db);
  const { rows } = await sql<{ missed: number }>`
    select count(*)::int as missed from (
      select from runs where status = 'missed' and finished_at > campanile_now() - interval '1 day' and not receipts_dropped
      limit ${MOST_MISSED}) m`.execute(db);
  const missed = rows[0]?.missed ?? 0;
  const findings: Finding[] = [];
  if (late > 0)
    findings.push(
      find(
        'runs',
        `Late runs: ${late} (not begun a minute after their time)`,
        'error',
        'Check the findings on workers, hold and accounts, then the log.',
      ),
    );
  if (overdueSeconds > OVERDUE_SECONDS)
    findings.push(
      find(
        'runs',
        `An account has waited ${Math.round(overdueSeconds)} s for its turn: there are not enough workers`,
        'warning',
        'Start more processes with ROLE=worker (docs/how-to/run-several-processes.md).',
      ),
    );
  if (missed > 0)
    findings.push(
      find(
        'runs',
        `Missed runs: ${missed} within the last 24 hours (could not begin within 6 hours)`,
        'warning',
        'Their owners see them in the dashboard and can send them again.',
      ),
    );
  return findings.length > 0
    ? findings
    : [find('runs', 'No run is late, and no run was missed within the last 24 hours')];
}

/** Lists accounts that send nothing until their user acts, and those whose channels cannot be read. */
export async function checkAccounts(db: Database): Promise<Finding[]> {
  const { byStatus, paused, stopped, withUnreadChannels } = await countAccounts(db);
  const all = [...byStatus.values()].reduce((sum, one) => sum + one, 0);
  const kinds: Array<[count: number, what: string, advice: string]> = [
    [byStatus.get('logged_out') ?? 0, 'logged out', 'Ask their owners to link them again.'],
    [paused.get('banned') ?? 0, 'banned by WhatsApp', 'See docs/how-to/banned-number.md.'],
    [paused.get('restricted') ?? 0, 'restricted by WhatsApp', 'They resume by themselves. Reduce their posts.'],
    [paused.get('refused') ?? 0, 'rejected by WhatsApp', 'Check the reason on their page in the dashboard.'],
    [paused.get('used_elsewhere') ?? 0, 'used elsewhere', 'Stop the other program that uses the same link.'],
    [
      stopped,
      'in quarantine, since their ledger would have become inconsistent',
      'Run "campanile accounts release NAME" for each.',
    ],
    [
      withUnreadChannels,
      'WhatsApp does not list their channels. The known ones are kept, new ones are not found',
      'Upgrade Campanile, or set WHATSAPP_QUERY_IDS to current ids.',
    ],
  ];
  const needing = kinds
    .filter(([count]) => count > 0)
    .map(([count, what, advice]) => find('accounts', `${count} of ${all} accounts: ${what}`, 'warning', advice));
  return needing.length > 0
    ? needing
    : [find('accounts', `${all} account${all === 1 ? '' : 's'}; none needs attention`)];
}
