/** Two ids turn out to be one person: what was counted for each of them counts once from now on. */
import { execute, readRows, type Connection } from '../../platform/database/statements.ts';
import { joinVotes } from './record-votes.ts';
import type { LockedLedger } from '../accounts/store.ts';

/** Of a participant, and the provisional id that they were told of under. */
interface Pair {
  participant: string;
  alias: string;
}

/**
 * Moves what was counted for aliases to the participants they stand for, and takes off the counts what both had done: on the
 * deliveries, the runs and the minutes of the timeline. The ledger must be locked. A repeat changes nothing.
 */
export async function joinParticipants(trx: Connection, ledger: LockedLedger, pairs: readonly Pair[]): Promise<void> {
  const known = await findAliases(trx, ledger, pairs);
  // Somebody with several aliases is joined with one after the other: each may find what the one before has left.
  const seen = new Map<string, number>();
  const rounds = Map.groupBy(known, ({ participant }) => {
    const number = seen.get(participant) ?? 0;
    seen.set(participant, number + 1);
    return number;
  });
  for (const round of rounds.values()) {
    const voters = round.filter(({ hasVoted }) => hasVoted);
    if (voters.length > 0) await joinVotes(trx, ledger, voters);
    await join(trx, ledger, round);
  }
}

/** Returns the pairs whose alias was counted. */
async function findAliases(trx: Connection, { workspaceId, hashSeed }: LockedLedger, pairs: readonly Pair[]) {
  return readRows<Pair & { hasVoted: boolean }>(trx)`
    select distinct p.participant, p.alias, exists (
             select from provisional_receipts v
             join votes w on w.workspace_id = v.workspace_id and w.run_id = v.run_id and w.position = v.position and w.participant = v.participant
             where v.workspace_id = ${workspaceId} and v.participant = hashtextextended(p.alias, ${hashSeed}::bigint)) as "hasVoted"
    from unnest(${pairs.map((pair) => pair.participant)}::text[], ${pairs.map((pair) => pair.alias)}::text[]) p (participant, alias)
    where p.alias <> p.participant and exists (
      select from provisional_receipts v
      where v.workspace_id = ${workspaceId} and v.participant = hashtextextended(p.alias, ${hashSeed}::bigint))
    order by p.participant, p.alias`;
}

async function join(trx: Connection, { workspaceId, hashSeed }: LockedLedger, pairs: readonly Pair[]): Promise<void> {
  await execute(trx)`
    with pair as (
      select hashtextextended(p.participant, ${hashSeed}::bigint) as participant, hashtextextended(p.alias, ${hashSeed}::bigint) as alias
      from unnest(${pairs.map((pair) => pair.participant)}::text[], ${pairs.map((pair) => pair.alias)}::text[]) p (participant, alias)
    ), noted as (
      delete from provisional_receipts v using pair p where v.workspace_id = ${workspaceId} and v.participant = p.alias
      returning v.run_id, v.position, p.participant, p.alias
    ), moved as materialized (
      select n.run_id, n.position, n.participant, n.alias, a.flags, a.delivered_at, a.read_at, coalesce(a.flags & b.flags, 0) as twice,
             greatest(a.delivered_at, b.delivered_at) as delivered_again_at, greatest(a.read_at, b.read_at) as read_again_at
      from noted n
      cross join lateral (
        select * from receipts r where r.workspace_id = ${workspaceId} and r.run_id = n.run_id and r.position = n.position
          and r.participant = n.alias limit 1) a
      left join lateral (
        select * from receipts r where r.workspace_id = ${workspaceId} and r.run_id = n.run_id and r.position = n.position
          and r.participant = n.participant limit 1) b on true
    ), dropped as (
      delete from receipts r using moved m
      where r.workspace_id = ${workspaceId} and r.run_id = m.run_id and r.position = m.position and r.participant = m.alias
    ), put as (
      insert into receipts as r (workspace_id, run_id, position, participant, delivered_at, read_at, flags, fresh)
      select ${workspaceId}::bigint, run_id, position, participant, delivered_at, read_at, flags, 0 from moved
      on conflict (workspace_id, run_id, position, participant) do update set
        fresh = 0, flags = r.flags | excluded.flags,
        delivered_at = least(r.delivered_at, excluded.delivered_at), read_at = least(r.read_at, excluded.read_at)
    ), counted as (
      update deliveries d
      set delivered = d.delivered - s.delivered, read = d.read - s.read, reactions = d.reactions - s.reactions,
          replies = d.replies - s.replies
      from (select run_id, position, count(*) filter (where twice & 1 <> 0)::int as delivered,
                   count(*) filter (where twice & 2 <> 0)::int as read, count(*) filter (where twice & 4 <> 0)::int as reactions,
                   count(*) filter (where twice & 8 <> 0)::int as replies
            from moved where twice <> 0 group by run_id, position) s
      where d.workspace_id = ${workspaceId} and d.run_id = s.run_id and d.position = s.position
    ), summed as (
      update runs r set delivered = r.delivered - s.delivered, read = r.read - s.read
      from (select run_id, count(*) filter (where twice & 1 <> 0)::int as delivered,
                   count(*) filter (where twice & 2 <> 0)::int as read
            from moved where twice & 3 <> 0 group by run_id) s
      where r.workspace_id = ${workspaceId} and r.run_id = s.run_id
    )
    -- Below zero where the minute was added to the timeline's sums already.
    insert into run_minutes as m (workspace_id, run_id, minute, delivered, read)
    select ${workspaceId}::bigint, run_id, date_trunc('minute', at), -sum(delivered), -sum(read)
    from moved, lateral (values (case when twice & 1 <> 0 then delivered_again_at end, 1, 0),
                                (case when twice & 2 <> 0 then read_again_at end, 0, 1)) x (at, delivered, read)
    where at is not null
    group by 2, 3
    on conflict (workspace_id, run_id, minute) do update
    set delivered = m.delivered + excluded.delivered, read = m.read + excluded.read`;
}
