import { countAttempts, type AttemptLimit } from '../../identity/sign-in/brute-force-limit.ts';
import { networkOf } from '../../identity/sign-in/known-networks.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { BestTime } from '../../sending/analytics/report/best-times.ts';
import { readReport, type Report, type ReportRow } from '../../sending/analytics/report/read-report.ts';
import {
  listReportLinks,
  readSharedReport,
  revokeReportLink,
  shareReport,
} from '../../sending/analytics/report/share-report.ts';
import { sayFailuresIn } from '../../sending/analytics/say-failures.ts';
import type { OverviewSums } from '../../sending/analytics/read-overview.ts';
import { LongList } from '../contract/long-list.ts';
import type { report } from '../contract/report.ts';
import type { Handlers } from '../operation.ts';
import { beginCsv, writeCsv } from './csv.ts';
import { nameGroup } from './groups.ts';
import { rate } from './rate.ts';

export interface ReportDeps {
  db: Database;
  timeZone: string;
}

const MOST_CAUSES = 50;

export const reportHandlers: Handlers<typeof report, ReportDeps> = {
  async getReport(deps, { body, actor }) {
    return describeReport(await readReport(deps, actor, body), body.limit);
  },

  async exportReport(deps, asked) {
    const result = await readReport(deps, asked.actor, asked.body);
    const form = await beginCsv(deps, asked, `${result.span.startDate} - ${result.span.endDate}`);
    const say = sayFailuresIn(form.customs.language);
    return writeCsv(COLUMNS, result.groups, (row) => ({ ...describeRow(row), errorText: say(row) }), form);
  },

  async shareReport(deps, { body, actor }) {
    const shared = await shareReport(deps, actor, body);
    return { ...shared, path: `${SHARED_PAGE}#${shared.token}` };
  },

  listReportLinks: async (deps, { actor }) => ({ links: await listReportLinks(deps, actor) }),

  revokeReportLink: (deps, { body, actor }) => revokeReportLink(deps, actor, body.reportLinkId),

  async getSharedReport(deps, { body, address, setHeader }) {
    setHeader('cache-control', 'private, no-store');
    setHeader('x-robots-tag', 'noindex, nofollow');
    await countAttempts(deps.db, [
      { limit: READS_PER_ADDRESS, key: networkOf(address) },
      { limit: READS_PER_LINK, key: body.token },
    ]);
    return describeReport(await readSharedReport(deps, body), body.limit);
  },
};

const MINUTE_MS = 60_000;
/** Unknown tokens count too. The keys are stored as hashes. */
const READS_PER_ADDRESS: AttemptLimit = { name: 'report links from', max: 60, windowMs: MINUTE_MS };
const READS_PER_LINK: AttemptLimit = { name: 'report link', max: 60, windowMs: MINUTE_MS };

/** The dashboard's page of a link. The token is in the fragment, which browsers send to no server and in no `Referer`. */
export const SHARED_PAGE = '/shared-report';

/** In this order. A new column is added at the end. */
const COLUMNS = [
  'group_metadata_id',
  'group_name',
  'kind',
  'participants',
  'sent',
  'failed',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
  'views',
  'read_rate',
  'first_sent_at',
  'last_sent_at',
  'last_error',
  'is_silent',
  'error_code',
  'error_text',
] as const;

/** A report with `limit` rows at most in each list of groups. */
function describeReport(report: Report, limit: number) {
  const { span, totals, previous, groups, failures } = report;
  const silent = groups.filter((group) => group.isSilent);
  const failed = groups.filter((group) => group.failed > 0);
  const rows = (some: readonly ReportRow[]) => new LongList(() => some.values().take(limit).map(describeRow));
  return {
    ...report,
    ...span,
    totals: describeSums(totals),
    previous: describeSums(previous),
    daily: report.daily.map(describeSums),
    hours: describeTimes(report.hours),
    weekdays: describeTimes(report.weekdays),
    groupCount: groups.length,
    silentCount: silent.length,
    failedCount: failed.length,
    runs: report.runs && new LongList(() => (report.runs ?? []).values().take(limit).map(describeSums)),
    groups: rows(groups),
    silentGroups: rows(silent.toSorted((one, other) => other.participants - one.participants)),
    failedGroups: rows(failed.toSorted((one, other) => other.failed - one.failed)),
    failures: failures.slice(0, MOST_CAUSES),
  };
}

function describeSums<Sums extends Pick<OverviewSums, 'read' | 'acknowledging'>>(sums: Sums) {
  const { read, acknowledging: ratedRecipients } = sums;
  return { ...sums, ratedRecipients, readRate: rate(read, ratedRecipients) };
}

function describeTimes({ times, ...best }: BestTime) {
  return {
    ...best,
    times: times.map(({ interval, ...time }) => ({ ...time, low: interval?.low, high: interval?.high })),
  };
}

function describeRow(row: ReportRow) {
  return { ...nameGroup(row), readRate: row.kind === 'channel' ? null : rate(row.read, row.recipients) };
}
