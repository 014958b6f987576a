/** Checks of the database. */
import { readCount, readOne, type Database } from '../../platform/database/statements.ts';
import { countAccounts, countWaiting } from '../../sending/accounts/count-accounts.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import { EXPLAINED_WAITS, UNEXPLAINED_AFTER_MINUTES } from '../../workspaces/events/wait-reasons.ts';
import { LEASE_MS } from '../../sending/leases/leases.ts';
import { NEWEST_POSTGRES, OLDEST_POSTGRES } from '../../platform/database/check-version.ts';
import { readDatabaseSize } from '../../platform/database/read-size.ts';
import { readBacklog } from '../../sending/deliveries/read-backlog.ts';
import { readHold } from '../hold/read-hold.ts';
import { fail, ok, orOk, report, warn, type CheckResult, type Results } from './finding.ts';

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
export async function checkServer(db: Database): Promise<CheckResult[]> {
  const server = await readOne<ServerRow>(db)`
    select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
           current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
           current_setting('transaction_read_only') as "readOnly",
           (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as used,
           current_setting('max_connections')::int as most`;
  const gib = (await readDatabaseSize(db)) / GIBIBYTE;
  const summary = `PostgreSQL ${server.version}, ${gib.toFixed(2)} GiB, ${server.used} of ${server.most} connections in use`;
  return orOk(findServerProblems(server), summary);
}

function* findServerProblems({ number, version, fsync, fullPageWrites, readOnly, used, most }: ServerRow) {
  const major = Math.floor(number / 10_000);
  const tested = `${OLDEST_POSTGRES} to ${NEWEST_POSTGRES}`;
  if (major < OLDEST_POSTGRES)
    yield fail(`PostgreSQL ${version} is too old: Campanile supports ${tested}`, 'Upgrade it.');
  if (major > NEWEST_POSTGRES)
    yield warn(`PostgreSQL ${version} is untested: this Campanile was tested with ${tested}`);
  if (fsync === 'off' || fullPageWrites === 'off')
    yield fail(
      'A power cut can lose or corrupt data: fsync or full_page_writes is off',
      'Turn both on in postgresql.conf, and reload the server.',
    );
  if (readOnly === 'on')
    yield fail(
      'The database is read-only: it is a standby, or is configured as read-only',
      'Set DATABASE_URL to the primary.',
    );
  if (used >= most * CROWDED_SHARE)
    yield warn(
      `${used} of ${most} connections are in use. When they run out, requests and sending wait.`,
      'Raise max_connections, or put PgBouncer in front (docs/how-to/use-your-own-postgresql.md).',
    );
}

const CLOCK_WARNING_MS = 2_000;
const CLOCK_ERROR_MS = 30_000;

/** Due times use the clock of the database; times that users read use the clock of this machine. */
export async function checkClock(db: Database): Promise<Results> {
  const before = Date.now();
  const { now } = await readOne<{ now: Date }>(db)`select clock_timestamp() as now`;
  const apartMs = Math.abs(now.getTime() - (before + Date.now()) / 2);
  const seconds = (apartMs / 1_000).toFixed(1);
  if (apartMs < CLOCK_WARNING_MS) return ok(`The clocks of the database and of this machine are ${seconds} s apart`);
  return report(
    apartMs < CLOCK_ERROR_MS ? 'warning' : 'error',
    `The clocks of the database and of this machine are ${seconds} s apart. Scheduled posts follow the clock of the database.`,
    'Synchronise both clocks with NTP.',
  );
}

/** Whether the ledger is held. */
export async function checkHold(db: Database): Promise<Results> {
  const hold = await readHold(db);
  if (!hold) return ok('The ledger is not held');
  return fail(
    `The ledger has been held since ${hold.since.toISOString()}, and nothing is sent: ${hold.reason}`,
    'Review the queue and end the hold with "campanile release" or in the dashboard.',
  );
}

export async function checkWorkers(db: Database): Promise<Results> {
  const alive = await readCount(db)`
    select count(*) from workers where beat_at > campanile_now() - ${LEASE_MS} * interval '1 millisecond'`;
  if (alive > 0) return ok(alive === 1 ? '1 worker is running' : `${alive} workers are running`);
  return fail(
    'No worker is running, so nothing is sent',
    'Start the service. With ROLE=api, also start at least one process with ROLE=worker.',
  );
}

const OVERDUE_SECONDS = 60;
/** More are not counted. */
const MOST_MISSED = 10_000;

/** Runs that are late just now, and that were missed within a day. */
export async function checkRuns(db: Database): Promise<Results> {
  const { late, overdueSeconds } = await readBacklog(db);
  const missed = await readCount(db)`
    select count(*) from (
      select from runs where status = 'missed' and finished_at > campanile_now() - interval '1 day' and not receipts_dropped
      limit ${MOST_MISSED}) m`;
  return orOk(
    findRunProblems(late, overdueSeconds, missed),
    'No run is late, and no run was missed within the last 24 hours',
  );
}

function* findRunProblems(late: number, overdueSeconds: number, missed: number) {
  if (late > 0)
    yield fail(
      `Late runs: ${late} (nothing was tried a minute after their time)`,
      'Check the findings on workers, hold and accounts, then the log.',
    );
  if (overdueSeconds > OVERDUE_SECONDS)
    yield warn(
      `An account has waited ${Math.round(overdueSeconds)} s for its turn: there are not enough workers`,
      'Start more processes with ROLE=worker (docs/how-to/run-several-processes.md).',
    );
  if (missed > 0)
    yield warn(
      `Missed runs: ${missed} within the last 24 hours (could not begin within 6 hours)`,
      'Their owners see them in the dashboard and can send them again.',
    );
}

/** Counts accounts for which something is due and which send nothing, without a rule of their workspace that explains it. */
async function checkWaits(db: Database): Promise<CheckResult[]> {
  const { byReason, due } = await countWaiting(db);
  const t = translatorFor('en');
  const waiting = [...byReason].filter(([reason, count]) => count > 0 && !EXPLAINED_WAITS.includes(reason));
  const most = waiting.reduce((sum, [, count]) => sum + count, 0) > due / 2;
  return waiting.map(([reason, count]) =>
    report(
      most ? 'error' : 'warning',
      `${count} of ${due} accounts with something to send have sent nothing for ${UNEXPLAINED_AFTER_MINUTES} minutes. ${t(`waits.${reason}`)}`,
      'Check the findings on workers and hold, the network of this host, and the log (docs/how-to/watch-it.md).',
    ),
  );
}

/** Lists accounts that send nothing until their user acts, and those whose channels cannot be read. */
export async function checkAccounts(db: Database): Promise<Results> {
  const { byStatus, paused, stopped, withUnreadChannels } = await countAccounts(db);
  const all = [...byStatus.values()].reduce((sum, one) => sum + one, 0);
  const disabled = byStatus.get('disabled') ?? 0;
  const ofDisabled = disabled === 0 ? '' : `. Nothing is sent from ${disabled}, whose owners are disabled`;
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
    .map(([count, what, advice]) => warn(`${count} of ${all} accounts: ${what}`, advice));
  const found = [...(await checkWaits(db)), ...needing];
  return orOk(found, `${all} account${all === 1 ? '' : 's'}; none needs attention${ofDisabled}`);
}
