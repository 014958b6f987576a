import type { Actor } from '../audit/record-audit.ts';
import type { Database } from '../database/connect.ts';
import { loadMedia } from '../media/store.ts';
import { readHead } from './get-campaign.ts';
import { moveAhead, type Schedule } from './occurrences.ts';
import { noSuchCampaign, readNow } from './store.ts';

/** What to send to have the same campaign once more. */
export interface CampaignCopy {
  name: string;
  description: string;
  html: string;
  /** A data URL, or null. */
  image: string | null;
  groupIds: number[];
  isChannelCampaign: boolean;
  /** As it was sent, of a campaign without a schedule. */
  scheduleTime: string | null;
  /** null: it is sent at once. */
  schedule: Schedule | null;
}

/**
 * One of the workspace's campaigns as it would be sent again (contract §4, duplicate-campaign); nothing is sent or created. The dates of
 * a schedule that is over are moved ahead by whole weeks, so that it fits the same weekdays. Throws 404.
 */
export async function duplicateCampaign(
  { db }: { db: Database },
  { workspaceId }: Actor,
  publicId: string,
): Promise<CampaignCopy> {
  const { id, ...head } = await readHead(db, workspaceId, publicId);
  const row = await db
    .selectFrom('campaigns as c')
    .innerJoin('contents as t', 't.content_id', 'c.content_id')
    .select(['c.weekdays', 'c.skip_dates as skipDates', 't.html', 't.group_ids as groupIds', 't.media_id as mediaId'])
    .where('c.campaign_id', '=', id)
    .executeTakeFirst();
  if (!row) throw noSuchCampaign();
  const { startDate, endDate, scheduleTime, timeZone } = head;
  const { weekdays, skipDates } = row;
  const schedule =
    startDate === null || endDate === null || scheduleTime === null || timeZone === null
      ? null
      : moveAhead({ startDate, endDate, time: scheduleTime, timeZone, weekdays, skipDates }, await readNow(db));
  const { name, description, isChannelCampaign } = head;
  const { html, groupIds } = row;
  const image = row.mediaId === null ? null : await readDataUrl(db, row.mediaId);
  return { name, description, html, image, groupIds, isChannelCampaign, scheduleTime, schedule };
}

async function readDataUrl(db: Database, mediaId: number): Promise<string> {
  const { mime, bytes } = await loadMedia(db, mediaId);
  return `data:${mime};base64,${bytes.toString('base64')}`;
}
