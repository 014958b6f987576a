import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import { hasLane } from './assign-senders.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

/** Why a post of a removed account is not changed. */
export const SENDER_GONE =
  'The account that sent this post was removed. An admin of the group can delete or pin it on a phone, and nobody can edit it';

/** So many deliveries are looked at in one transaction, of so many runs at most. */
const DELIVERIES_TOGETHER = 2_000;
const RUNS_TOGETHER = 400;

/**
 * Writes the next piece of revisions for the requests of an account, newest runs first, and notifies. It covers deliveries that have
 * left, or may have. A correction covers only those that left before the request: later ones leave with the new text. A later request
 * replaces a pending one; recalled posts are skipped. Of posts whose account was removed only the reason is written. The ledger must be locked.
 */
export async function writeRevisions(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await sql`
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
      insert into revisions as v (workspace_id, run_id, position, account_id, wanted, error, number, content_id, sent_at, is_channel)
      select p.workspace_id, p.run_id, d.position, d.account_id, case when l.is_there then p.kind end,
             case when not l.is_there then ${SENDER_GONE}::text end, p.number, case p.kind when 'correct' then p.content_id end, d.sent_at,
             coalesce((select g.kind = 'channel' from groups g where g.group_id = d.group_id), false)
      from part p
      cross join lateral (
        select d.position, d.group_id, d.account_id, d.status, d.sent_at, d.uncertain, d.error from deliveries d
        where d.workspace_id = p.workspace_id and d.run_id = p.run_id and d.position between p.next_position and p.last
        order by d.position
      ) d
      cross join lateral (select ${hasLane(sql`d`)} as is_there) l
      where (d.uncertain or d.error like 'outcome_unknown%'
        or d.status = 'sent' and (p.kind = 'recall' or d.position < p.tried_before or d.sent_at <= p.requested_at))
      on conflict (workspace_id, run_id, position) do update
      set wanted = excluded.wanted, number = excluded.number, content_id = excluded.content_id, sent_at = excluded.sent_at,
          not_before = null, attempts = 0, error = excluded.error
      where v.number < excluded.number and v.recalled_at is null and (excluded.wanted = 'recall' or v.wanted is distinct from 'recall')
    )
    update revision_requests q set next_position = case when p.last < p.expanded then p.last + 1 end
    from part p where q.workspace_id = p.workspace_id and q.run_id = p.run_id`.execute(trx);
  await notifyAfterCommit(trx, 'campanile_revisions');
}
