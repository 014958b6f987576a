import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** What of a campaign one account of the workspace sends, or has sent. */
export interface AccountShare {
  accountId: AccountId;
  /** Null: the account has no name, or was removed. */
  name: string | null;
  /** Null: the account was removed. */
  messenger: string | null;
  isConnected: boolean;
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  recipients: number;
  delivered: number;
  read: number;
  /** Members who could have reported that they read it. */
  acknowledging: number;
  /** Of running runs. */
  left: number;
}

/**
 * Returns the shares of the accounts in a campaign, the default account first: one unless several accounts sent it. Single posts are counted,
 * so of a campaign whose posts were summed up for good there is none.
 */
export async function readAccountShares(db: Connection, campaignId: number): Promise<AccountShare[]> {
  const { rows } = await sql<AccountShare>`
    with share as materialized (
      select d.account_id, count(*)::int as deliveries,
             count(*) filter (where d.status = 'queued')::int as queued, count(*) filter (where d.status = 'sent')::int as sent,
             count(*) filter (where d.status = 'failed')::int as failed,
             count(*) filter (where d.status = 'cancelled')::int as cancelled,
             coalesce(sum(d.recipients) filter (where d.status = 'sent'), 0)::int as recipients,
             coalesce(sum(d.recipients) filter (where d.status = 'sent' and g.kind <> 'channel'), 0)::int as acknowledging,
             coalesce(sum(d.delivered), 0)::int as delivered, coalesce(sum(d.read), 0)::int as read,
             count(*) filter (where d.status = 'queued' and r.status = 'running')::int as "left"
      from runs r
      -- In the order of the key, so that no delivery of another run is read.
      cross join lateral (
        select * from deliveries q where q.workspace_id = r.workspace_id and q.run_id = r.run_id order by q.position) d
      cross join lateral (select kind from groups where group_id = d.group_id limit 1) g
      where r.campaign_id = ${campaignId}
      group by 1
    )
    select s.account_id as "accountId", a.name, a.messenger, coalesce(a.status = 'connected', false) as "isConnected", s.deliveries, s.queued, s.sent, s.failed,
           s.cancelled, s.recipients, s.delivered, s.read, s.acknowledging, s."left"
    from share s left join accounts a on a.account_id = s.account_id
    order by a.is_default desc nulls last, s.account_id`.execute(db);
  return rows;
}
