import { partyIn } from '../../platform/concurrency/requester.ts';
import { hasRow, readRows, sql, type Connection, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { withPermit, type FairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import { readAccountShares, type AccountShare } from '../campaigns/read/account-shares.ts';
import type { DeliveryCounts } from '../campaigns/read/read-progress.ts';
import { readRuns, type RunDetails } from '../campaigns/read/get-campaign.ts';
import { findOwnCampaign, type OwnCampaign } from '../campaigns/store.ts';
import { written } from '../campaigns/roll-up/roll-up-runs.ts';
import type { NamedGroup } from '../groups/store.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';
import { explainFailure, type ExplainedFailure, type StoredFailure } from './explain-failure.ts';
import { findPollResults, type PollResults } from './read-poll-results.ts';
import { readingPermits } from './reading-permits.ts';
import { sumFields } from './sum-fields.ts';
import { readReach, type CampaignReach } from './read-reach.ts';

export interface Counts extends DeliveryCounts {
  /** Of the sent: deleted for everyone afterwards. */
  recalled: number;
  /** Of the sent: edited afterwards. */
  corrected: number;
}

/** null: the messaging application does not tell. */
export interface Engagement {
  recipients: number;
  /** Recipients who send receipts; followers of a channel send none. The denominator of the rates. */
  acknowledging: number;
  delivered: number | null;
  read: number | null;
  reactions: number;
  replies: number | null;
  views: number | null;
}

export interface GroupRow extends NamedGroup, Counts, Engagement, Omit<ExplainedFailure, 'error'> {
  groupExternalId: string | null;
  firstSentAt: Date | null;
  lastSentAt: Date | null;
  /** The cause in English, with what to do about it: of the last failure, or else of the last change that came to nothing. */
  lastError: string | null;
}

export interface GroupAnalytics {
  campaign: OwnCampaign;
  totals: Counts & Engagement & { groups: number; runs: number; runsDone: number; skipped: number };
  groups: GroupRow[];
  runs: RunDetails[];
  /** With `withAccounts`: the shares of the accounts that send. */
  accounts: AccountShare[];
  /** Whether a recall or a correction was requested. */
  isRevised: boolean;
  reach: CampaignReach;
  /** With `withPolls`: of each poll and event; none of a campaign that asks nothing. */
  polls: PollResults[];
  timeline: Array<{ at: Date; sent: number; delivered: number; read: number }>;
}

/**
 * Returns the results of a campaign per group, per run and over time (contract §3), read in one snapshot: totals are the sums of the
 * groups. Throws 404 for a campaign of another workspace, `unavailable` while too many analytics are being read. `permits`: of a process
 * that is simulated within this one.
 */
export async function readGroupAnalytics(
  { db, permits = readingPermits }: { db: Database; permits?: FairSemaphore },
  { workspaceId }: Actor,
  publicId: string,
  { withPolls = false, withAccounts = false }: { withPolls?: boolean; withAccounts?: boolean } = {},
): Promise<GroupAnalytics> {
  const read = () =>
    inSnapshot(db, async (trx) => {
      const campaign = await findOwnCampaign(trx, workspaceId, publicId);
      const id = campaign.campaignId;
      const groups = await selectGroupRows(trx, id);
      const runs = await readRuns(trx, id);
      const runsDone = runs.filter((run) => run.finishedAt !== null).length;
      return {
        campaign,
        totals: { ...addUp(groups), runs: runs.length, runsDone, ...sumFields(runs, ['skipped']) },
        groups,
        runs,
        accounts: withAccounts ? await readAccountShares(trx, id) : [],
        isRevised: await hasRow(trx)`
          select from runs r join revision_requests q on q.workspace_id = r.workspace_id and q.run_id = r.run_id
          where r.campaign_id = ${id} limit 1`,
        reach: await readReach(trx, id),
        polls: withPolls ? await findPollResults(trx, campaign) : [],
        timeline: await selectTimeline(trx, id),
      };
    });
  return withPermit(permits, read, { party: partyIn(workspaceId) });
}

/**
 * Returns a row per group of the campaign, in the given order. Results of ended runs come from the sums, those of other runs from their
 * deliveries, and none from receipts. Deliveries that a begun run has not yet written count by the run's state: queued or cancelled.
 */
async function selectGroupRows(trx: Connection, campaignId: number): Promise<GroupRow[]> {
  const rows = await readRows<FoundRow>(trx)`
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
    ), ${written(campaignId)}, ${revised(campaignId)}
    select t.group_id as "groupId", g.name, g.external_id as "groupExternalId", g.kind, g.participants,
           coalesce(w.queued, 0) + coalesce(u.queued, 0) + coalesce(w.sent, 0) + coalesce(w.failed, 0) + coalesce(w.cancelled, 0)
             + coalesce(u.cancelled, 0) as deliveries,
           coalesce(w.queued, 0) + coalesce(u.queued, 0) as queued, coalesce(w.sent, 0) as sent, coalesce(w.failed, 0) as failed,
           coalesce(w.cancelled, 0) + coalesce(u.cancelled, 0) as cancelled, coalesce(w.recipients, 0) as recipients,
           case when g.kind <> 'channel' then coalesce(w.recipients, 0) else 0 end as acknowledging,
           case when g.kind <> 'channel' then coalesce(w.delivered, 0) end as delivered,
           case when g.kind <> 'channel' then coalesce(w.read, 0) end as read,
           coalesce(w.reactions, 0) as reactions,
           case when g.kind <> 'channel' then coalesce(w.replies, 0) end as replies,
           case when g.kind = 'channel' and w.views_seen then w.views end as views,
           w.first_sent_at as "firstSentAt", w.last_sent_at as "lastSentAt", w.failure, v.failure as "revisionFailure",
           coalesce(v.recalled, 0) as recalled, coalesce(v.corrected, 0) as corrected, w.is_waiting as "isWaiting"
    from target t
    join groups g on g.group_id = t.group_id
    left join written w on w.group_id = t.group_id
    left join unwritten u on u.group_id = t.group_id
    left join revised v on v.group_id = t.group_id
    order by t.position, t.group_id`;
  return rows.map(({ failure, isWaiting, revisionFailure, ...row }) => {
    const { error, ...explained } = explainFailure(failure ?? revisionFailure, isWaiting ?? false);
    return { ...row, ...explained, lastError: error };
  });
}

interface FoundRow extends Omit<GroupRow, keyof ExplainedFailure | 'lastError'> {
  failure: StoredFailure | null;
  /** Another attempt of the failed delivery follows. */
  isWaiting: boolean | null;
  revisionFailure: StoredFailure | null;
}

/** `revised`: what was recalled and corrected, by group. */
const revised = (campaignId: number) => sql`
    revised as (
      select group_id, sum(revised) as revised, sum(recalled)::int as recalled, sum(corrected)::int as corrected,
             (array_agg(failure order by run_id desc) filter (where failure is not null))[1] as failure
      from (
        select s.group_id, s.revised, s.recalled, s.corrected, s.revision_failure as failure, s.revision_error_run_id as run_id
        from campaigns c join group_sums s on s.workspace_id = c.workspace_id and s.campaign_id = c.campaign_id
        where c.campaign_id = ${campaignId} and s.revised > 0
        union all
        select d.group_id, 1, (v.recalled_at is not null)::int, (v.corrected_at is not null)::int, v.failure, v.run_id
        from unsummed u
        cross join lateral (
          select * from revisions v where v.workspace_id = u.workspace_id and v.run_id = u.run_id and v.position > u.summed
          order by v.position) v
        cross join lateral (
          select d.group_id from deliveries d
          where d.workspace_id = v.workspace_id and d.run_id = v.run_id and d.position = v.position limit 1) d
      ) one
      group by group_id
    )`;

/**
 * Divides the span from the first event to the last into fewer than two hundred steps. Receipts come from the minutes and sends from the
 * deliveries; for runs in the sums, both come from the minutes or from their roll-up.
 */
async function selectTimeline(trx: Connection, campaignId: number): Promise<GroupAnalytics['timeline']> {
  return readRows<{ at: Date; sent: number; delivered: number; read: number }>(trx)`
    with event as materialized (
      select date_trunc('minute', d.sent_at) as first_at, date_trunc('minute', d.sent_at) as last_at,
             count(*) as sent, 0::bigint as delivered, 0::bigint as read
      from runs r
      cross join lateral (
        select d.sent_at from deliveries d
        where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.position > r.summed and d.sent_at is not null
        order by d.position) d
      where r.campaign_id = ${campaignId} and r.summed < r.expanded group by 1
      union all
      select m.minute, m.minute, m.sent, m.delivered, m.read
      from runs r join run_minutes m on m.workspace_id = r.workspace_id and m.run_id = r.run_id
      where r.campaign_id = ${campaignId}
      union all
      select s.first_at, s.last_at, s.sent, s.delivered, s.read
      from campaigns c join time_sums s on s.workspace_id = c.workspace_id and s.campaign_id = c.campaign_id
      where c.campaign_id = ${campaignId}
    ), step as (
      select timeline_step(max(last_at) - min(first_at)) as width from event
    )
    select date_bin(width, first_at, timestamptz '2000-01-01 00:00:00Z') as at, sum(sent)::float8 as sent, sum(delivered)::float8 as delivered,
           sum(read)::float8 as read
    from event, step group by 1 order by 1`;
}

function addUp(groups: GroupRow[]): Counts & Engagement & { groups: number } {
  const addKnown = (field: 'delivered' | 'read' | 'replies' | 'views') => {
    const known = groups.map((row) => row[field]).filter((count) => count !== null);
    return known.length === 0 ? null : known.reduce((sum, count) => sum + count);
  };
  return {
    groups: groups.length,
    ...sumFields(groups, ALWAYS_TOLD),
    delivered: addKnown('delivered'),
    read: addKnown('read'),
    replies: addKnown('replies'),
    views: addKnown('views'),
  };
}

const ALWAYS_TOLD = [
  ...(['deliveries', 'queued', 'sent', 'failed', 'cancelled', 'recalled', 'corrected'] as const),
  ...(['recipients', 'acknowledging', 'reactions'] as const),
];
