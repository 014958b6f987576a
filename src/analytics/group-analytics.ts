import { sql } from 'kysely';
import type { Actor } from '../audit/record-audit.ts';
import type { Connection, Database } from '../database/connect.ts';
import { readHead, readRuns, type CampaignHead, type RunDetails } from '../campaigns/get-campaign.ts';
import type { GroupKind } from '../database/schema.ts';
import { explainError } from './explain-error.ts';

export interface Counts {
  deliveries: number;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
  /** Of the sent: deleted for everyone afterwards. */
  recalled: number;
  /** Of the sent: edited afterwards. */
  corrected: number;
}

/** null: the messaging application does not tell. */
export interface Engagement {
  recipients: number;
  /** Of the recipients: those who acknowledge, which followers of a channel do not. What rates are of. */
  acknowledging: number;
  delivered: number | null;
  read: number | null;
  reactions: number;
  replies: number | null;
  views: number | null;
}

export interface GroupRow extends Counts, Engagement {
  groupId: number;
  name: string;
  kind: GroupKind;
  participants: number;
  firstSentAt: Date | null;
  lastSentAt: Date | null;
  /** In words, with what to do about it. */
  lastError: string | null;
}

export interface GroupAnalytics {
  campaign: CampaignHead;
  totals: Counts & Engagement & { groups: number; runs: number; runsDone: number };
  groups: GroupRow[];
  runs: RunDetails[];
  /** Somebody asked to recall or correct something of it. */
  isRevised: boolean;
  timeline: Array<{ at: Date; sent: number; delivered: number; read: number }>;
}

/**
 * What became of a campaign, per group, per run and over time (contract §3). All of it is one moment's view, so it adds up:
 * totals are the sums of the groups. Throws 404 for a campaign that is not the workspace's.
 */
export async function readGroupAnalytics(
  { db }: { db: Database },
  { workspaceId }: Actor,
  publicId: string,
): Promise<GroupAnalytics> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      const { id, ...campaign } = await readHead(trx, workspaceId, publicId);
      const groups = await selectGroupRows(trx, id);
      const runs = await readRuns(trx, id);
      return {
        campaign,
        totals: { ...addUp(groups), ...countRuns(runs) },
        groups,
        runs,
        isRevised: await isRevised(trx, id),
        timeline: await selectTimeline(trx, id),
      };
    });
}

/**
 * A row per group the campaign goes to or went to, in the order given. Reads deliveries and never a receipt. What a run has begun
 * but not yet written out as deliveries counts by its state: still queued, or cancelled.
 */
async function selectGroupRows(trx: Connection, campaignId: number): Promise<GroupRow[]> {
  const { rows } = await sql<GroupRow & { isWaiting: boolean | null }>`
    with content as (
      select content_id from campaigns where campaign_id = ${campaignId}
      union select content_id from runs where campaign_id = ${campaignId} and content_id is not null
    ), target as materialized (
      select t.group_id, min(t.position) as position
      from content join contents c on c.content_id = content.content_id, unnest(c.group_ids) with ordinality t (group_id, position)
      group by t.group_id
    ), unwritten as (
      select t.group_id, count(*) filter (where r.status = 'running')::int as queued,
             count(*) filter (where r.status = 'cancelled')::int as cancelled
      from runs r join contents c on c.content_id = r.content_id, unnest(c.group_ids[r.expanded + 1 :]) t (group_id)
      where r.campaign_id = ${campaignId} and r.expanded < r.targets
      group by t.group_id
    ), written as materialized (
      select d.group_id, count(*) filter (where d.status = 'queued')::int as queued, count(*) filter (where d.status = 'sent')::int as sent,
             count(*) filter (where d.status = 'failed')::int as failed, count(*) filter (where d.status = 'cancelled')::int as cancelled,
             -- Whoever did something about a post was there when it was sent, also if the messenger did not know of them then.
             sum(case d.status when 'sent' then greatest(d.recipients, d.delivered, d.reactions, d.replies) else 0 end)::int as recipients,
             sum(d.delivered)::int as delivered, sum(d.read)::int as read,
             sum(d.reactions)::int as reactions, sum(d.replies)::int as replies, sum(d.views)::int as views,
             min(d.sent_at) as first_sent_at, max(d.sent_at) as last_sent_at,
             (array_agg(d.error order by d.run_id desc) filter (where d.error is not null))[1] as last_error,
             (array_agg(d.status = 'queued' order by d.run_id desc) filter (where d.error is not null))[1] as is_waiting
      from runs r join deliveries d on d.account_id = r.account_id and d.run_id = r.run_id
      where r.campaign_id = ${campaignId}
      group by d.group_id
    ), revised as (
      select d.group_id, count(v.recalled_at)::int as recalled, count(v.corrected_at)::int as corrected,
             (array_agg(v.error order by v.run_id desc) filter (where v.error is not null))[1] as error
      from runs r
      join revisions v on v.account_id = r.account_id and v.run_id = r.run_id
      join deliveries d on d.account_id = v.account_id and d.run_id = v.run_id and d.position = v.position
      where r.campaign_id = ${campaignId}
      group by d.group_id
    )
    select t.group_id as "groupId", g.name, g.kind, g.participants,
           coalesce(w.queued, 0) + coalesce(u.queued, 0) + coalesce(w.sent, 0) + coalesce(w.failed, 0) + coalesce(w.cancelled, 0)
             + coalesce(u.cancelled, 0) as deliveries,
           coalesce(w.queued, 0) + coalesce(u.queued, 0) as queued, coalesce(w.sent, 0) as sent, coalesce(w.failed, 0) as failed,
           coalesce(w.cancelled, 0) + coalesce(u.cancelled, 0) as cancelled, coalesce(w.recipients, 0) as recipients,
           case when g.kind <> 'channel' then coalesce(w.recipients, 0) else 0 end as acknowledging,
           case when g.kind <> 'channel' then coalesce(w.delivered, 0) end as delivered,
           case when g.kind <> 'channel' then coalesce(w.read, 0) end as read,
           coalesce(w.reactions, 0) as reactions,
           case when g.kind <> 'channel' then coalesce(w.replies, 0) end as replies,
           case when g.kind = 'channel' then coalesce(w.views, 0) end as views,
           w.first_sent_at as "firstSentAt", w.last_sent_at as "lastSentAt", coalesce(w.last_error, v.error) as "lastError",
           coalesce(v.recalled, 0) as recalled, coalesce(v.corrected, 0) as corrected, w.is_waiting as "isWaiting"
    from target t
    join groups g on g.group_id = t.group_id
    left join written w on w.group_id = t.group_id
    left join unwritten u on u.group_id = t.group_id
    left join revised v on v.group_id = t.group_id
    order by t.position, t.group_id`.execute(trx);
  return rows.map(({ isWaiting, ...row }) =>
    row.lastError === null ? row : { ...row, lastError: explainError(row.lastError, isWaiting ?? false) },
  );
}

async function isRevised(trx: Connection, campaignId: number): Promise<boolean> {
  const { rows } = await sql`
    select from runs r join revision_requests q on q.account_id = r.account_id and q.run_id = r.run_id
    where r.campaign_id = ${campaignId} limit 1`.execute(trx);
  return rows.length > 0;
}

/** In steps that make fewer than two hundred of the span from the first event to the last. Sends from the deliveries, receipts from the minutes. */
async function selectTimeline(trx: Connection, campaignId: number): Promise<GroupAnalytics['timeline']> {
  const { rows } = await sql<{ at: Date; sent: number; delivered: number; read: number }>`
    with event as materialized (
      select date_trunc('minute', d.sent_at) as at, count(*) as sent, 0::bigint as delivered, 0::bigint as read
      from runs r join deliveries d on d.account_id = r.account_id and d.run_id = r.run_id
      where r.campaign_id = ${campaignId} and d.sent_at is not null group by 1
      union all
      select m.minute, 0, m.delivered, m.read
      from runs r join run_minutes m on m.account_id = r.account_id and m.run_id = r.run_id
      where r.campaign_id = ${campaignId}
    ), bucket as (
      select case when span < interval '3 hours' then interval '1 minute' when span < interval '15 hours' then interval '5 minutes'
                  when span < interval '2 days' then interval '15 minutes' when span < interval '8 days' then interval '1 hour'
                  when span < interval '45 days' then interval '6 hours' else interval '1 day' end as width
      from (select max(at) - min(at) as span from event) whole
    )
    select date_bin(width, at, timestamptz '2000-01-01 00:00:00Z') as at, sum(sent)::int as sent, sum(delivered)::int as delivered,
           sum(read)::int as read
    from event, bucket group by 1 order by 1`.execute(trx);
  return rows;
}

function addUp(groups: GroupRow[]): Counts & Engagement & { groups: number } {
  const add = (pick: (row: GroupRow) => number) => groups.reduce((sum, row) => sum + pick(row), 0);
  const addKnown = (pick: (row: GroupRow) => number | null) =>
    groups.reduce<number | null>((sum, row) => {
      const value = pick(row);
      return value === null ? sum : (sum ?? 0) + value;
    }, null);
  return {
    groups: groups.length,
    deliveries: add((row) => row.deliveries),
    queued: add((row) => row.queued),
    sent: add((row) => row.sent),
    failed: add((row) => row.failed),
    cancelled: add((row) => row.cancelled),
    recalled: add((row) => row.recalled),
    corrected: add((row) => row.corrected),
    recipients: add((row) => row.recipients),
    acknowledging: add((row) => row.acknowledging),
    delivered: addKnown((row) => row.delivered),
    read: addKnown((row) => row.read),
    reactions: add((row) => row.reactions),
    replies: addKnown((row) => row.replies),
    views: addKnown((row) => row.views),
  };
}

function countRuns(runs: RunDetails[]): { runs: number; runsDone: number } {
  return { runs: runs.length, runsDone: runs.filter((run) => run.finishedAt !== null).length };
}
