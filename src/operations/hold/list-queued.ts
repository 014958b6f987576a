import { readRows, sql } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/connect.ts';

/** A campaign whose queued posts may have been sent by another copy of this ledger. */
export interface QueuedCampaign {
  /** As everywhere outside: a UUID. */
  campaignId: string;
  name: string;
  /** The owner's name. */
  userName: string;
  /** Posts, those of runs that fell due since the ledger was last served among them. */
  queued: number;
  /** When the ledger knows something of it to have been sent last; null: never. */
  lastSentAt: Date | null;
}

/** Runs `r` of campaigns `c` that another copy of the held ledger `h` may have begun or sent. */
export const isDoubtful = sql<boolean>`
  c.deleted_at is null and c.created_at < h.held_since
  and (r.status = 'running' and r.queued > 0 or r.status = 'planned' and r.due_at <= campanile_now())`;

/** Returns the queued deliveries of a held ledger by campaign, oldest first. Empty when the ledger is not held. */
export async function listQueued(db: Connection): Promise<QueuedCampaign[]> {
  return readRows<QueuedCampaign>(db)`
    select c.public_id as "campaignId", c.name, coalesce(u.user_name, '') as "userName",
           sum(case when r.status = 'running' then r.queued else cardinality(t.group_ids) end)::int as queued,
           (select max(s.progress_at) from runs s where s.campaign_id = c.campaign_id and s.sent > 0) as "lastSentAt"
    from ledger h
    join runs r on r.status in ('running', 'planned')
    join campaigns c on c.campaign_id = r.campaign_id
    join contents t on t.content_id = coalesce(r.content_id, c.content_id)
    join workspaces w on w.workspace_id = c.workspace_id
    left join memberships m on m.workspace_id = coalesce(w.test_of, w.workspace_id) and m.role = 'owner'
    left join users u on u.user_id = m.user_id
    where h.held_since is not null and ${isDoubtful}
    group by c.campaign_id, u.user_name
    order by c.campaign_id`;
}
