import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import type { RunStatus } from '../../../platform/database/schema-ledger.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { STORED_EXTRAS } from '../../../content/post/stored-extras.ts';
import { findOwnCampaign, noSuchCampaign, type OwnCampaign } from '../store.ts';

export interface CampaignDetails extends OwnCampaign {
  html: string;
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
  extras: PostExtras;
  groupIds: number[];
  runs: RunDetails[];
}

export interface RunDetails {
  runId: number;
  dueAt: Date;
  /** The instant that the schedule gave it; null: it was not moved. */
  movedFrom: Date | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  status: RunStatus;
  queued: number;
  sent: number;
  failed: number;
  cancelled: number;
}

/** Returns a campaign of the workspace with its content, groups and runs, by due time. Throws 404. */
export async function getCampaign(
  { db }: { db: Database },
  { workspaceId }: Actor,
  publicId: string,
): Promise<CampaignDetails> {
  const campaign = await findOwnCampaign(db, workspaceId, publicId);
  const { campaignId } = campaign;
  const row = await db
    .selectFrom('campaigns as c')
    .innerJoin('contents as t', 't.content_id', 'c.content_id')
    .leftJoin('media as m', 'm.media_id', 't.media_id')
    .select(['t.html', 't.text', 't.group_ids as groupIds', STORED_EXTRAS.as('extras'), 'm.mime', 'm.sha256', 'm.size'])
    .where('c.campaign_id', '=', campaignId)
    .executeTakeFirst();
  if (!row) throw noSuchCampaign();
  const { mime, sha256, size, ...content } = row;
  const media =
    mime === null || size === null || sha256 === null ? null : { mime, size, sha256: sha256.toString('hex') };
  return { ...campaign, ...content, media, runs: await readRuns(db, campaignId) };
}

/** A campaign's runs in order of their due time. */
export function readRuns(db: Connection, id: number): Promise<RunDetails[]> {
  return db
    .selectFrom('runs')
    .select([
      'run_id as runId',
      'due_at as dueAt',
      'moved_from as movedFrom',
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
