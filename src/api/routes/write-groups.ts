/** The CSV file of export-campaign. */
import type { GroupAnalytics, GroupRow } from '../../sending/analytics/group-analytics.ts';
import { sayFailuresIn } from '../../sending/analytics/say-failures.ts';
import type { PollResults } from '../../sending/analytics/read-poll-results.ts';
import { describeRow } from './group-rows.ts';
import type { LongText } from '../contract/long-text.ts';
import { writeCsv, type Cell, type CsvForm } from './csv.ts';

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
  'error_code',
  'error_text',
  'external_id',
  'pin_error_text',
  'mention_left_out_text',
  'group_external_id',
  'tags',
] as const;

/** Returns a row for each group, as `groups` of the analytics has it. What the campaign does not have is an empty cell. */
export function writeGroups(analytics: GroupAnalytics, form: CsvForm): LongText {
  const say = sayFailuresIn(form.customs.language);
  const answers = readAnswers(analytics.polls);
  const shown = { ...analytics, isRevised: true };
  const columns: readonly string[] = [...COLUMNS, ...answers.columns];
  const toCells = (group: GroupRow): Readonly<Record<string, Cell>> => {
    const { errorParams, pinErrorParams, mentionLeftOutParams, ...row } = describeRow(shown, group);
    return {
      ...row,
      errorText: say({ errorCode: row.errorCode, errorParams }),
      externalId: analytics.campaign.externalId,
      tags: analytics.campaign.tags.join('; '),
      pinErrorText: say({ errorCode: row.pinErrorCode, errorParams: pinErrorParams }),
      mentionLeftOutText: say({ errorCode: row.mentionLeftOutCode, errorParams: mentionLeftOutParams }),
      ...answers.of(group),
    };
  };
  return writeCsv(columns, analytics.groups, toCells, form);
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
        add('unreadableVotes', counts.unreadable);
        columns.forEach((column, index) => add(column, counts.votes[index] ?? 0));
      }
      return sums;
    },
  };
}
