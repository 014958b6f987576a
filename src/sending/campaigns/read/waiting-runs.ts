/** What the accounts of a workspace have still to send. */
import { sql, type RawBuilder } from '../../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

interface WaitingRuns {
  workspaceId: WorkspaceId;
  /** A condition about runs `r`. */
  which: RawBuilder<unknown>;
  /** The runs of this campaign do not count. */
  except: number | undefined;
  /** So many runs, the latest ones. Default is all. */
  most?: number;
  /** Accounts that send planned runs only where no other can. */
  resting: readonly AccountId[];
}

/**
 * `waiting`: a row for each account of the workspace and each of its planned and running runs in which the account has posts to send, in
 * hand or not: `account_id`, `run_id`, `due_at`, `posts`, `is_pinned`. Planned runs count for the accounts that would send them now.
 */
export const waitingRuns = ({ workspaceId, which, except, most, resting }: WaitingRuns): RawBuilder<unknown> => sql`
  run as materialized (
    select r.workspace_id, r.run_id, r.status, r.due_at, r.is_shared, r.queued, r.pin_seconds, coalesce(r.content_id, c.content_id) as content_id
    from (
      -- The orders force the indexes that have them, in place of one with all runs of the workspace.
      (select * from runs p where p.workspace_id = ${workspaceId} and p.status = 'planned' order by p.workspace_id, p.due_at)
      union all
      (select * from runs l where l.workspace_id = ${workspaceId} and l.status = 'running' order by l.workspace_id, l.run_id)) r
    cross join lateral (select content_id from campaigns where campaign_id = r.campaign_id limit 1) c
    where not r.paused and r.campaign_id is distinct from ${except ?? null}::bigint and ${which}
    order by r.due_at desc limit ${most ?? null}::int
  ), content as materialized (
    -- Once for each content, however many runs it has.
    select t.content_id, t.group_ids, (t.extras ->> 'accountId')::bigint as wanted, coalesce(t.extras ? 'pinSeconds', false) as is_pinned
    from (select distinct content_id from run where status = 'planned') r
    cross join lateral (select * from contents where content_id = r.content_id limit 1) t
  ), sole as materialized (
    select min(account_id) as account_id from lanes where workspace_id = ${workspaceId} having count(*) = 1
  ), choice as materialized (
    -- One value for each account that campaigns name, however many contents have a group.
    select w.wanted, (
      select jsonb_object_agg(s.group_id, s.account_id)
      from choose_senders(
        ${workspaceId}, array(select distinct i from content c, unnest(c.group_ids) i where c.wanted is not distinct from w.wanted),
        w.wanted, resting => ${[...resting]}::bigint[]) s) as accounts
    from (select distinct wanted from content where not exists (select from sole)) w
  ), share as materialized (
    select c.content_id, c.is_pinned, sole.account_id, cardinality(c.group_ids) as posts from content c, sole
    union all
    select c.content_id, c.is_pinned, (o.accounts ->> i::text)::bigint, count(*)::int
    from content c join choice o on o.wanted is not distinct from c.wanted cross join unnest(c.group_ids) i
    group by 1, 2, 3
  ), waiting as materialized (
    select s.account_id, r.run_id, r.due_at, s.posts, s.is_pinned from run r join share s using (content_id) where r.status = 'planned'
    union all
    select d.account_id, r.run_id, r.due_at, d.posts, r.pin_seconds is not null
    from run r
    cross join lateral (
      select q.account_id, count(*)::int as posts
      from (
        -- From its end, where nearly all of them are.
        select account_id from deliveries d
        where r.is_shared and d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.status = 'queued'
        order by d.position desc limit r.queued) q
      group by 1
      union all
      -- One account sends such a run.
      (select d.account_id, r.queued from deliveries d
       where not r.is_shared and r.queued > 0 and d.workspace_id = r.workspace_id and d.run_id = r.run_id
       order by d.position limit 1)) d
    where r.status = 'running'
  )`;
