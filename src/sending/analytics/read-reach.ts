import { readOne, readRows, type Connection } from '../../platform/database/statements.ts';
import type { StoredFailure } from './explain-failure.ts';

/** Pins, mentions of everybody, quotes and members left out, of a campaign in one group. */
export interface Reach {
  /** Posts that are pinned now. */
  pinned: number;
  /** When the last of them stops being pinned. */
  pinnedUntil: Date | null;
  /** Posts that were pinned and then unpinned. */
  unpinned: number;
  /** Posts that are still to be pinned or unpinned. */
  pinsWaiting: number;
  /** Posts whose last request to pin or unpin came to nothing. */
  pinsFailed: number;
  /** Why the latest run with a failure was not pinned or unpinned. */
  pinFailure: StoredFailure | null;
  /** Posts that mention everybody. */
  mentions: number;
  /** Posts that left without the mention of everybody. */
  mentionsLeftOut: number;
  /** Why, of the latest of them. */
  mentionLeftOut: StoredFailure | null;
  /** Sent posts that quote an earlier one. */
  quotes: number;
  /** Members whom the latest post left out, of those that left somebody out: no device of theirs is known. */
  withoutDevices: number;
}

export interface CampaignReach {
  /** A pin was requested, with the post or later. */
  hasPins: boolean;
  /** Some run has begun whose posts mention everybody. */
  hasMentions: boolean;
  /** Some run has begun whose posts reply to an earlier campaign. */
  hasQuotes: boolean;
  groups: ReadonlyMap<number, Reach>;
}

export const NO_REACH: Reach = {
  pinned: 0,
  pinnedUntil: null,
  unpinned: 0,
  pinsWaiting: 0,
  pinsFailed: 0,
  pinFailure: null,
  mentions: 0,
  mentionsLeftOut: 0,
  mentionLeftOut: null,
  quotes: 0,
  withoutDevices: 0,
};

type Pins = Pick<Reach, 'pinned' | 'pinnedUntil' | 'unpinned' | 'pinsWaiting' | 'pinsFailed' | 'pinFailure'>;
type Mentions = Pick<Reach, 'mentions' | 'mentionsLeftOut' | 'mentionLeftOut'>;
type OfGroup<Part> = Part & { groupId: number };

/** Reads what became of the pins, mentions and quotes of a campaign. */
export async function readReach(trx: Connection, campaignId: number): Promise<CampaignReach> {
  const pins = await readRows<OfGroup<Pins>>(trx)`
    select p.group_id as "groupId", count(*) filter (where t.is_pinned)::int as pinned,
           max(p.pinned_until) filter (where t.is_pinned) as "pinnedUntil",
           count(*) filter (where p.pinned_at is not null and p.pinned_until is null)::int as unpinned,
           count(*) filter (where p.wanted is not null)::int as "pinsWaiting",
           count(*) filter (where p.wanted is null and p.failure is not null)::int as "pinsFailed",
           (array_agg(p.failure order by p.run_id desc) filter (where p.failure is not null))[1] as "pinFailure"
    from runs r join pins p on p.workspace_id = r.workspace_id and p.run_id = r.run_id
    cross join lateral (
      select p.pinned_until > campanile_now() and not exists (
        select from revisions v
        where v.workspace_id = p.workspace_id and v.run_id = p.run_id and v.position = p.position and v.recalled_at is not null) as is_pinned) t
    where r.campaign_id = ${campaignId} group by p.group_id`;
  const mentions = await readRows<OfGroup<Mentions>>(trx)`
    select m.group_id as "groupId", count(*) filter (where m.left_out is null)::int as mentions,
           count(*) filter (where m.left_out is not null)::int as "mentionsLeftOut",
           (array_agg(m.left_out order by m.run_id desc) filter (where m.left_out is not null))[1] as "mentionLeftOut"
    from runs r join everyone_mentions m on m.workspace_id = r.workspace_id and m.run_id = r.run_id
    where r.campaign_id = ${campaignId} group by m.group_id`;
  const leftOut = await readRows<OfGroup<Pick<Reach, 'withoutDevices'>>>(trx)`
    select d.group_id as "groupId", (array_agg(m.members order by m.run_id desc))[1] as "withoutDevices"
    from runs r join members_without_devices m on m.workspace_id = r.workspace_id and m.run_id = r.run_id
    cross join lateral (
      select group_id from deliveries q
      where q.workspace_id = m.workspace_id and q.run_id = m.run_id and q.position = m.position limit 1) d
    where r.campaign_id = ${campaignId} group by d.group_id`;
  const wanted = await readOne<{ pins: boolean; quotes: boolean }>(trx)`
    select coalesce(bool_or(pin_seconds is not null), false) as pins, coalesce(bool_or(reply_run_id is not null), false) as quotes
    from runs where campaign_id = ${campaignId}`;
  const groups = new Map<number, Reach>();
  for (const { groupId, ...found } of [
    ...pins,
    ...mentions,
    ...leftOut,
    ...(wanted.quotes ? await countQuotes(trx, campaignId) : []),
  ])
    groups.set(groupId, { ...(groups.get(groupId) ?? NO_REACH), ...found });
  return {
    hasPins: pins.length > 0 || wanted.pins,
    hasMentions: mentions.length > 0,
    hasQuotes: wanted.quotes,
    groups,
  };
}

/**
 * The condition under which a post quotes is that of `addressTurn` (deliveries/send-turn.ts). Replies and what they quote are put beside
 * each other and not joined: right after a large run its rows are unknown to the planner, which would compare each post with each.
 */
async function countQuotes(trx: Connection, campaignId: number): Promise<Array<OfGroup<Pick<Reach, 'quotes'>>>> {
  return readRows<OfGroup<Pick<Reach, 'quotes'>>>(trx)`
    with run as materialized (
      select workspace_id, run_id, reply_run_id, started_at from runs where campaign_id = ${campaignId} and reply_run_id is not null
    ), post as (
      select r.run_id, d.group_id, false as is_quoted
      from run r join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      where d.status = 'sent'
      union all
      select r.run_id, q.group_id, true
      from run r join deliveries q on q.workspace_id = r.workspace_id and q.run_id = r.reply_run_id
      where q.status = 'sent' and q.sent_at < r.started_at and not exists (
        select from revisions v
        where v.workspace_id = q.workspace_id and v.run_id = q.run_id and v.position = q.position and v.recalled_at < r.started_at)
    ), reply as (
      select run_id, group_id from post group by run_id, group_id having bool_or(is_quoted) and not bool_and(is_quoted)
    )
    select y.group_id as "groupId", count(*)::int as quotes
    from reply y join groups g on g.group_id = y.group_id
    where g.kind <> 'channel'
    group by y.group_id`;
}
