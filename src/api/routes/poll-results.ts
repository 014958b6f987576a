import type { Database } from '../../platform/database/statements.ts';
import {
  readNamedVotes,
  readPollResults,
  type NamedVote,
  type PollResults,
} from '../../sending/analytics/read-poll-results.ts';
import type { pollResultOperations } from '../contract/poll-results.ts';
import type { Handlers } from '../operation.ts';
import { beginCsv, writeCsv } from './csv.ts';
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

  async exportPoll(deps, asked) {
    const { campaignId, runId = null, voters } = asked.body;
    const about = { campaignId, runId };
    if (voters) {
      const { name, votes } = await readNamedVotes(deps, asked.actor, about);
      return writeCsv(VOTER_COLUMNS, votes.flatMap(toVoterRows), (row) => row, await beginCsv(deps, asked, name));
    }
    const { name, polls } = await readPollResults(deps, asked.actor, about);
    return writeCsv(COLUMNS, polls.flatMap(toResultRows), (row) => row, await beginCsv(deps, asked, name));
  },
};

function toResultRows({ question, options, groups }: PollResults) {
  return groups.flatMap((group) =>
    options.map((option, index) => ({ ...nameGroup(group), question, option, votes: group.votes[index] ?? 0 })),
  );
}

function toVoterRows({ options, ...vote }: NamedVote) {
  return options.map((option) => ({ ...vote, groupMetadataId: vote.groupId, option, votedAt: vote.at }));
}

function describePoll(poll: PollResults) {
  return { ...poll, multiple: poll.isMultiple, groups: poll.groups.map(nameGroup) };
}
