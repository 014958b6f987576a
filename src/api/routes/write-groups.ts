/** The CSV file of export-campaign. */
import type { GroupAnalytics, GroupRow } from '../../sending/analytics/group-analytics.ts';
import type { PollResults } from '../../sending/analytics/read-poll-results.ts';
import { NO_REACH } from '../../sending/analytics/read-reach.ts';
import { toWireGroupReach, toWireGroupRow, toWireRevised } from './group-rows.ts';
import type { LongText } from '../contract/long-text.ts';
import { writeCsv } from './csv.ts';

/** In this order, then the answers of polls and events. A new column is added at the end of these. */
const COLUMNS = [
  'group_metadata_id',
  'group_name',
  'kind',
  'participants',
  'deliveries',
  'queued',
  'sent',
  'failed',
  'cancelled',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
  'views',
  'delivery_rate',
  'read_rate',
  'first_sent_at',
  'last_sent_at',
  'last_error',
  'recalled',
  'corrected',
  'pinned',
  'unpinned',
  'pins_waiting',
  'pins_failed',
  'pinned_until',
  'pin_error',
  'mentions',
  'mentions_left_out',
  'mention_left_out',
  'quotes',
  'voters',
  'unreadable_votes',
  'skipped',
  'members_without_devices',
] as const;

type Cell = string | number | null;

/** Returns a row for each group, as `groups` of the analytics has it. What the campaign does not have is an empty cell. */
export function writeGroups({ groups, reach, polls }: GroupAnalytics): LongText {
  const answers = readAnswers(polls);
  const columns: readonly string[] = [...COLUMNS, ...answers.columns];
  return writeCsv(columns, groups, (group): Record<string, Cell> => {
    const found: Record<string, Cell | undefined> = {
      ...toWireGroupRow(group),
      ...toWireRevised(group),
      skipped: group.skipped,
      ...toWireGroupReach(reach, reach.groups.get(group.groupId) ?? NO_REACH),
      ...answers.of(group),
    };
    return Object.fromEntries(columns.map((column) => [column, found[column] ?? null]));
  });
}

/** A column for each answer of a poll or event. It names the question, too, if the campaign has asked several. */
function readAnswers(polls: readonly PollResults[]) {
  const named = polls.map(({ question, options, groups }) => ({
    columns: options.map((option) => `votes: ${polls.length > 1 ? `${question} ` : ''}${option}`),
    byGroup: new Map(groups.map((group) => [group.groupId, group])),
  }));
  return {
    columns: [...new Set(named.flatMap(({ columns }) => columns))],
    of({ groupId }: GroupRow): Record<string, number> {
      const sums: Record<string, number> = {};
      const add = (column: string, count: number) => (sums[column] = (sums[column] ?? 0) + count);
      for (const { columns, byGroup } of named) {
        const counts = byGroup.get(groupId);
        if (!counts) continue;
        add('voters', counts.voters);
        add('unreadable_votes', counts.unreadable);
        columns.forEach((column, index) => add(column, counts.votes[index] ?? 0));
      }
      return sums;
    },
  };
}
