import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import type { RunStatus } from '../../../platform/database/schema-ledger.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { STORED_EXTRAS } from '../../../content/post/stored-extras.ts';
import { readFiles, type ShownFile } from '../../../content/post/post-files.ts';
import { findOwnCampaign, noSuchCampaign, type OwnCampaign } from '../store.ts';

export interface CampaignDetails extends OwnCampaign {
  html: string;
  text: string;
  media: { mime: string; size: number; sha256: string } | null;
  extras: PostExtras;
  /** All files, in their order. */
  files: ShownFile[];
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
  /** Of the cancelled: left out of a follow-up. */
  skipped: number;
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
    .select(['t.html', 't.text', 't.group_ids as groupIds', STORED_EXTRAS.as('extras'), 't.media_id as mediaId'])
    .where('c.campaign_id', '=', campaignId)
    .executeTakeFirst();
  if (!row) throw noSuchCampaign();
  const { mediaId, ...content } = row;
  const files = await listFiles(db, content.extras, mediaId);
  const [first] = files;
  const media = first ? { mime: first.mime, size: first.size, sha256: first.sha256.toString('hex') } : null;
  return { ...campaign, ...content, media, files, runs: await readRuns(db, campaignId) };
}

async function listFiles(db: Connection, extras: PostExtras, mediaId: number | null): Promise<ShownFile[]> {
  if (extras.files || mediaId === null) return readFiles(db, extras.files ?? []);
  // It came in base64, so its name is the given one or none, also if the same bytes were uploaded once.
  return (await readFiles(db, [{ mediaId }])).map((file) => ({ ...file, fileName: extras.fileName }));
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
      'skipped',
    ])
    .where('campaign_id', '=', id)
    .orderBy('due_at')
    .orderBy('run_id')
    .execute();
}
