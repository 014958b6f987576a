import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { writeRevisions } from './write-revisions.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/**
 * Requests a recall or correction of every delivery of these runs that has left, or may have. Resolves to the number of groups; for very
 * many deliveries, to an upper bound. The request is durable with the transaction, and becomes revisions in pieces. A correction takes
 * the present content of the run, and replaces no pending recall. The ledger must be locked, and unsent deliveries must be cancelled before
 * a recall.
 */
export async function requestRevision(
  trx: Connection,
  workspaceId: WorkspaceId,
  runIds: readonly number[],
  kind: 'recall' | 'correct',
): Promise<number> {
  const { rows } = await sql<{ number: number }>`select nextval('revision_numbers') as number`.execute(trx);
  const number = rows[0]?.number ?? Number.NaN;
  await sql`
    insert into revision_requests as q (workspace_id, run_id, kind, number, tried_before, next_position)
    select r.workspace_id, r.run_id, ${kind}::revision_kind, ${number}::bigint, r.next_position, 1
    from runs r
    where r.workspace_id = ${workspaceId} and r.run_id = any(${[...runIds]}::bigint[])
    on conflict (workspace_id, run_id) do update
    set kind = excluded.kind, number = excluded.number, requested_at = excluded.requested_at, tried_before = excluded.tried_before,
        next_position = excluded.next_position
    where q.kind = 'correct' or excluded.kind = 'recall' or q.next_position is null`.execute(trx);
  if (kind === 'correct') await correctInHand(trx, workspaceId, number);
  await writeRevisions(trx, workspaceId);
  return countGroups(trx, workspaceId, number);
}

/** Its turn was taken with the old text. */
async function correctInHand(trx: Connection, workspaceId: WorkspaceId, number: number): Promise<void> {
  await sql`
    insert into revisions as v (workspace_id, run_id, position, account_id, wanted, number, content_id, is_channel)
    select r.workspace_id, r.run_id, d.position, d.account_id, 'correct', q.number, r.content_id,
           coalesce((select g.kind = 'channel' from groups g where g.group_id = d.group_id), false)
    from lanes l
    join revision_requests q on q.workspace_id = l.workspace_id and q.run_id = l.in_hand_run_id and q.number = ${number}
    join runs r on r.workspace_id = q.workspace_id and r.run_id = q.run_id
    cross join lateral (
      select position, group_id, account_id from deliveries q
      where q.workspace_id = r.workspace_id and q.run_id = r.run_id and q.position >= lower(l.in_hand) and q.position < upper(l.in_hand)
        and q.position <@ l.in_hand
      order by q.position
    ) d
    where l.workspace_id = ${workspaceId}
    on conflict (workspace_id, run_id, position) do update
    set wanted = excluded.wanted, number = excluded.number, content_id = excluded.content_id, not_before = null, attempts = 0, error = null
    where v.recalled_at is null and v.wanted is distinct from 'recall'`.execute(trx);
}

/**
 * Returns the exact number of groups if all revisions are written, otherwise an upper bound: the smaller of the posts that were sent and
 * the groups they went to.
 */
async function countGroups(trx: Connection, workspaceId: WorkspaceId, number: number): Promise<number> {
  const { rows } = await sql<{ written: number; most: number }>`
    with request as materialized (
      select r.run_id, r.content_id, q.next_position,
             r.sent + (select coalesce(sum(count_positions(l.in_hand)), 0) from lanes l
                       where l.workspace_id = r.workspace_id and l.in_hand_run_id = r.run_id) as left_already
      from revision_requests q
      join runs r on r.workspace_id = q.workspace_id and r.run_id = q.run_id
      where q.workspace_id = ${workspaceId} and q.number = ${number}
    ), written as (
      select count(distinct d.group_id)::int as groups from revisions v
      -- A lookup for each, whatever the planner believes of a table that has just grown.
      cross join lateral (
        select group_id from deliveries q
        where q.workspace_id = v.workspace_id and q.run_id = v.run_id and q.position = v.position limit 1) d
      where v.workspace_id = ${workspaceId} and v.number = ${number}
    )
    select w.groups as written, case when not exists (select from request where next_position is not null) then 0
           else least((select sum(left_already) from request), (
             select count(distinct g.group_id)
             from (select distinct c.group_ids from request r join contents c on c.content_id = r.content_id where r.left_already > 0) c,
                  unnest(c.group_ids) g (group_id))) end::int as most
    from written w`.execute(trx);
  return Math.max(rows[0]?.written ?? 0, rows[0]?.most ?? 0);
}
