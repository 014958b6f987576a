import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { choicesOf, type PostChoices } from '../../../content/post/fill-post.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { readFiles, type ShownFile } from '../../../content/post/post-files.ts';
import {
  findOwnCampaign,
  hasRunsToCome,
  noSuchCampaign,
  readContent,
  type Content,
  type OwnCampaign,
} from '../store.ts';
import { findStoredResult } from '../../../workspaces/idempotency/once.ts';
import { resolveLists } from '../accept/resolve-lists.ts';
import type { AcceptedCampaign } from '../accept/accept-campaign.ts';

/** Of one campaign that are returned: those of a plan without an end, and some that are over. */
export const RUNS_LIMIT = 2_500;

export interface CampaignDetails extends OwnCampaign, PostChoices, Omit<Content, 'mediaId' | 'template'> {
  media: { mime: string; size: number; sha256: string } | null;
  /** All files, in their order. */
  files: ShownFile[];
  runs: RunDetails[];
  /** How many earlier runs are left out. */
  earlierRuns: number;
}

export type RunDetails = Awaited<ReturnType<typeof readRuns>>[number];

/** Returns a campaign of the workspace with its content, groups and runs, by due time. Throws 404. */
export async function getCampaign(
  { db }: { db: Database },
  { workspaceId }: Actor,
  publicId: string,
): Promise<CampaignDetails> {
  const campaign = await findOwnCampaign(db, workspaceId, publicId);
  const { campaignId } = campaign;
  const last = await readContent(db, campaignId);
  // Of what is to be sent, the groups of now.
  const isFixed = last.extras.groupLists && !(await hasRunsToCome(db, campaignId));
  const { mediaId, template, ...content } = isFixed ? last : await resolveLists(db, workspaceId, last);
  const files = await listFiles(db, content.extras, mediaId);
  const [first] = files;
  const media = first ? { mime: first.mime, size: first.size, sha256: first.sha256.toString('hex') } : null;
  const runs = await readRuns(db, campaignId);
  const earlierRuns = Math.max(0, runs.length - RUNS_LIMIT);
  return { ...campaign, ...content, ...choicesOf(template), media, files, runs: runs.slice(earlierRuns), earlierRuns };
}

async function listFiles(db: Connection, extras: PostExtras, mediaId: number | null): Promise<ShownFile[]> {
  if (extras.files || mediaId === null) return readFiles(db, extras.files ?? []);
  // It came in base64, so its name is the given one or none, also if the same bytes were uploaded once.
  return (await readFiles(db, [{ mediaId }])).map((file) => ({ ...file, fileName: extras.fileName }));
}

/** A campaign's runs in order of their due time. */
export function readRuns(db: Connection, id: number) {
  return db
    .selectFrom('runs')
    .select([
      'run_id as runId',
      'due_at as dueAt',
      /** The instant that the schedule gave it; null: it was not moved. */
      'moved_from as movedFrom',
      'started_at as startedAt',
      'finished_at as finishedAt',
      'status',
      'queued',
      'sent',
      'failed',
      'cancelled',
      /** Of the cancelled: left out of a follow-up. */
      'skipped',
    ])
    .where('campaign_id', '=', id)
    .orderBy('due_at')
    .orderBy('run_id')
    .execute();
}

/**
 * Returns the public id of the workspace's campaign that was added with an `Idempotency-Key`, as long as the key is remembered. `operations`
 * are those that add campaigns: a key belongs to one operation. Throws 404.
 */
export async function findByIdempotencyKey(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { key, operations }: { key: string; operations: readonly string[] },
): Promise<string> {
  const accepted = await findStoredResult<AcceptedCampaign>(db, { workspaceId, key, operations });
  if (!accepted) throw noSuchCampaign();
  return accepted.campaignId;
}
