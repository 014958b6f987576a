/** What a ledger says in the end, as the last line of a history. */
import { readColumn, readRows, type Database } from '../../src/platform/database/statements.ts';
import type { GroupAnalytics } from '../../src/sending/analytics/group-analytics.ts';
import type { WorkspaceId } from '../../src/platform/database/schema.ts';
import type { Overview } from '../../src/sending/analytics/read-overview.ts';
import { OPTION_COUNT } from './polls.ts';
import type {
  Counted,
  FinalActivity,
  FinalCampaign,
  FinalDelivery,
  FinalGroup,
  FinalOverview,
  FinalPoll,
  FinalWay,
  Happening,
} from './line.ts';

interface CampaignRow extends Omit<FinalCampaign, 'totals' | 'groups' | 'timeline'> {
  workspaceId: WorkspaceId;
}

export async function readFinal(
  db: Database,
  read: {
    analytics: (workspaceId: WorkspaceId, campaign: string) => Promise<GroupAnalytics>;
    /** By account, of the users that are not deleted. */
    overviews: () => Promise<Map<number, Overview>>;
    activities: () => Promise<FinalActivity[]>;
  },
): Promise<Extract<Happening, { kind: 'final' }>> {
  const rows = await readRows<CampaignRow>(db)`
    select c.public_id::text as campaign, c.name as text, c.status, c.deleted_at is not null as deleted, c.workspace_id as "workspaceId",
           a.account_id as "accountId",
           coalesce((select jsonb_agg(jsonb_build_object('runId', r.run_id, 'status', r.status, 'targets', r.targets,
                                               'dueMs', (extract(epoch from r.due_at) * 1000)::float8,
                                               'startedMs', (extract(epoch from r.started_at) * 1000)::float8,
                                               'finishedMs', (extract(epoch from r.finished_at) * 1000)::float8) order by r.run_id)
                     from runs r where r.campaign_id = c.campaign_id), '[]') as runs
    from campaigns c join accounts a on a.workspace_id = c.workspace_id and a.is_default order by c.campaign_id`;
  const campaigns: FinalCampaign[] = [];
  for (const { workspaceId, ...row } of rows) {
    const analytics = row.deleted ? undefined : await read.analytics(workspaceId, row.campaign);
    campaigns.push({
      ...row,
      totals: analytics ? count(analytics.totals) : null,
      groups: analytics?.groups.map((group) => ({ groupId: group.groupId, ...count(group) })) ?? [],
      timeline: analytics?.timeline.map(({ at, ...sums }) => ({ atMs: at.getTime(), ...sums })) ?? [],
    });
  }
  const lanes = await readRows<{ inHand: number; stopped: number }>(db)`
    select count(in_hand_run_id)::int as "inHand", count(*) filter (where held_until = 'infinity')::int as stopped from lanes`;
  const deliveries = await readDeliveries(db);
  return {
    kind: 'final',
    campaigns,
    deliveries,
    overviews: [...(await read.overviews())].map(toFinalOverview),
    groups: await readGroups(db),
    disabledWebhooks: await readDisabledWebhooks(db),
    activities: await read.activities(),
    polls: await readPolls(db),
    ways: await readWays(db),
    inHand: lanes[0]?.inHand ?? 0,
    stoppedAccounts: lanes[0]?.stopped ?? 0,
  };
}

async function readDeliveries(db: Database): Promise<FinalDelivery[]> {
  const rows = await readRows<FinalDelivery>(db)`
    select c.public_id::text as campaign, d.run_id as "runId", d.position, d.group_id as "groupId", d.message_id as "messageId", d.status,
           d.uncertain, (extract(epoch from d.sent_at) * 1000)::float8 as "sentMs", coalesce(d.recipients, 0) as recipients, d.delivered, d.read, d.reactions, d.replies, d.views, d.error, d.error_code as "errorCode", v.recalled_at is not null as "isRecalled",
           v.corrected_at is not null as "isCorrected", v.failure ->> 'error' as "revisionError",
           case when p.wanted is not null then 'waiting' when p.pinned_until is not null then 'pinned'
                when p.position is not null then 'not pinned' end as pin, p.failure as "pinFailure", case when m.position is not null then m.left_out is not null end as "isMentionLeftOut"
    from deliveries d join runs r on r.workspace_id = d.workspace_id and r.run_id = d.run_id join campaigns c on c.campaign_id = r.campaign_id
    left join revisions v on v.workspace_id = d.workspace_id and v.run_id = d.run_id and v.position = d.position
    left join pins p on p.workspace_id = d.workspace_id and p.run_id = d.run_id and p.position = d.position
    left join everyone_mentions m on m.workspace_id = d.workspace_id and m.run_id = d.run_id and m.position = d.position
    order by d.workspace_id, d.run_id, d.position`;
  return rows;
}

async function readPolls(db: Database): Promise<FinalPoll[]> {
  const rows = await readRows<Omit<FinalPoll, 'votes'> & { counts: number[] }>(db)`
    select p.run_id as "runId", p.group_id as "groupId", p.counts, p.counts[1] as voters, p.counts[2] as unreadable,
           (select array_agg(count order by number) from (
              select n.number, sum(n.count)::int as count from poll_results q, unnest(q.counts) with ordinality n (count, number)
              where q.workspace_id = p.workspace_id and q.run_id = p.run_id group by 1) s)
           = (select array_agg(count order by number) from (
              select n.number, sum(n.count)::int as count from poll_hours q, unnest(q.counts) with ordinality n (count, number)
              where q.workspace_id = p.workspace_id and q.run_id = p.run_id group by 1) s) as "isRunEven"
    from poll_results p order by p.run_id, p.group_id`;
  return rows.map(({ counts, ...poll }) => ({ ...poll, votes: counts.slice(2, 2 + OPTION_COUNT) }));
}

async function readGroups(db: Database): Promise<FinalGroup[]> {
  const rows = await readRows<FinalGroup>(db)`
    select a.account_id as "accountId", g.chat_id as "chatId", g.removed_at is not null as "isRemoved", g.can_send as "canSend"
    from groups g join accounts a on a.workspace_id = g.workspace_id and a.is_default order by g.group_id`;
  return rows;
}

async function readWays(db: Database): Promise<FinalWay[]> {
  const rows = await readRows<FinalWay>(db)`
    select m.account_id as "accountId", m.group_id as "groupId", m.gone_at is not null as "isGone", m.can_send as "canSend"
    from group_accounts m join accounts a using (account_id)
    where exists (select from accounts f where f.workspace_id = a.workspace_id and not f.is_default)
    order by m.group_id, m.account_id`;
  return rows;
}

async function readDisabledWebhooks(db: Database): Promise<number[]> {
  return readColumn<number>(db)`
    select a.account_id as "accountId" from webhooks w join accounts a on a.workspace_id = w.workspace_id and a.is_default
    where w.disabled_at is not null order by a.account_id`;
}

function count(counted: Counted): Counted {
  const { deliveries, queued, sent, failed, cancelled, recalled, corrected } = counted;
  const { delivered, read, reactions, replies, views } = counted;
  return {
    deliveries,
    queued,
    sent,
    failed,
    cancelled,
    recalled,
    corrected,
    delivered,
    read,
    reactions,
    replies,
    views,
  };
}

function toFinalOverview([accountId, { totals, daily }]: [number, Overview]): FinalOverview {
  const pick = ({ runs, sent, failed, delivered, read }: FinalOverview['daily'][number] | Overview['totals']) => ({
    runs,
    sent,
    failed,
    delivered,
    read,
  });
  return {
    accountId,
    totals: { ...pick(totals), campaigns: totals.campaigns, groups: totals.groups },
    daily: daily.map((day) => ({ date: day.date, ...pick(day) })),
  };
}
