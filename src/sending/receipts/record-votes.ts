/** Votes on polls, and answers to events: the newest one of each member that could be opened counts, on each post once. */
import { execute, sql, type RawBuilder, type Connection } from '../../platform/database/statements.ts';
import { EVENT_ANSWERS } from '../../content/post/ballot.ts';
import type { MemberEvent } from '../../messengers/messenger.ts';
import type { LockedLedger } from '../accounts/store.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

export type VoteEvent = Extract<MemberEvent, { kind: 'voted' }>;

/**
 * The condition that a vote counts before another one of the same member. One that could be opened counts before all that could not, whatever
 * the clocks: the answer to an event has its time within the seal, and another number of the workspace may have opened it.
 */
const wins = (one: string, other: string): RawBuilder<boolean> => {
  const rank = (vote: string) => {
    const choices = sql.ref(`${vote}.choices`);
    return sql`(${choices} is not null, ${sql.ref(`${vote}.voted_ms`)}, coalesce(${choices}, -1))`;
  };
  return sql`${rank(one)} > ${rank(other)}`;
};

/** Voters, votes that could not be opened, and the votes of each option. */
const COUNTS = 14;

/**
 * Records votes in any order and with repeats. A vote about another message, or received after the poll's end, is skipped. One with an
 * option that the poll does not have, or with more than it allows, counts as one that could not be opened. The ledger must be locked.
 */
export async function recordVotes(
  trx: Connection,
  { workspaceId, hashSeed }: LockedLedger,
  events: readonly VoteEvent[],
): Promise<void> {
  const told = events.map((event) => ({
    message_id: event.messageId,
    participant: event.participant,
    is_provisional: event.isProvisional ?? false,
    voter: event.voter ?? null,
    voted_ms: event.votedMs,
    at: event.at,
    choices: event.choices,
  }));
  await execute(trx)`
    with told as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
        e (message_id text, participant text, is_provisional boolean, voter text, voted_ms bigint, at timestamptz, choices jsonb)
    ), vote as materialized (
      select d.run_id, d.position, d.group_id, hashtextextended(e.participant, ${hashSeed}::bigint) as participant, e.is_provisional,
             e.voted_ms, e.at, case when (b.ballot ->> 'namesVoters')::boolean then e.voter end as voter,
             case when jsonb_typeof(e.choices) is distinct from 'array' then null
                  when e.choices = '[]' then 0
                  when m.known < jsonb_array_length(e.choices) then null
                  when m.known > 1 and (b.ballot ->> 'isMultiple')::boolean is not true then null
                  else m.mask end as choices
      from told e
      cross join lateral (
        select run_id, position, group_id, sent_at from deliveries
        where workspace_id + 0 = ${workspaceId} and message_id = e.message_id limit 1) d
      cross join lateral (
        select content_id, receipts_closed_at, started_at from runs where workspace_id = ${workspaceId} and run_id = d.run_id limit 1) r
      cross join lateral (select extras from contents where content_id = r.content_id limit 1) t
      cross join lateral (select coalesce(t.extras -> 'poll', t.extras -> 'event') as ballot) b
      cross join lateral (
        select count(*) as known, sum(1 << (o.number - 1)::int) as mask
        from jsonb_array_elements_text(coalesce(b.ballot -> 'options', ${JSON.stringify(EVENT_ANSWERS)}::jsonb)) with ordinality o (option, number)
        where e.choices ? encode(sha256(convert_to(o.option, 'UTF8')), 'hex')) m
      where b.ballot is not null and (r.receipts_closed_at is null or d.sent_at > r.receipts_closed_at)
        and (b.ballot ->> 'openHours' is null or e.at <= r.started_at + (b.ballot ->> 'openHours')::int * interval '1 hour')
    ), newest as materialized (
      select distinct on (run_id, position, participant) * from vote
      order by run_id, position, participant, (choices is not null) desc, voted_ms desc, choices desc
    ), changed as materialized (
      select n.*, v.at as was_at, v.choices as was, v.participant is not null as has_voted
      from newest n
      left join lateral (
        select * from votes q where q.workspace_id = ${workspaceId} and q.run_id = n.run_id and q.position = n.position
          and q.participant = n.participant limit 1) v on true
      where v.participant is null or ${wins('n', 'v')}
    ), noted as (
      insert into provisional_receipts (workspace_id, participant, run_id, position)
      select ${workspaceId}::bigint, participant, run_id, position from changed where is_provisional
      on conflict do nothing
    ), put as (
      insert into votes as v (workspace_id, run_id, position, participant, voted_ms, at, choices, voter)
      select ${workspaceId}::bigint, run_id, position, participant, voted_ms, at, choices, voter from changed
      on conflict (workspace_id, run_id, position, participant) do update set
        voted_ms = excluded.voted_ms, at = excluded.at, choices = excluded.choices, voter = coalesce(excluded.voter, v.voter)
    ), delta as (
      select run_id, group_id, at, choices, 1 as sign from changed
      union all
      select run_id, group_id, was_at, was, -1 from changed where has_voted
    ), ${addDeltas(workspaceId)}`;
}

/** Two ids turn out to be one person: one vote of theirs counts. Call it before the provisional ids are forgotten. */
export async function joinVotes(
  trx: Connection,
  { workspaceId, hashSeed }: LockedLedger,
  pairs: ReadonlyArray<{ participant: string; alias: string }>,
): Promise<void> {
  await execute(trx)`
    with pair as (
      select hashtextextended(p.participant, ${hashSeed}::bigint) as participant, hashtextextended(p.alias, ${hashSeed}::bigint) as alias
      from unnest(${pairs.map((pair) => pair.participant)}::text[], ${pairs.map((pair) => pair.alias)}::text[]) p (participant, alias)
    ), known as materialized (
      select n.run_id, n.position, d.group_id, p.participant, p.alias, a.voted_ms, a.at, a.choices, a.voter,
             b.participant is not null as is_twice, b.at as other_at, b.choices as other_choices,
             b.participant is null or ${wins('a', 'b')} as wins
      from provisional_receipts n
      join pair p on p.alias = n.participant
      cross join lateral (
        select * from votes v where v.workspace_id = ${workspaceId} and v.run_id = n.run_id and v.position = n.position
          and v.participant = p.alias limit 1) a
      cross join lateral (
        select group_id from deliveries q where q.workspace_id = ${workspaceId} and q.run_id = n.run_id and q.position = n.position limit 1) d
      left join lateral (
        select * from votes v where v.workspace_id = ${workspaceId} and v.run_id = n.run_id and v.position = n.position
          and v.participant = p.participant limit 1) b on true
      where n.workspace_id = ${workspaceId}
    ), dropped as (
      delete from votes v using known t
      where v.workspace_id = ${workspaceId} and v.run_id = t.run_id and v.position = t.position and v.participant = t.alias
    ), put as (
      insert into votes as v (workspace_id, run_id, position, participant, voted_ms, at, choices, voter)
      select ${workspaceId}::bigint, run_id, position, participant, voted_ms, at, choices, voter from known where wins
      on conflict (workspace_id, run_id, position, participant) do update set
        voted_ms = excluded.voted_ms, at = excluded.at, choices = excluded.choices, voter = coalesce(excluded.voter, v.voter)
    ), delta as (
      select run_id, group_id, case when wins then other_at else at end as at,
             case when wins then other_choices else choices end as choices, -1 as sign
      from known where is_twice
    ), ${addDeltas(workspaceId)}`;
}

/**
 * The rest of a statement with a `delta (run_id, group_id, at, choices, sign)`: adds it to the sums by group and by hour. Not by an upsert:
 * the check that no sum is negative would see the difference in place of the sum.
 */
function addDeltas(workspaceId: WorkspaceId): RawBuilder<unknown> {
  return sql`
    counted as materialized (
      select run_id, group_id, date_bin('1 hour', at, timestamptz '2000-01-01 00:00:00Z') as at, number,
             sum(sign * case number when 1 then (coalesce(choices, 0) > 0)::int
                                    when 2 then (choices is null)::int
                                    else coalesce(choices, 0)::int >> (number - 3) & 1 end)::int as count
      from delta cross join generate_series(1, ${COUNTS}::int) n (number) group by 1, 2, 3, 4
    ), by_group as materialized (
      select run_id, group_id, array_agg(count order by number) as counts
      from (select run_id, group_id, number, sum(count)::int as count from counted group by 1, 2, 3) g
      group by run_id, group_id having bool_or(count <> 0)
    ), by_hour as materialized (
      select run_id, at, array_agg(count order by number) as counts
      from (select run_id, at, number, sum(count)::int as count from counted group by 1, 2, 3) h
      group by run_id, at having bool_or(count <> 0)
    ), changed_groups as (
      update poll_results p set counts = ${sumOfCounts} from by_group n
      where p.workspace_id = ${workspaceId} and p.run_id = n.run_id and p.group_id = n.group_id returning p.run_id, p.group_id
    ), new_groups as (
      insert into poll_results (workspace_id, run_id, group_id, counts)
      select ${workspaceId}::bigint, run_id, group_id, counts from by_group n
      where not exists (select from changed_groups c where c.run_id = n.run_id and c.group_id = n.group_id)
    ), changed_hours as (
      update poll_hours p set counts = ${sumOfCounts} from by_hour n
      where p.workspace_id = ${workspaceId} and p.run_id = n.run_id and p.at = n.at returning p.run_id, p.at
    )
    insert into poll_hours (workspace_id, run_id, at, counts)
    select ${workspaceId}::bigint, run_id, at, counts from by_hour n
    where not exists (select from changed_hours c where c.run_id = n.run_id and c.at = n.at)`;
}

const sumOfCounts = sql`(
  select array_agg(a + b order by number) from unnest(p.counts, n.counts) with ordinality u (a, b, number))`;
