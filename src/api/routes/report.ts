import type { z } from 'zod';
import type { Database } from '../../platform/database/connect.ts';
import type { BestTime } from '../../sending/analytics/report/best-times.ts';
import { readReport, type Report, type ReportRow } from '../../sending/analytics/report/read-report.ts';
import type { OverviewSums } from '../../sending/analytics/read-overview.ts';
import type { report, reportData } from '../contract/report.ts';
import type { Handlers } from '../operation.ts';
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
};

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
  const rows = (some: readonly ReportRow[]) => some.slice(0, limit).map(toWireRow);
  return {
    start_date: span.startDate,
    end_date: span.endDate,
    time_zone: span.timeZone,
    campaign: report.campaign && { campaign_id: report.campaign.campaignId, name: report.campaign.name },
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
  return { runs, sent, failed, delivered, read, read_rate: rate(read, acknowledging) };
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
