import type { Connection, Database } from '../database/connect.ts';
import type { CampaignStatus, RunStatus } from '../database/schema.ts';
import { noSuchCampaign } from './store.ts';

export interface CampaignDetails {
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
  weekdays: number[] | null;
  skipDates: string[];
  createdAt: Date;
  finishedAt: Date | null;
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

/** One of the user's campaigns with what it says, to whom, and its runs in order of their due time. Throws 404. */
export async function getCampaign(
  { db }: { db: Database },
  userId: number,
  publicId: string,
): Promise<CampaignDetails> {
  const row = await db
    .selectFrom('campaigns as c')
    .innerJoin('accounts as a', 'a.account_id', 'c.account_id')
    .innerJoin('contents as t', 't.content_id', 'c.content_id')
    .leftJoin('media as m', 'm.media_id', 't.media_id')
    .selectAll('c')
    .select((eb) => [
      't.html',
      't.text',
      't.group_ids',
      'm.mime',
      'm.sha256',
      eb.fn<number>('octet_length', ['m.bytes']).as('size'),
    ])
    .where('c.public_id', '=', publicId)
    .where('a.user_id', '=', userId)
    .executeTakeFirst();
  if (!row) throw noSuchCampaign();
  return {
    campaignId: row.public_id,
    name: row.name,
    description: row.description,
    status: row.status,
    isChannelCampaign: row.is_channel_campaign,
    isSchedule: row.is_schedule,
    startDate: row.start_date,
    endDate: row.end_date,
    scheduleTime: row.schedule_time,
    timeZone: row.time_zone,
    weekdays: row.weekdays,
    skipDates: row.skip_dates,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
    html: row.html,
    text: row.text,
    media:
      row.mime === null || row.sha256 === null
        ? null
        : { mime: row.mime, size: row.size, sha256: row.sha256.toString('hex') },
    groupIds: row.group_ids,
    runs: await selectRuns(db, row.campaign_id),
  };
}

function selectRuns(db: Connection, campaignId: number): Promise<RunDetails[]> {
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
    .where('campaign_id', '=', campaignId)
    .orderBy('due_at')
    .orderBy('run_id')
    .execute();
}
