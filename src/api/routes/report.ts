import { create as contentDisposition } from 'content-disposition';
import type { z } from 'zod';
import { countAttempts, type AttemptLimit } from '../../identity/sign-in/brute-force-limit.ts';
import { networkOf } from '../../identity/sign-in/known-networks.ts';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { Database } from '../../platform/database/connect.ts';
import type { BestTime } from '../../sending/analytics/report/best-times.ts';
import { readReport, type Report, type ReportRow } from '../../sending/analytics/report/read-report.ts';
import {
  listReportLinks,
  readSharedReport,
  revokeReportLink,
  shareReport,
} from '../../sending/analytics/report/share-report.ts';
import type { OverviewSums } from '../../sending/analytics/read-overview.ts';
import { LongList } from '../contract/long-list.ts';
import type { report, reportData } from '../contract/report.ts';
import type { Handlers } from '../operation.ts';
import { writeCsv } from './csv.ts';
import { rate } from './rate.ts';

export interface ReportDeps {
  db: Database;
  timeZone: string;
}

const MOST_CAUSES = 50;

export const reportHandlers: Handlers<typeof report, ReportDeps> = {
  async getReport(deps, { body, actor }) {
    return toWireReport(await readReport(deps, actor, toRequest(body)), body.limit);
  },

  async exportReport(deps, { body, actor, setHeader }) {
    const result = await readReport(deps, actor, toRequest(body));
    const { startDate, endDate } = result.span;
    setHeader('content-disposition', contentDisposition(fileNameOf(`${startDate} - ${endDate}`, body.format)));
    return writeCsv(COLUMNS, result.groups, (row) => toCsvRow(toWireRow(row)));
  },

  async shareReport(deps, { body, actor }) {
    const shared = await shareReport(deps, actor, { ...toRequest(body), expiresInDays: body.expires_in_days });
    return {
      report_link_id: shared.reportLinkId,
      token: shared.token,
      path: `${SHARED_PAGE}#${shared.token}`,
      expires_at: shared.expiresAt.toISOString(),
    };
  },

  async listReportLinks(deps, { actor }) {
    const links = await listReportLinks(deps, actor);
    return {
      links: links.map((link) => ({
        report_link_id: link.reportLinkId,
        created_at: link.createdAt.toISOString(),
        created_by: link.createdBy && { user_id: link.createdBy.userId, user_name: link.createdBy.userName },
        expires_at: link.expiresAt.toISOString(),
        start_date: link.startDate,
        end_date: link.endDate,
        time_zone: link.timeZone,
        campaign: toWireCampaign(link.campaign),
        group_list_name: link.groupListName,
      })),
    };
  },

  async revokeReportLink(deps, { body, actor }) {
    await revokeReportLink(deps, actor, body.report_link_id);
    return {};
  },

  async getSharedReport(deps, { body, address, setHeader }) {
    setHeader('cache-control', 'private, no-store');
    setHeader('x-robots-tag', 'noindex, nofollow');
    await countAttempts(deps.db, [
      { limit: READS_PER_ADDRESS, key: networkOf(address) },
      { limit: READS_PER_LINK, key: body.token },
    ]);
    return toWireReport(await readSharedReport(deps, body.token), body.limit);
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
] as const satisfies ReadonlyArray<keyof ReturnType<typeof toWireRow>>;

function toCsvRow({ is_silent: isSilent, ...row }: ReturnType<typeof toWireRow>) {
  return { ...row, is_silent: String(isSilent) };
}

function toWireCampaign(campaign: Report['campaign']) {
  return campaign && { campaign_id: campaign.campaignId, name: campaign.name };
}

interface SelectionBody {
  start_date: string;
  end_date: string;
  campaign_id?: string | undefined;
  group_list_id?: number | undefined;
}

function toRequest(body: SelectionBody) {
  return {
    startDate: body.start_date,
    endDate: body.end_date,
    campaignId: body.campaign_id,
    groupListId: body.group_list_id,
  };
}

/** A report with `limit` rows at most in each list of groups. */
function toWireReport(report: Report, limit: number): z.input<typeof reportData> {
  const { span, totals, previous, groups } = report;
  const silent = groups.filter((group) => group.isSilent);
  const failed = groups.filter((group) => group.failed > 0);
  const rows = (some: readonly ReportRow[]) => new LongList(() => some.values().take(limit).map(toWireRow));
  return {
    start_date: span.startDate,
    end_date: span.endDate,
    time_zone: span.timeZone,
    campaign: toWireCampaign(report.campaign),
    group_list_name: report.groupListName,
    totals: {
      ...toWireSums(totals),
      groups: totals.groups,
      people_reached: totals.peopleReached,
      followers_reached: totals.followersReached,
      recipients: totals.recipients,
      reactions: totals.reactions,
      replies: totals.replies,
      views: totals.views,
    },
    previous: { start_date: previous.startDate, end_date: previous.endDate, ...toWireSums(previous) },
    daily: report.daily.map(({ date, ...day }) => ({ date, ...toWireSums(day) })),
    hours: toWireTimes(report.hours),
    weekdays: toWireTimes(report.weekdays),
    group_count: groups.length,
    silent_count: silent.length,
    failed_count: failed.length,
    groups: rows(groups),
    silent_groups: rows(silent.toSorted((one, other) => other.participants - one.participants)),
    failed_groups: rows(failed.toSorted((one, other) => other.failed - one.failed)),
    failures: report.failures.slice(0, MOST_CAUSES),
    unknown_runs: report.unknownRuns,
  };
}

function toWireSums({ runs, sent, failed, delivered, read, acknowledging }: OverviewSums) {
  return {
    runs,
    sent,
    failed,
    delivered,
    read,
    rated_recipients: acknowledging,
    read_rate: rate(read, acknowledging),
  };
}

function toWireTimes({ best, certainty, times }: BestTime) {
  return {
    best,
    certainty,
    times: times.map(({ value, runs, readRate, interval }) => ({
      value,
      runs,
      read_rate: readRate,
      low: interval?.low ?? null,
      high: interval?.high ?? null,
    })),
  };
}

function toWireRow(row: ReportRow) {
  return {
    group_metadata_id: row.groupId,
    group_name: row.name,
    kind: row.kind,
    participants: row.participants,
    sent: row.sent,
    failed: row.failed,
    recipients: row.recipients,
    delivered: row.delivered,
    read: row.read,
    read_rate: row.kind === 'channel' ? null : rate(row.read, row.recipients),
    reactions: row.reactions,
    replies: row.replies,
    views: row.views,
    first_sent_at: row.firstSentAt?.toISOString() ?? null,
    last_sent_at: row.lastSentAt?.toISOString() ?? null,
    last_error: row.lastError,
    is_silent: row.isSilent,
  };
}
