import { execute, hasRow, readOne, readValue, sql, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { TZDATA_VERSION } from '../../platform/time/tzdata-version.ts';
import type { Template } from '../../content/post/fill-post.ts';
import { storeExtras, type PostExtras } from '../../content/post/post-extras.ts';
import { planSyncsBeforeRuns } from '../accounts/plan-syncs.ts';
import type { Schedule } from './occurrences.ts';
import { insertTags, TAGS, type CampaignOwnData } from './tags.ts';
import { STORED_EXTRAS } from '../../content/post/stored-extras.ts';

/** When a campaign goes out, as its owner put it. */
export interface Plan {
  isSchedule: boolean;
  scheduleTime: string | null;
  /** Of a schedule; dates are `YYYY-MM-DD`. */
  startDate: string | null;
  endDate: string | null;
  timeZone: string | null;
  weekdays: readonly number[] | null;
  skipDates: readonly string[];
  /** RFC 5545. Absent, since the hash of a post that is asked for has no field that was not sent, or null: every day. */
  recurrence?: string | null;
}

/** What is written when a campaign is accepted. */
export interface NewCampaign extends CampaignOwnData {
  workspaceId: WorkspaceId;
  name: string;
  description: string;
  isChannelCampaign: boolean;
  /** Default is false. */
  isTest?: boolean;
  plan: Plan;
  html: string;
  text: string;
  mediaId: number | null;
  extras: PostExtras;
  /** Of a post with fields. */
  template?: Template | undefined;
  /** In the order given, without repeats. */
  groupIds: number[];
  dueAt: Date[];
  /** As in `PlannedPart`. Default is null. */
  plannedUntil?: Date | null;
}

export interface StoredCampaign {
  campaignId: number;
  publicId: string;
}

export const storeTemplate = (template: Template | null | undefined): string | null =>
  template ? JSON.stringify(template) : null;

/** Writes campaign, content and planned runs. The ledger must be locked, so that run ids rise in order of acceptance. */
export async function insertCampaign(trx: Connection, campaign: NewCampaign): Promise<StoredCampaign> {
  const { plan, plannedUntil = null } = campaign;
  // With its tags in one statement: the event that it is accepted is written at the end of it, and has them.
  const stored = await readOne<StoredCampaign>(trx)`
    with stored as (
      insert into campaigns (workspace_id, name, description, is_channel_campaign, is_test, is_schedule, schedule_time, start_date, end_date,
                             time_zone, weekdays, skip_dates, recurrence, planned_until, status, open_runs, tzdata_version, external_id, metadata)
      values (${campaign.workspaceId}, ${campaign.name}, ${campaign.description}, ${campaign.isChannelCampaign}, ${campaign.isTest ?? false},
              ${plan.isSchedule}, ${plan.scheduleTime}, ${plan.startDate}, ${plan.endDate}, ${plan.timeZone}, ${plan.weekdays},
              ${plan.skipDates}, ${plan.recurrence ?? null}, ${plannedUntil}, ${plan.isSchedule ? 'scheduled' : 'running'},
              ${campaign.dueAt.length + (plannedUntil ? 1 : 0)}, ${TZDATA_VERSION},
              ${campaign.externalId ?? null}, ${JSON.stringify(campaign.metadata ?? {})}::jsonb)
      returning workspace_id, campaign_id, public_id
    ), tag as (${insertTags(sql`select workspace_id, campaign_id from stored`, campaign.tags)})
    select campaign_id as "campaignId", public_id as "publicId" from stored`;
  await execute(trx)`
    with content as (
      insert into contents (campaign_id, html, text, media_id, extras, group_ids, template)
      values (${stored.campaignId}, ${campaign.html}, ${campaign.text}, ${campaign.mediaId}, ${storeExtras(campaign.extras)}::jsonb,
              ${campaign.groupIds}::bigint[], ${storeTemplate(campaign.template)}::jsonb)
      returning content_id
    ), run as (
      insert into runs (workspace_id, campaign_id, due_at)
      select ${campaign.workspaceId}::bigint, ${stored.campaignId}::bigint, due_at
      from unnest(${campaign.dueAt}::timestamptz[]) d (due_at) order by due_at
    )
    update campaigns set content_id = (select content_id from content) where campaign_id = ${stored.campaignId}`;
  if (plan.isSchedule) await planSyncsBeforeRuns(trx, campaign.workspaceId);
  return stored;
}

/** One of the workspace's campaigns, without its content and its runs. */
export type OwnCampaign = Awaited<ReturnType<typeof findOwnCampaign>>;

/** Throws 404 when the workspace has no campaign with this public id. */
export async function findOwnCampaign(db: Connection, workspaceId: WorkspaceId, publicId: string) {
  const row = await db
    .selectFrom('campaigns as c')
    .select([
      'c.campaign_id as campaignId',
      'c.public_id as publicId',
      'c.workspace_id as workspaceId',
      'c.name',
      'c.description',
      'c.status',
      /** The refusal for which the service paused it; null: a user did, or it is not paused. */
      sql<string | null>`case when c.status = 'paused' then c.pause_reason end`.as('pauseReason'),
      'c.is_channel_campaign as isChannelCampaign',
      'c.is_schedule as isSchedule',
      /** `YYYY-MM-DD`. */
      'c.start_date as startDate',
      'c.end_date as endDate',
      /** As it was sent; of a schedule `HH:MM:SS`. */
      'c.schedule_time as scheduleTime',
      /** IANA, of a schedule. */
      'c.time_zone as timeZone',
      /** 1 is Monday; null: every day. */
      'c.weekdays',
      'c.skip_dates as skipDates',
      /** RFC 5545; null: every day. */
      'c.recurrence',
      'c.created_at as createdAt',
      'c.finished_at as finishedAt',
      /** When it was compacted: its deliveries were replaced by sums. null: they are kept. */
      'c.folded_at as foldedAt',
      /** Its program's own id of it, and texts by key. */
      'c.external_id as externalId',
      sql<Record<string, string>>`c.metadata`.as('metadata'),
      TAGS.as('tags'),
    ])
    .where('c.public_id', '=', publicId)
    .where('c.deleted_at', 'is', null)
    .where('c.workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (!row) throw noSuchCampaign();
  return row;
}

/** Returns the id of a campaign of the workspace; undefined if the workspace has none with this public id. */
export async function findCampaignOfWorkspace(db: Connection, workspaceId: WorkspaceId, publicId: string) {
  return readValue<number>(db)`
    select campaign_id from campaigns
    where public_id = ${publicId} and workspace_id = ${workspaceId} and deleted_at is null`;
}

/** Returns the schedule of a campaign; undefined for one that was sent at once. */
export function scheduleOf(campaign: Pick<Plan, Exclude<keyof Plan, 'isSchedule'>>): Schedule | undefined {
  const { startDate, endDate, scheduleTime: time, timeZone, weekdays, skipDates, recurrence = null } = campaign;
  if (startDate === null || time === null || timeZone === null) return undefined;
  return { startDate, endDate, time, timeZone, weekdays, skipDates, recurrence };
}

/** Returns whether a run of a campaign is planned, or is yet to be. What has begun keeps its content. */
export const hasRunsToCome = (db: Connection, campaignId: number): Promise<boolean> => hasRow(db)`
  select from runs where campaign_id = ${campaignId} and status = 'planned'
  union all select from campaigns where campaign_id = ${campaignId} and planned_until is not null limit 1`;

/** What the runs of a campaign that have not begun will say, and to whom. */
export type Content = Awaited<ReturnType<typeof readContent>>;

export async function readContent(db: Connection, campaignId: number) {
  const content = await db
    .selectFrom('campaigns as c')
    .innerJoin('contents as t', 't.content_id', 'c.content_id')
    .select([
      't.html',
      't.text',
      't.media_id as mediaId',
      STORED_EXTRAS.as('extras'),
      't.group_ids as groupIds',
      sql<Template | null>`t.template`.as('template'),
    ])
    .where('c.campaign_id', '=', campaignId)
    .executeTakeFirst();
  if (!content) throw noSuchCampaign();
  return content;
}

/** Gives a campaign another content for what has not begun, and drops what no run points to. The ledger must be locked. */
export async function writeContent(trx: Connection, campaignId: number, content: Content): Promise<void> {
  const { html, text, mediaId, extras, groupIds, template } = content;
  const contentId = await readValue<number>(trx)`
    with written as (
      insert into contents (campaign_id, html, text, media_id, extras, group_ids, template)
      values (${campaignId}, ${html}, ${text}, ${mediaId}, ${storeExtras(extras)}::jsonb, ${groupIds}::bigint[], ${storeTemplate(template)}::jsonb)
      returning content_id
    )
    update campaigns set content_id = (select content_id from written) where campaign_id = ${campaignId}
    returning content_id`;
  await execute(trx)`
    delete from contents t where t.campaign_id = ${campaignId} and t.content_id <> ${contentId ?? null}
      and not exists (select from runs r where r.campaign_id = t.campaign_id and r.content_id = t.content_id)`;
}

export function noSuchCampaign(): AppError {
  return new AppError('campaign_not_found', 'You have no campaign with this id', {
    details: [fieldError('campaign_id', 'unknown_id', { of: 'campaigns' })],
  });
}
