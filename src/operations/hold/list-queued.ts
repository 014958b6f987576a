import { readRows, sql, type Connection } from '../../platform/database/statements.ts';
import { latestStart } from '../../sending/campaigns/begin/expire-runs.ts';

/** A campaign whose queued posts may have been sent by another copy of this ledger. */
export interface QueuedCampaign {
  /** As everywhere outside: a UUID. */
  campaignId: string;
  name: string;
  /** The owner's name. */
  userName: string;
  /** The choice `send` leaves it paused. */
  isPaused: boolean;
  /** Posts, those of runs that fell due since the ledger was last served among them. */
  queued: number;
  /** Of `queued`, the posts of runs that this ledger knows to have begun. */
  begun: number;
  /** When the first of the other runs fell due; null: there is none. */
  dueSince: Date | null;
  /** Of `queued`, the posts of runs that are too late to begin: the choice `send` leaves them, and they are missed. */
  latePosts: number;
  /** When the ledger knows something of it to have been sent last; null: never. */
  lastSentAt: Date | null;
}

export interface HeldPart {
  campaigns: number;
  posts: number;
  /** When the first of the runs fell due, or will; null: there is none. */
  since: Date | null;
  /** Runs that are too old to be sent by now, and their posts. */
  lateRuns: number;
  latePosts: number;
}

/** What had begun when the ledger was last served, what fell due since, and what was made while it is held, which no copy can have sent. */
export interface HeldParts {
  begun: HeldPart;
  fellDue: HeldPart;
  madeSince: HeldPart;
}

/** Runs `r` of campaigns `c` that another copy of the held ledger `h` may have begun or sent. */
export const isDoubtful = sql<boolean>`
  c.deleted_at is null and c.created_at < h.held_since
  and (r.status = 'running' and r.queued > 0 or r.status = 'planned' and r.due_at <= campanile_now())`;

const isMadeSince = sql<boolean>`c.deleted_at is null and c.created_at >= h.held_since and (r.status = 'planned' or r.queued > 0)`;

/** The runs of a held ledger that are still to be sent, each with its part. */
const heldRuns = sql`
  select r.campaign_id, r.due_at, p.posts,
         case when c.created_at >= h.held_since then 'madeSince' when r.status = 'running' then 'begun' else 'fellDue' end as part,
         r.status = 'planned' and r.due_at <= ${latestStart}
           or c.created_at >= h.held_since and r.status = 'running' and is_stalled(r.progress_at, r.workspace_id) as is_late
  from ledger h
  join runs r on r.status in ('running', 'planned')
  join campaigns c on c.campaign_id = r.campaign_id
  join contents t on t.content_id = coalesce(r.content_id, c.content_id)
  cross join lateral (select case r.status when 'running' then r.queued else cardinality(t.group_ids) end as posts) p
  where ${isDoubtful} or ${isMadeSince}`;

/** Returns the queued deliveries of a held ledger by campaign, oldest first. Empty when the ledger is not held. */
export async function listQueued(db: Connection): Promise<QueuedCampaign[]> {
  return readRows<QueuedCampaign>(db)`
    select c.public_id as "campaignId", c.name, coalesce(u.user_name, '') as "userName", c.status = 'paused' as "isPaused", sum(r.posts)::int as queued,
           coalesce(sum(r.posts) filter (where r.part = 'begun'), 0)::int as begun,
           min(r.due_at) filter (where r.part = 'fellDue') as "dueSince",
           coalesce(sum(r.posts) filter (where r.is_late), 0)::int as "latePosts",
           (select max(s.progress_at) from runs s where s.campaign_id = c.campaign_id and s.sent > 0) as "lastSentAt"
    from (${heldRuns}) r
    join campaigns c on c.campaign_id = r.campaign_id
    join workspaces w on w.workspace_id = c.workspace_id
    left join memberships m on m.workspace_id = coalesce(w.test_of, w.workspace_id) and m.role = 'owner'
    left join users u on u.user_id = m.user_id
    where r.part <> 'madeSince'
    group by c.campaign_id, u.user_name
    order by c.campaign_id`;
}

const NOTHING: HeldPart = { campaigns: 0, posts: 0, since: null, lateRuns: 0, latePosts: 0 };

/** Sums the parts of a held ledger. A campaign may have runs of two. */
export async function sumHeldParts(db: Connection): Promise<HeldParts> {
  const rows = await readRows<HeldPart & { part: string }>(db)`
    select part, count(distinct campaign_id)::int as campaigns, sum(posts)::int as posts, min(due_at) as since,
           count(*) filter (where is_late)::int as "lateRuns", coalesce(sum(posts) filter (where is_late), 0)::int as "latePosts"
    from (${heldRuns}) r group by part`;
  const parts = new Map(rows.map(({ part, ...sums }) => [part, sums]));
  const { begun = NOTHING, fellDue = NOTHING, madeSince = NOTHING } = Object.fromEntries(parts);
  return { begun, fellDue, madeSince };
}
