/** What an account of a workspace has still to send, as SQL over its lane `o` and the runs `r` of the workspace with their contents `t`. */
import { sql } from 'kysely';

/** The runs that the account may have a part in. Of planned runs it is not known yet who will send them: all are the default account's. */
export const runsOfLane = sql`
  lanes o
  join runs r on r.workspace_id = o.workspace_id and (r.is_shared or o.account_id = case
    when r.status = 'planned' then (select a.account_id from accounts a where a.workspace_id = o.workspace_id and a.is_default)
    else (select d.account_id from deliveries d where d.workspace_id = r.workspace_id and d.run_id = r.run_id order by d.position limit 1) end)
  join campaigns c on c.campaign_id = r.campaign_id
  join contents t on t.content_id = coalesce(r.content_id, c.content_id)`;

/** How many posts of the run wait for the account, in hand or not. */
export const waitingPosts = sql<number>`(
  case
    when r.status = 'planned' then cardinality(t.group_ids)
    when not r.is_shared then r.queued
    else (select count(*)::int from deliveries d
          where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.status = 'queued'
            and d.account_id = o.account_id) end)`;
