import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { Database } from '../../platform/database/statements.ts';
import { readNamedVotes, readPollResults, type PollResults } from '../../sending/analytics/read-poll-results.ts';
import type { pollResultOperations } from '../contract/poll-results.ts';
import type { Handlers } from '../operation.ts';
import type { LongText } from '../contract/long-text.ts';
import { readCsvForm, writeCsv, type CsvForm } from './csv.ts';
import { nameGroup } from './groups.ts';

/** In this order. A new column is added at the end. */
const COLUMNS = [
  'question',
  'group_metadata_id',
  'group_name',
  'kind',
  'option',
  'votes',
  'voters',
  'unreadable',
] as const;
const VOTER_COLUMNS = ['question', 'group_metadata_id', 'group_name', 'option', 'voter', 'voted_at'] as const;

export const pollResultHandlers: Handlers<typeof pollResultOperations, { db: Database; timeZone: string }> = {
  async getPollResults(deps, { body, actor }) {
    const { campaignId, runId = null } = body;
    const { polls } = await readPollResults(deps, actor, { campaignId, runId });
    return { polls: polls.map(describePoll) };
  },

  async exportPoll(deps, { body, actor, header, setHeader }) {
    const { campaignId, runId = null } = body;
    const about = { campaignId, runId };
    const form = await readCsvForm(deps, { body, actor, header });
    const write = body.voters ? writeVoters : writeResults;
    const { name, csv } = await write(form, deps, actor, about);
    setHeader('content-disposition', contentDisposition(fileNameOf(name, 'csv')));
    return csv;
  },
};

type Read = typeof readPollResults;

async function writeResults(form: CsvForm, ...asked: Parameters<Read>): Promise<{ name: string; csv: LongText }> {
  const { name, polls } = await readPollResults(...asked);
  const rows = polls.flatMap(({ question, options, groups }) =>
    groups.flatMap((group) =>
      options.map((option, index) => ({ ...nameGroup(group), question, option, votes: group.votes[index] ?? 0 })),
    ),
  );
  return { name, csv: writeCsv(COLUMNS, rows, (row) => row, form) };
}

async function writeVoters(form: CsvForm, ...asked: Parameters<Read>): Promise<{ name: string; csv: LongText }> {
  const { name, votes } = await readNamedVotes(...asked);
  const rows = votes.flatMap(({ options, ...vote }) =>
    options.map((option) => ({ ...vote, groupMetadataId: vote.groupId, option, votedAt: vote.at })),
  );
  return { name, csv: writeCsv(VOTER_COLUMNS, rows, (row) => row, form) };
}

function describePoll(poll: PollResults) {
  return { ...poll, multiple: poll.isMultiple, groups: poll.groups.map(nameGroup) };
}
