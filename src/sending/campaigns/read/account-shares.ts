import { readRows, type Connection } from '../../../platform/database/statements.ts';
import type { DeliveryCounts } from './read-progress.ts';
import { deliveryCounts } from '../roll-up/roll-up-runs.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** What of a campaign one account of the workspace sends, or has sent. */
export interface AccountShare extends DeliveryCounts {
  accountId: AccountId;
  /** Null: the account has no name, or was removed. */
  name: string | null;
  /** Null: the account was removed. */
  messenger: string | null;
  isConnected: boolean;
  recipients: number;
  delivered: number;
  read: number;
  /** Members who could have reported that they read it. */
  acknowledging: number;
  /** Of running runs. */
  left: number;
}

/**
 * Returns the shares of the accounts in a campaign, the default account first: one unless several accounts sent it. They add up to the
 * totals of the campaign. Deliveries that a begun run has not yet written count for the accounts that would send them now. Single posts are
 * counted, so of a campaign whose posts were summed up for good there is none.
 */
export async function readAccountShares(db: Connection, campaignId: number): Promise<AccountShare[]> {
  return readRows<AccountShare>(db)`
    with part as (
      select d.account_id, d.group_id, d.queued, d.sent, d.failed, d.cancelled, d.recipients, d.delivered, d.read,
             case r.status when 'running' then d.queued else 0 end as "left"
      from runs r
      -- In the order of the key, so that no delivery of another run is read.
      cross join lateral (
        select d.account_id, d.group_id, ${deliveryCounts} from deliveries d
        where d.workspace_id = r.workspace_id and d.run_id = r.run_id order by d.position) d
      where r.campaign_id = ${campaignId}
      union all
      select s.account_id, s.group_id, (r.status = 'running')::int, 0, 0, (r.status = 'cancelled')::int, 0, 0, 0, (r.status = 'running')::int
      from runs r join contents c on c.content_id = r.content_id
      cross join lateral choose_senders(r.workspace_id, c.group_ids[r.expanded + 1 :], (c.extras ->> 'accountId')::bigint) s
      where r.campaign_id = ${campaignId} and r.expanded < r.targets and r.status in ('running', 'cancelled')
    ), share as materialized (
      select p.account_id, count(*)::int as deliveries, sum(p.queued)::int as queued, sum(p.sent)::int as sent, sum(p.failed)::int as failed,
             sum(p.cancelled)::int as cancelled, sum(p.recipients)::int as recipients,
             coalesce(sum(p.recipients) filter (where g.kind <> 'channel'), 0)::int as acknowledging,
             coalesce(sum(p.delivered) filter (where g.kind <> 'channel'), 0)::int as delivered,
             coalesce(sum(p.read) filter (where g.kind <> 'channel'), 0)::int as read, sum(p."left")::int as "left"
      from part p
      cross join lateral (select kind from groups where group_id = p.group_id limit 1) g
      group by 1
    )
    select s.account_id as "accountId", a.name, a.messenger, coalesce(a.status = 'connected', false) as "isConnected", s.deliveries, s.queued, s.sent, s.failed,
           s.cancelled, s.recipients, s.delivered, s.read, s.acknowledging, s."left"
    from share s left join accounts a on a.account_id = s.account_id
    order by a.is_default desc nulls last, s.account_id`;
}
