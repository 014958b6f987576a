/** The results of the polls and events of a campaign (contract §4, get-poll-results). */
import { readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import { EVENT_ANSWERS, type EventExtra, type PollExtra } from '../../content/post/ballot.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { GroupKind, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { findOwnCampaign, type OwnCampaign } from '../campaigns/store.ts';
import { sumFields } from './sum-fields.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';

export interface VoteCounts {
  /** Members whose newest vote chose something. */
  voters: number;
  /** Members whose newest vote could not be opened. */
  unreadable: number;
  /** Of each option, in order. */
  votes: number[];
}

export interface PollRun {
  runId: number;
  dueAt: Date;
  /** When it stops counting; null: it has not begun, or has no end of its own. */
  closesAt: Date | null;
}

/** Of the runs that ask the same. */
export interface PollResults extends VoteCounts {
  kind: 'poll' | 'event';
  question: string;
  options: readonly string[];
  isMultiple: boolean;
  namesVoters: boolean;
  runs: PollRun[];
  /** Every group of these runs, in their order. */
  groups: Array<VoteCounts & { groupId: number; name: string; kind: GroupKind }>;
  /** By the hour in which the votes that count were received. */
  timeline: Array<VoteCounts & { at: Date }>;
}

/** A vote of a poll that names its voters. */
export interface NamedVote {
  question: string;
  groupId: number;
  groupName: string;
  voter: string;
  options: string[];
  at: Date;
}

type Extra = { poll: PollExtra; event?: undefined } | { event: EventExtra; poll?: undefined };
interface RunRow extends PollRun {
  extra: Extra;
}

/**
 * Returns the results of each different poll of a campaign, or of one of its runs, oldest first: usually one. Totals are the sums of the
 * groups, and those of the timeline. Throws 404, also for a campaign that asks nothing.
 */
export function readPollResults(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { campaignId: publicId, runId }: { campaignId: string; runId: number | null },
): Promise<{ name: string; polls: PollResults[] }> {
  return inSnapshot(db, async (trx) => {
    const { campaignId, name } = await findOwnCampaign(trx, workspaceId, publicId);
    const asked = await requirePolls(trx, { campaignId, runId });
    return { name, polls: await readAll(trx, workspaceId, asked) };
  });
}

/** Returns the results of all polls and events of a campaign, as `readPollResults` does; none of a campaign that asks nothing. */
export async function findPollResults(trx: Connection, { workspaceId, campaignId }: OwnCampaign) {
  return readAll(trx, workspaceId, await findPolls(trx, { campaignId, runId: null }));
}

async function readAll(trx: Connection, workspaceId: WorkspaceId, asked: readonly RunRow[][]): Promise<PollResults[]> {
  const polls: PollResults[] = [];
  for (const runs of asked) polls.push(await readOne(trx, workspaceId, runs));
  return polls;
}

async function requirePolls(trx: Connection, about: { campaignId: number; runId: number | null }): Promise<RunRow[][]> {
  const polls = await findPolls(trx, about);
  if (polls.length > 0) return polls;
  throw new AppError('poll_not_found', 'This campaign has no poll and no event', {
    details: [fieldError(about.runId === null ? 'campaign_id' : 'run_id', 'no_poll')],
  });
}

/** The runs that ask the same, together. */
async function findPolls(trx: Connection, { campaignId, runId }: { campaignId: number; runId: number | null }) {
  const rows = await readRows<RunRow>(trx)`
    select r.run_id as "runId", r.due_at as "dueAt",
           r.started_at + (t.extras #>> '{poll,openHours}')::int * interval '1 hour' as "closesAt",
           case when t.extras ? 'poll' then jsonb_build_object('poll', t.extras -> 'poll')
                else jsonb_build_object('event', t.extras -> 'event') end as extra
    from runs r
    join campaigns c on c.campaign_id = r.campaign_id
    join contents t on t.content_id = coalesce(r.content_id, c.content_id)
    where r.campaign_id = ${campaignId} and (${runId}::bigint is null or r.run_id = ${runId})
      and t.extras ?| array['poll', 'event']
    order by r.due_at, r.run_id`;
  return [...Map.groupBy(rows, ({ extra }) => JSON.stringify(extra)).values()];
}

async function readOne(trx: Connection, workspaceId: WorkspaceId, runs: RunRow[]): Promise<PollResults> {
  const about = describe(runs);
  const runIds = runs.map((run) => run.runId);
  const groups = await readRows<{ groupId: number; name: string; kind: GroupKind; counts: number[] | null }>(trx)`
    with target as (
      select g.group_id, min(g.position) as position
      from runs r join campaigns c on c.campaign_id = r.campaign_id join contents t on t.content_id = coalesce(r.content_id, c.content_id),
           unnest(t.group_ids) with ordinality g (group_id, position)
      where r.run_id = any(${runIds}::bigint[]) and r.workspace_id = ${workspaceId} group by 1
    ), result as (
      select group_id, array_agg(count order by number) as counts
      from (select p.group_id, n.number, sum(n.count)::int as count
            from poll_results p, unnest(p.counts) with ordinality n (count, number)
            where p.workspace_id = ${workspaceId} and p.run_id = any(${runIds}::bigint[]) group by 1, 2) s
      group by 1
    )
    select t.group_id as "groupId", g.name, g.kind, r.counts
    from target t join groups g on g.group_id = t.group_id left join result r on r.group_id = t.group_id
    order by t.position, t.group_id`;
  const hours = await readRows<{ at: Date; counts: number[] }>(trx)`
    select at, array_agg(count order by number) as counts
    from (select p.at, n.number, sum(n.count)::int as count
          from poll_hours p, unnest(p.counts) with ordinality n (count, number)
          where p.workspace_id = ${workspaceId} and p.run_id = any(${runIds}::bigint[]) group by 1, 2) s
    group by at having sum(count) > 0 order by at`;
  const { length } = about.options;
  const perGroup = groups.map(({ counts, ...group }) => ({ ...group, ...toCounts(counts, length) }));
  return {
    ...about,
    ...addUp(perGroup, length),
    runs: runs.map(({ runId, dueAt, closesAt }) => ({ runId, dueAt, closesAt })),
    groups: perGroup,
    timeline: hours.map(({ at, counts }) => ({ at, ...toCounts(counts, length) })),
  };
}

function describe([first]: readonly RunRow[]) {
  const { poll, event } = first?.extra ?? {};
  if (poll) {
    const { question, options, isMultiple, namesVoters = false } = poll;
    return { kind: 'poll' as const, question, options, isMultiple, namesVoters };
  }
  const question = event?.name ?? '';
  return { kind: 'event' as const, question, options: EVENT_ANSWERS, isMultiple: false, namesVoters: false };
}

function toCounts(counts: readonly number[] | null, options: number): VoteCounts {
  const [voters = 0, unreadable = 0, ...votes] = counts ?? [];
  return { voters, unreadable, votes: Array.from({ length: options }, (_, index) => votes[index] ?? 0) };
}

function addUp(rows: readonly VoteCounts[], options: number): VoteCounts {
  const votes = Array.from({ length: options }, (_, index) =>
    rows.reduce((sum, row) => sum + (row.votes[index] ?? 0), 0),
  );
  return { ...sumFields(rows, ['voters', 'unreadable']), votes };
}

/** Returns the votes of the campaign's polls that name their voters, as long as they are kept. Throws as `readPollResults` does. */
export function readNamedVotes(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { campaignId: publicId, runId }: { campaignId: string; runId: number | null },
): Promise<{ name: string; votes: NamedVote[] }> {
  return inSnapshot(db, async (trx) => {
    const { campaignId, name } = await findOwnCampaign(trx, workspaceId, publicId);
    const polls = await requirePolls(trx, { campaignId, runId });
    const named = polls.map((runs) => ({ runs, ...describe(runs) })).filter(({ namesVoters }) => namesVoters);
    if (named.length === 0)
      throw new AppError('voters_not_named', 'This poll does not name its voters', {
        details: [fieldError('voters', 'voters_secret')],
      });
    const votes: NamedVote[] = [];
    for (const { runs, question, options } of named)
      for (const { choices, ...vote } of await selectVotes(trx, workspaceId, runs))
        votes.push({ ...vote, question, options: options.filter((_, index) => (choices >> index) & 1) });
    return { name, votes };
  });
}

async function selectVotes(trx: Connection, workspaceId: WorkspaceId, runs: readonly RunRow[]) {
  return readRows<Omit<NamedVote, 'question' | 'options'> & { choices: number }>(trx)`
    select d.group_id as "groupId", g.name as "groupName", v.voter, v.choices, v.at
    from votes v
    join deliveries d on d.workspace_id = v.workspace_id and d.run_id = v.run_id and d.position = v.position
    join groups g on g.group_id = d.group_id
    where v.workspace_id = ${workspaceId} and v.run_id = any(${runs.map((run) => run.runId)}::bigint[]) and v.choices > 0 and v.voter is not null
    order by v.run_id, v.position, v.at, v.participant`;
}
