import { LRUCache } from 'lru-cache';
import { THUMBNAIL_EDGE, toStill } from '../../../content/media/pictures.ts';
import { loadMedia } from '../../../content/media/store.ts';
import { partyIn } from '../../../platform/concurrency/requester.ts';
import { readRows, readValue } from '../../../platform/database/statements.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { kindOfContent, type ListedPost } from '../../campaigns/read/list-runs.ts';
import type { BegunRun, Step } from './select-runs.ts';

/** A run of a report, with what it posted. */
export interface ReportRun extends Omit<BegunRun, 'campaignId'> {
  campaign: { campaignId: string; name: string };
  postKind: ListedPost['kind'];
  /** A small JPEG as a data URL. null: the post has no picture that is known. */
  thumbnail: string | null;
}

/** Of one report: each takes some 30 ms of a core to decode. */
const MOST_THUMBNAILS = 50;
/** By the id of a file, whose bytes never change. Some 4 KiB each. */
const thumbnails = new LRUCache<number, string>({ max: 1_000 });

/** Returns the runs with what they posted. Those of campaigns that were deleted meanwhile are left out. */
export async function describeRuns(
  step: Step,
  workspaceId: WorkspaceId,
  runs: readonly BegunRun[],
): Promise<ReportRun[]> {
  // The file that stands for a post: its first picture or film, else the picture of its link.
  const posts = await step(
    (db) =>
      readRows<Pick<ReportRun, 'runId' | 'campaign' | 'postKind'> & { mediaId: number | null }>(db)`
      select r.run_id as "runId", jsonb_build_object('campaignId', c.public_id, 'name', c.name) as campaign,
             ${kindOfContent} as "postKind", m.media_id as "mediaId"
      from unnest(${runs.map(({ runId }) => runId)}::bigint[], ${runs.map(({ contentId }) => contentId)}::bigint[])
        with ordinality r (run_id, content_id, place)
      cross join lateral (select campaign_id, media_id, extras from contents where content_id = r.content_id limit 1) t
      cross join lateral (select * from campaigns where campaign_id = t.campaign_id and deleted_at is null limit 1) c
      left join lateral (
        select media_id from media
        where media_id = coalesce(t.media_id, (t.extras #>> '{files,0,mediaId}')::bigint, (t.extras #>> '{linkPreview,picture,mediaId}')::bigint)
          and bytes is not null and (still is not null or mime like 'image/%') limit 1) m on true
      order by r.place`,
  );
  const pictures = new Map<number | null, string | null>();
  for (const { mediaId } of posts) {
    if (mediaId === null || pictures.has(mediaId) || pictures.size === MOST_THUMBNAILS) continue;
    pictures.set(mediaId, await readThumbnail(step, workspaceId, mediaId));
  }
  const begun = new Map(runs.map((run) => [run.runId, run]));
  return posts.flatMap(({ mediaId, ...post }) => {
    const run = begun.get(post.runId);
    return run ? [{ ...run, ...post, thumbnail: pictures.get(mediaId) ?? null }] : [];
  });
}

/** Returns a data URL. null: the file cannot be decoded, is gone by now, or too many pictures wait. */
async function readThumbnail(step: Step, workspaceId: WorkspaceId, mediaId: number): Promise<string | null> {
  const known = thumbnails.get(mediaId);
  if (known !== undefined) return known;
  try {
    const bytes = await step(async (db) => {
      const still = await readValue<Buffer | null>(db)`select still from media where media_id = ${mediaId}`;
      return still ?? (await loadMedia(db, mediaId)).bytes;
    });
    const jpeg = await toStill({ field: 'media', bytes, party: partyIn(workspaceId) }, THUMBNAIL_EDGE);
    const url = `data:image/jpeg;base64,${jpeg.toString('base64')}`;
    thumbnails.set(mediaId, url);
    return url;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
