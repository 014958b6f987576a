/** Results of polls and events (contract §4). */
import { z } from 'zod';
import { campaignBody } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, instant, optional, withDefault, named, objects } from './fields.ts';
import { csvFormat, longText } from './long-text.ts';

const counts = {
  voters: count.describe('Members whose newest vote chose at least one option.'),
  unreadable: count.describe(
    'Members whose newest vote could not be opened, or makes no sense. They are in no other number.',
  ),
  votes: z.array(count).describe('The votes of each option, in the order of `options`.'),
};

const pollResults = named('PollResults', {
  kind: z.enum(['poll', 'event']),
  question: z.string().describe('Of an event its name.'),
  options: z.array(z.string()).describe('Of an event `going`, `maybe` and `not_going`.'),
  multiple: z.boolean(),
  names_voters: z.boolean(),
  runs: objects({
    run_id: count,
    due_at: instant,
    closes_at: instant
      .nullable()
      .describe('When the run stops counting votes. `null`: it has not begun, or counts for 90 days.'),
  }),
  ...counts,
  groups: objects({
    group_metadata_id: count,
    group_name: z.string(),
    kind: z.enum(['group', 'community', 'channel']),
    ...counts,
  }).describe('Every group of these runs. Their sums are the numbers above.'),
  timeline: objects({ at: instant, ...counts }).describe(
    'By the hour in which the votes that count were received. The sums are the numbers above.',
  ),
});

const runOf = {
  run_id: optional(z.int()).describe('Only this run. Default: all runs.'),
};

const shared = { tag: 'Analytics', access: 'read' } as const;

export const pollResultOperations = defineOperations(shared, {
  getPollResults: {
    path: '/api/v1/analytics/get-poll-results',
    summary: 'Get the results of a poll or event',
    description:
      'Each member counts once per post, with the newest vote by the clock of their phone. A vote that is taken back goes. `polls` has one entry, or several if the poll changed between the runs of a schedule.',
    body: campaignBody.extend(runOf),
    data: z.object({ polls: z.array(pollResults) }),
    errors: ['campaign_not_found', 'poll_not_found'],
    longAnswer: 'whole',
  },
  exportPoll: {
    path: '/api/v1/analytics/export-poll',
    summary: 'Export the results of a poll or event as CSV',
    description:
      'One row per group and option. With `voters`, one row per vote and option of a poll that was sent with `names_voters`, as long as votes are kept. Format as export-campaign.',
    body: campaignBody.extend({
      format: csvFormat,
      ...runOf,
      voters: withDefault(z.boolean(), false).describe('Exports who voted for what.'),
    }),
    data: longText,
    errors: ['campaign_not_found', 'poll_not_found', 'voters_not_named'],
    answerType: 'text/csv; charset=utf-8',
    answerHeaders: { 'content-disposition': "A file name derived from the campaign's name." },
    longAnswer: 'rows',
  },
});
