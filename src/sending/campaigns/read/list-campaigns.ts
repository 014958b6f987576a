import { readCount, readRows, sql, type RawBuilder, type Database } from '../../../platform/database/statements.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { CampaignStatus } from '../../../platform/database/schema.ts';
import { hasOwnData, type StoredOwnData } from '../../accounts/own-data.ts';
import { readTimeZone } from '../accept/add-scheduled-campaign.ts';
import { spanOf } from '../occurrences.ts';
import { acknowledging } from '../roll-up/roll-up-runs.ts';
import { isTag, listTags, TAGS, type CampaignOwnData } from '../tags.ts';
import { kindOfContent, type ListedPost } from './list-runs.ts';

export interface CampaignFilter extends Omit<CampaignOwnData, 'tags'> {
  /** However it is written. */
  tag?: string | undefined;
  status?: CampaignStatus | undefined;
  /** Words of the name and the post. */
  search?: string | undefined;
  /** Accepted on this day or later, in the user's time zone: `2026-12-01`. */
  createdFrom?: string | undefined;
  /** Accepted on this day or before. */
  createdTo?: string | undefined;
  limit: number;
  /** Newest first unless given. */
  sort?: { by: CampaignColumn; descending: boolean } | undefined;
  /** `next` of the page before; null: from the first on. */
  after: number | null;
  /** Also of all that are found how many there are. */
  withTotals?: boolean;
  /** Also who could have read it, which takes longer to find out. */
  withReads?: boolean;
  /** Only posts of this kind. */
  postKind?: ListedPost['kind'] | undefined;
  /** Also which tags are in use. */
  withTags?: boolean;
  /** Also tests. */
  withTests?: boolean;
  /** Also to how many groups it goes, with which file, and what kind of post it is. */
  withPost?: boolean;
}

/** Characters. */
const EXCERPT = 100;

export type CampaignColumn = 'created_at' | 'name' | 'next_run_at';

export interface CampaignSummary extends StoredOwnData {
  campaignId: string;
  name: string;
  status: CampaignStatus;
  tags: string[];
  isSchedule: boolean;
  /** It leaves out groups that have read an earlier campaign. */
  isFollowUp: boolean;
  createdAt: Date;
  nextRunAt: Date | null;
  deliveries: number;
  sent: number;
  failed: number;
  /** Members, each once for a post and group. Of channels nothing is told. */
  delivered: number;
  read: number;
  /** Members who could have told that they read it, each once for a post; 0 unless asked for. */
  acknowledging: number;
  /** All its posts were asked to be deleted for everyone; false unless asked for. */
  recalled: boolean;
  /** That its next run goes to, or its last one went to; null unless asked for. */
  groupCount: number | null;
  /** The type of its file; null: it has none, or was not asked for. */
  mediaMime: string | null;
  /** null unless asked for. */
  postKind: ListedPost['kind'] | null;
  /** The beginning of what members read; null unless asked for. */
  excerpt: string | null;
}

export interface CampaignPage {
  campaigns: CampaignSummary[];
  /** Of all that were found, on whatever page; undefined where nobody asked for it. */
  totals: { campaigns: number } | undefined;
  /** All that campaigns of the workspace carry; undefined where nobody asked for them. */
  tags: string[] | undefined;
  /** Where the next page begins; null: this was the last. */
  next: number | null;
}

/**
 * The workspace's campaigns, newest first unless in another order. Newest first a page stays right while campaigns are added: its place
 * is a campaign. In another order it is how many came before.
 */
export async function listCampaigns(
  deps: { db: Database; timeZone: string },
  actor: Actor,
  filter: CampaignFilter,
): Promise<CampaignPage> {
  const { db } = deps;
  const { limit, sort, after, withTotals = false } = filter;
  const found = await whereOf(deps, actor, filter);
  const { source, id } = sourceOf(filter);
  const isOnPage = sort ? sql`true` : sql`(${after}::bigint is null or ${id} < ${after})`;
  const offset = sort ? (after ?? 0) : 0;
  const rows = await readRows<CampaignSummary & { id: number }>(db)`
    select c.campaign_id as id, c.public_id as "campaignId", c.name, c.external_id as "externalId", c.metadata, ${TAGS} as tags, c.status, c.is_schedule as "isSchedule",
           coalesce((select t.extras ? 'followUp' from contents t where t.content_id = c.content_id), false) as "isFollowUp", c.created_at as "createdAt",
           r.next_run_at as "nextRunAt", r.deliveries, r.sent, r.failed, r.delivered, r.read, r.acknowledging, r.recalled,
           post."groupCount", post."mediaMime", post."postKind", post.excerpt
    from ${source}
    cross join lateral (
      select min(r.due_at) filter (where r.status = 'planned') as next_run_at,
             coalesce(sum(queued + sent + failed + cancelled), 0)::int as deliveries,
             coalesce(sum(sent), 0)::int as sent, coalesce(sum(failed), 0)::int as failed,
             coalesce(sum(delivered), 0)::int as delivered, coalesce(sum(read), 0)::int as read,
             coalesce(sum(${filter.withReads ? acknowledging : sql`0`}), 0)::float8 as acknowledging,
             coalesce(bool_and(coalesce(q.kind = 'recall', false)) filter (where r.sent > 0), false) as recalled
      from runs r
      left join revision_requests q on ${filter.withReads ?? false}::boolean and q.workspace_id = r.workspace_id and q.run_id = r.run_id
      where r.campaign_id = c.campaign_id
    ) r
    left join lateral (
      select cardinality(t.group_ids) as "groupCount", m.mime as "mediaMime", ${kindOfContent} as "postKind",
             left(coalesce(nullif(t.text, ''), t.extras #>> '{poll,question}', t.extras #>> '{event,name}'), ${EXCERPT}) as excerpt
      from contents t left join media m on m.media_id = coalesce(t.media_id, (t.extras #>> '{files,0,mediaId}')::bigint)
      where ${filter.withPost ?? false}::boolean and t.content_id = c.content_id
    ) post on true
    where ${found} and ${isOnPage}
    order by ${orderOf(sort, id)} limit ${limit + 1} offset ${offset}`;
  const page = rows.slice(0, limit);
  const next = sort ? offset + limit : (page.at(-1)?.id ?? null);
  return {
    campaigns: page.map(({ id: _id, ...campaign }) => campaign),
    totals: withTotals ? { campaigns: await readCount(db)`select count(*) from ${source} where ${found}` } : undefined,
    tags: filter.withTags ? await listTags(db, actor.workspaceId, filter.withTests ?? false) : undefined,
    next: rows.length > limit ? next : null,
  };
}

/** All campaigns, or those of a tag, read in the order of its index, whatever is known of the tables (docs/explanation/decisions/0022). */
function sourceOf({ tag }: CampaignFilter): { source: RawBuilder<unknown>; id: RawBuilder<number> } {
  if (tag === undefined) return { source: sql`campaigns c`, id: sql`c.campaign_id` };
  const campaign = sql`select * from campaigns where campaign_id = t.campaign_id limit 1`;
  return { source: sql`campaign_tags t cross join lateral (${campaign}) c`, id: sql`t.campaign_id` };
}

async function whereOf(
  deps: { db: Database; timeZone: string },
  { userId, workspaceId }: Actor,
  filter: CampaignFilter,
): Promise<RawBuilder<unknown>> {
  const [status, search] = [filter.status ?? null, filter.search ?? null];
  const { createdFrom, createdTo, postKind = null } = filter;
  const isDated = createdFrom !== undefined || createdTo !== undefined;
  const zone = isDated ? await readTimeZone(deps, userId) : deps.timeZone;
  const beginsAt = createdFrom === undefined ? null : spanOf(createdFrom, createdFrom, zone).beginsAt;
  const endsAt = createdTo === undefined ? null : spanOf(createdTo, createdTo, zone).endsAt;
  return sql`c.workspace_id = ${workspaceId} and c.deleted_at is null
      and (${filter.withTests ?? false}::boolean or not c.is_test)
      and ${hasOwnData(filter)}
      and ${filter.tag === undefined ? sql`true` : isTag(workspaceId, filter.tag)}
      and (${postKind}::text is null or exists (
        select from contents t where t.content_id = c.content_id and ${kindOfContent} = ${postKind}))
      and (${status}::campaign_status is null or c.status = ${status}::campaign_status)
      and (${search}::text is null or has_words(concat_ws(' ', plain_text(c.name), (
        select concat_ws(' ', t.said, (select string_agg(plain_text(o ->> 'text'), ' ') from jsonb_array_elements(t.template -> 'translations') o))
        from contents t where t.content_id = c.content_id)), ${search}::text))
      and (${beginsAt}::timestamptz is null or c.created_at >= ${beginsAt})
      and (${endsAt}::timestamptz is null or c.created_at < ${endsAt})`;
}

/** Campaigns that are alike go by their age, those without a next run come last. */
function orderOf(sort: CampaignFilter['sort'], id: RawBuilder<number>): RawBuilder<unknown> {
  if (!sort) return sql`${id} desc`;
  const way = sort.descending ? sql`desc` : sql`asc`;
  switch (sort.by) {
    case 'created_at':
      return sql`c.campaign_id ${way}`;
    case 'name':
      return sql`lower(c.name) ${way}, c.campaign_id ${way}`;
    case 'next_run_at':
      return sql`r.next_run_at ${way} nulls last, c.campaign_id ${way}`;
    default:
      return sort.by satisfies never;
  }
}
