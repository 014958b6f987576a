import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { writeRevisions } from './write-revisions.ts';

/**
 * Requests a recall or correction of every delivery of these runs that has left, or may have. Resolves to the number of groups; for very
 * many deliveries, to an upper bound. The request is durable with the transaction, and becomes revisions in pieces. A correction takes
 * the present content of the run, and replaces no pending recall. The lane must be locked, and unsent deliveries must be cancelled before
 * a recall.
 */
export async function requestRevision(
  trx: Connection,
  accountId: number,
  runIds: readonly number[],
  kind: 'recall' | 'correct',
): Promise<number> {
  const { rows } = await sql<{ number: number }>`select nextval('revision_numbers') as number`.execute(trx);
  const number = rows[0]?.number ?? Number.NaN;
  await sql`
    insert into revision_requests as q (account_id, run_id, kind, number, tried_before, next_position)
    select r.account_id, r.run_id, ${kind}::revision_kind, ${number}::bigint, r.next_position, 1
    from runs r
    where r.account_id = ${accountId} and r.run_id = any(${[...runIds]}::bigint[])
    on conflict (account_id, run_id) do update
    set kind = excluded.kind, number = excluded.number, requested_at = excluded.requested_at, tried_before = excluded.tried_before,
        next_position = excluded.next_position
    where q.kind = 'correct' or excluded.kind = 'recall' or q.next_position is null`.execute(trx);
  if (kind === 'correct') await correctInHand(trx, accountId, number);
  await writeRevisions(trx, accountId);
  return countGroups(trx, accountId, number);
}

/** Its turn was taken with the old text. */
async function correctInHand(trx: Connection, accountId: number, number: number): Promise<void> {
  await sql`
    insert into revisions as v (account_id, run_id, position, sender_id, wanted, number, content_id, is_channel)
    select r.account_id, r.run_id, d.position, d.sender_id, 'correct', q.number, r.content_id,
           coalesce((select g.kind = 'channel' from groups g where g.group_id = d.group_id), false)
    from lanes l
    join revision_requests q on q.account_id = l.ledger_id and q.run_id = l.in_hand_run_id and q.number = ${number}
    join runs r on r.account_id = q.account_id and r.run_id = q.run_id
    cross join lateral (
      select position, group_id, sender_id from deliveries q
      where q.account_id = r.account_id and q.run_id = r.run_id and q.position >= lower(l.in_hand) and q.position < upper(l.in_hand)
        and q.position <@ l.in_hand
      order by q.position
    ) d
    where l.ledger_id = ${accountId}
    on conflict (account_id, run_id, position) do update
    set wanted = excluded.wanted, number = excluded.number, content_id = excluded.content_id, not_before = null, attempts = 0, error = null
    where v.recalled_at is null and v.wanted is distinct from 'recall'`.execute(trx);
}

/**
 * Returns the exact number of groups if all revisions are written, otherwise an upper bound: the smaller of the posts that were sent and
 * the groups they went to.
 */
async function countGroups(trx: Connection, accountId: number, number: number): Promise<number> {
  const { rows } = await sql<{ written: number; most: number }>`
    with request as materialized (
      select r.run_id, r.content_id, q.next_position,
             r.sent + (select coalesce(sum(count_positions(l.in_hand)), 0) from lanes l
                       where l.ledger_id = r.account_id and l.in_hand_run_id = r.run_id) as left_already
      from revision_requests q
      join runs r on r.account_id = q.account_id and r.run_id = q.run_id
      where q.account_id = ${accountId} and q.number = ${number}
    ), written as (
      select count(distinct d.group_id)::int as groups from revisions v
      -- A lookup for each, whatever the planner believes of a table that has just grown.
      cross join lateral (
        select group_id from deliveries q
        where q.account_id = v.account_id and q.run_id = v.run_id and q.position = v.position limit 1) d
      where v.account_id = ${accountId} and v.number = ${number} and v.wanted is not null
    )
    select w.groups as written, case when not exists (select from request where next_position is not null) then 0
           else least((select sum(left_already) from request), (
             select count(distinct g.group_id)
             from (select distinct c.group_ids from request r join contents c on c.content_id = r.content_id where r.left_already > 0) c,
                  unnest(c.group_ids) g (group_id))) end::int as most
    from written w`.execute(trx);
  return Math.max(rows[0]?.written ?? 0, rows[0]?.most ?? 0);
}
