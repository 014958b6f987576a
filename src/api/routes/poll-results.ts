import { create as contentDisposition } from 'content-disposition';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { Database } from '../../platform/database/connect.ts';
import {
  readNamedVotes,
  readPollResults,
  type PollResults,
  type VoteCounts,
} from '../../sending/analytics/read-poll-results.ts';
import type { pollResultOperations } from '../contract/poll-results.ts';
import type { Handlers } from '../operation.ts';
import type { LongText } from '../contract/long-text.ts';
import { writeCsv } from './csv.ts';

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

export const pollResultHandlers: Handlers<typeof pollResultOperations, { db: Database }> = {
  async getPollResults(deps, { body, actor }) {
    const { polls } = await readPollResults(deps, actor, { campaignId: body.campaign_id, runId: body.run_id ?? null });
    return { polls: polls.map(toWirePoll) };
  },

  async exportPoll(deps, { body, actor, setHeader }) {
    const about = { campaignId: body.campaign_id, runId: body.run_id ?? null };
    const { name, csv } = body.voters ? await writeVoters(deps, actor, about) : await writeResults(deps, actor, about);
    setHeader('content-disposition', contentDisposition(fileNameOf(name, body.format)));
    return csv;
  },
};

type Read = typeof readPollResults;

async function writeResults(...asked: Parameters<Read>): Promise<{ name: string; csv: LongText }> {
  const { name, polls } = await readPollResults(...asked);
  const rows = polls.flatMap(({ question, options, groups }) =>
    groups.flatMap((group) =>
      options.map((option, index) => ({
        question,
        group_metadata_id: group.groupId,
        group_name: group.name,
        kind: group.kind,
        option,
        votes: group.votes[index] ?? 0,
        voters: group.voters,
        unreadable: group.unreadable,
      })),
    ),
  );
  return { name, csv: writeCsv(COLUMNS, rows, (row) => row) };
}

async function writeVoters(...asked: Parameters<Read>): Promise<{ name: string; csv: LongText }> {
  const { name, votes } = await readNamedVotes(...asked);
  const rows = votes.flatMap(({ options, ...vote }) =>
    options.map((option) => ({
      question: vote.question,
      group_metadata_id: vote.groupId,
      group_name: vote.groupName,
      option,
      voter: vote.voter,
      voted_at: vote.at.toISOString(),
    })),
  );
  return { name, csv: writeCsv(VOTER_COLUMNS, rows, (row) => row) };
}

function toWirePoll({ isMultiple, namesVoters, runs, groups, timeline, options, ...poll }: PollResults) {
  return {
    kind: poll.kind,
    question: poll.question,
    options: [...options],
    multiple: isMultiple,
    names_voters: namesVoters,
    runs: runs.map((run) => ({
      run_id: run.runId,
      due_at: run.dueAt.toISOString(),
      closes_at: run.closesAt?.toISOString() ?? null,
    })),
    ...toWireCounts(poll),
    groups: groups.map(({ groupId, name, kind, ...counts }) => ({
      group_metadata_id: groupId,
      group_name: name,
      kind,
      ...toWireCounts(counts),
    })),
    timeline: timeline.map(({ at, ...counts }) => ({ at: at.toISOString(), ...toWireCounts(counts) })),
  };
}

function toWireCounts({ voters, unreadable, votes }: VoteCounts) {
  return { voters, unreadable, votes };
}
