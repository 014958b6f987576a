import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import type { RunStatus } from '../../../platform/database/schema-ledger.ts';
import type { CampaignStatus, WorkspaceId } from '../../../platform/database/schema.ts';
import { noSuchCampaign } from '../store.ts';

/** What is known of a campaign before it is opened. */
export interface CampaignHead {
  campaignId: string;
  name: string;
  description: string;
  status: CampaignStatus;
  isChannelCampaign: boolean;
  isSchedule: boolean;
  startDate: string | null;
  endDate: string | null;
  scheduleTime: string | null;
  timeZone: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  /** When its single posts were folded into sums; null: they are kept. */
  foldedAt: Date | null;
}

export interface CampaignDetails extends CampaignHead {
  weekdays: number[] | null;
  skipDates: string[];
  html: string;
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
  groupIds: number[];
  runs: RunDetails[];
}

export interface RunDetails {
  runId: number;
  dueAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  status: RunStatus;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
}

/** One of the workspace's campaigns with what it says, to whom, and its runs in order of their due time. Throws 404. */
export async function getCampaign(
  { db }: { db: Database },
  { workspaceId }: Actor,
  publicId: string,
): Promise<CampaignDetails> {
  const { id, ...head } = await readHead(db, workspaceId, publicId);
  const row = await db
    .selectFrom('campaigns as c')
    .innerJoin('contents as t', 't.content_id', 'c.content_id')
    .leftJoin('media as m', 'm.media_id', 't.media_id')
    .select([
      'c.weekdays',
      'c.skip_dates as skipDates',
      't.html',
      't.text',
      't.group_ids as groupIds',
      'm.mime',
      'm.sha256',
      'm.size',
    ])
    .where('c.campaign_id', '=', id)
    .executeTakeFirst();
  if (!row) throw noSuchCampaign();
  const { mime, sha256, size, ...content } = row;
  const media =
    mime === null || size === null || sha256 === null ? null : { mime, size, sha256: sha256.toString('hex') };
  return { ...head, ...content, media, runs: await readRuns(db, id) };
}

/** One of the workspace's campaigns, with the number by which the ledger knows it. Throws 404. */
export async function readHead(
  db: Connection,
  workspaceId: WorkspaceId,
  publicId: string,
): Promise<CampaignHead & { id: number }> {
  const head = await db
    .selectFrom('campaigns as c')
    .innerJoin('accounts as a', 'a.account_id', 'c.account_id')
    .select([
      'c.campaign_id as id',
      'c.public_id as campaignId',
      'c.name',
      'c.description',
      'c.status',
      'c.is_channel_campaign as isChannelCampaign',
      'c.is_schedule as isSchedule',
      'c.start_date as startDate',
      'c.end_date as endDate',
      'c.schedule_time as scheduleTime',
      'c.time_zone as timeZone',
      'c.created_at as createdAt',
      'c.finished_at as finishedAt',
      'c.folded_at as foldedAt',
    ])
    .where('c.public_id', '=', publicId)
    .where('c.deleted_at', 'is', null)
    .where('a.workspace_id', '=', workspaceId)
    .executeTakeFirst();
  if (!head) throw noSuchCampaign();
  return head;
}

/** A campaign's runs in order of their due time. */
export function readRuns(db: Connection, id: number): Promise<RunDetails[]> {
  return db
    .selectFrom('runs')
    .select([
      'run_id as runId',
      'due_at as dueAt',
      'started_at as startedAt',
      'finished_at as finishedAt',
      'status',
      'queued',
      'sent',
      'failed',
      'cancelled',
    ])
    .where('campaign_id', '=', id)
    .orderBy('due_at')
    .orderBy('run_id')
    .execute();
}
