import { execute, readCount, readOne, sql, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { chooseReviser, unlessInHand } from './choose-reviser.ts';
import { describeFailure, storeFailure } from '../../platform/errors/failures.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';

export interface Requested {
  /** In how many something that has left is to be changed; of very many deliveries at most in so many. */
  groups: number;
  /** Nothing has left, or everything was recalled before. False although no account may change any of it. */
  isEmpty: boolean;
}

/**
 * Requests a recall or correction of every delivery of these runs that has left, or may have. The request is durable with the transaction,
 * and becomes revisions in pieces. A correction takes the present content of the run, and replaces no pending recall. The ledger must be
 * locked, and unsent deliveries must be cancelled before a recall.
 */
export async function requestRevision(
  trx: Connection,
  workspaceId: WorkspaceId,
  runIds: readonly number[],
  kind: 'recall' | 'correct',
): Promise<Requested> {
  const number = await readCount(trx)`select nextval('revision_numbers')`;
  await execute(trx)`
    insert into revision_requests as q (workspace_id, run_id, kind, number, tried_before, next_position)
    select r.workspace_id, r.run_id, ${kind}::revision_kind, ${number}::bigint, r.next_position, 1
    from runs r
    where r.workspace_id = ${workspaceId} and r.run_id = any(${[...runIds]}::bigint[])
    on conflict (workspace_id, run_id) do update
    set kind = excluded.kind, number = excluded.number, requested_at = excluded.requested_at, tried_before = excluded.tried_before,
        next_position = excluded.next_position
    where q.kind = 'correct' or excluded.kind = 'recall' or q.next_position is null`;
  if (kind === 'correct') await correctInHand(trx, workspaceId, number);
  await writeRevisions(trx, workspaceId);
  return countGroups(trx, workspaceId, number);
}

/** Its turn was taken with the old text. */
async function correctInHand(trx: Connection, workspaceId: WorkspaceId, number: number): Promise<void> {
  await execute(trx)`
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
    set account_id = excluded.account_id, wanted = excluded.wanted, number = excluded.number, content_id = excluded.content_id,
        not_before = null, attempts = 0, failure = null
    where v.recalled_at is null and v.wanted is distinct from 'recall'`;
}

/**
 * Returns the exact number of groups if all revisions are written, otherwise an upper bound: the smaller of the posts that were sent and
 * the groups they went to.
 */
async function countGroups(trx: Connection, workspaceId: WorkspaceId, number: number): Promise<Requested> {
  const { written, most, isEmpty } = await readOne<{ written: number; most: number; isEmpty: boolean }>(trx)`
    with request as materialized (
      select r.run_id, r.content_id, q.next_position,
             r.sent + (select coalesce(sum(count_positions(l.in_hand)), 0) from lanes l
                       where l.workspace_id = r.workspace_id and l.in_hand_run_id = r.run_id) as left_already
      from revision_requests q
      join runs r on r.workspace_id = q.workspace_id and r.run_id = q.run_id
      where q.workspace_id = ${workspaceId} and q.number = ${number}
    ), written as (
      select count(distinct d.group_id) filter (where v.wanted is not null)::int as groups, count(*) = 0 as is_empty from revisions v
      -- A lookup for each, whatever the planner believes of a table that has just grown.
      cross join lateral (
        select group_id from deliveries q
        where q.workspace_id = v.workspace_id and q.run_id = v.run_id and q.position = v.position limit 1) d
      where v.workspace_id = ${workspaceId} and v.number = ${number}
    )
    select w.groups as written, w.is_empty as "isEmpty", case when not exists (select from request where next_position is not null) then 0
           else least((select sum(left_already) from request), (
             select count(distinct g.group_id)
             from (select distinct c.group_ids from request r join contents c on c.content_id = r.content_id where r.left_already > 0) c,
                  unnest(c.group_ids) g (group_id))) end::int as most
    from written w`;
  return { groups: Math.max(written, most), isEmpty: isEmpty && most === 0 };
}

/** Why a post of a removed account is not changed: no other account may. */
export const SENDER_GONE = storeFailure(describeFailure('account_removed'));

/** So many deliveries are looked at in one transaction, of so many runs at most. */
const DELIVERIES_TOGETHER = 2_000;
const RUNS_TOGETHER = 400;

/**
 * Writes the next piece of revisions for the requests of an account, newest runs first, and notifies. It covers deliveries that have
 * left, or may have. A correction covers only those that left before the request: later ones leave with the new text. A later request
 * replaces a pending one; recalled posts are skipped. Of posts that no account may change any more only the reason is written. The ledger must be locked.
 */
export async function writeRevisions(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    with part as materialized (
      select q.*, least(q.next_position + ${DELIVERIES_TOGETHER}::int - 1 - q.before, q.expanded)::int as last
      from (
        select o.*, coalesce(sum(greatest(0, o.expanded - o.next_position + 1)) over (
                 order by o.number desc, o.run_id desc rows between unbounded preceding and 1 preceding), 0) as before
        from (
          select q.*, r.expanded, r.content_id from revision_requests q join runs r on r.workspace_id = q.workspace_id and r.run_id = q.run_id
          where q.workspace_id = ${workspaceId} and q.next_position is not null
          order by q.number desc, q.run_id desc limit ${RUNS_TOGETHER}) o
      ) q
      where q.before < ${DELIVERIES_TOGETHER}::int
    ), written as (
      insert into revisions as v (workspace_id, run_id, position, account_id, wanted, failure, number, content_id, sent_at, is_channel)
      select p.workspace_id, p.run_id, d.position, coalesce(l.account_id, d.account_id), case when l.account_id is not null then p.kind end,
             case when l.account_id is null then ${SENDER_GONE}::jsonb end, p.number, case p.kind when 'correct' then p.content_id end, d.sent_at,
             g.is_channel
      from part p
      cross join lateral (
        select d.workspace_id, d.position, d.group_id, d.account_id, d.status, d.sent_at, d.uncertain, d.error_code from deliveries d
        where d.workspace_id = p.workspace_id and d.run_id = p.run_id and d.position between p.next_position and p.last
        order by d.position
      ) d
      cross join lateral (
        select coalesce((select g.kind = 'channel' from groups g where g.group_id = d.group_id), false) as is_channel) g
      cross join lateral (
        select ${chooseReviser(sql`d`, { mayBeAdmin: sql`p.kind = 'recall' and not g.is_channel` })} as account_id) l
      where (d.uncertain or d.error_code = 'outcome_unknown'
        or d.status = 'sent' and (p.kind = 'recall' or d.position < p.tried_before or d.sent_at <= p.requested_at))
      on conflict (workspace_id, run_id, position) do update
      set account_id = ${unlessInHand(sql`v`, sql`excluded.account_id`)}, wanted = excluded.wanted, number = excluded.number, content_id = excluded.content_id,
          sent_at = excluded.sent_at, not_before = null, attempts = 0, failure = excluded.failure
      where v.number < excluded.number and v.recalled_at is null and (excluded.wanted = 'recall' or v.wanted is distinct from 'recall')
    )
    update revision_requests q set next_position = case when p.last < p.expanded then p.last + 1 end
    from part p where q.workspace_id = p.workspace_id and q.run_id = p.run_id`;
  await notifyAfterCommit(trx, 'campanile_revisions');
}
