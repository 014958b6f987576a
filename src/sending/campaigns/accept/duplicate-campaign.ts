import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/statements.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { knownTimeZone } from '../../../platform/time/time-zone.ts';
import { openMedia, type OpenMedia } from '../../../content/media/store.ts';
import { findKept } from '../../../content/post/post-files.ts';
import { choicesOf, type PostChoices } from '../../../content/post/fill-post.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { moveAhead, type Schedule } from '../occurrences.ts';
import { findOwnCampaign, readContent, scheduleOf, type Content, type NewCampaign } from '../store.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { resolveLists } from './resolve-lists.ts';
import { dropRemoved } from './require-reach.ts';
import { readNow } from '../../../platform/database/read-now.ts';

export interface CardCopy {
  url: string;
  title: string;
  description: string;
  /** A data URL. */
  image: string | null;
}

type Copied = Pick<NewCampaign, 'name' | 'description' | 'html' | 'extras' | 'groupIds' | 'isChannelCampaign'>;

/** What to send to have the same campaign once more. */
export interface CampaignCopy extends PostChoices, Copied {
  /** The pieces of a data URL, each read when it is asked for; null: there was none, or it is no longer kept. */
  image: AsyncIterable<string> | null;
  card: CardCopy | null;
  /** Of a post that is asked for. That of a campaign is not copied: it is the id of one campaign. */
  externalId?: string | undefined;
  metadata: Readonly<Record<string, string>>;
  tags: readonly string[];
  /** As it was sent, of a campaign without a schedule. */
  scheduleTime: string | null;
  /** null: it is sent at once. */
  schedule: Schedule | null;
}

/**
 * Returns a campaign of the workspace as it would be sent again (contract §4, duplicate-campaign); nothing is created. The dates of a
 * schedule that is over move ahead by whole weeks, so that they keep their weekdays. Throws 404.
 */
export async function duplicateCampaign(
  { db }: { db: Database },
  { workspaceId }: Actor,
  publicId: string,
): Promise<CampaignCopy> {
  const campaign = await findOwnCampaign(db, workspaceId, publicId);
  const content = await resolveLists(db, workspaceId, await readContent(db, campaign.campaignId));
  const { html, groupIds, mediaId, extras, template } = content;
  const before = scheduleOf(campaign);
  // Whole weeks are the same in any zone. One that is no longer known is answered as it is: its owner chooses another.
  const readable = before && { ...before, timeZone: knownTimeZone(before.timeZone, 'UTC') };
  const schedule = readable ? { ...moveAhead(readable, await readNow(db)), timeZone: before.timeZone } : null;
  const { name, description, isChannelCampaign, metadata, tags, scheduleTime } = campaign;
  const post = await copyPost(db, workspaceId, { mediaId, extras });
  return {
    name,
    description,
    html,
    ...choicesOf(template),
    ...post,
    groupIds,
    isChannelCampaign,
    metadata,
    tags,
    scheduleTime,
    schedule,
  };
}

/** Returns the files and extras of a stored post as a request has them, without what is removed since. */
export async function copyPost(
  db: Database,
  workspaceId: WorkspaceId,
  { mediaId, extras }: Pick<Content, 'mediaId' | 'extras'>,
): Promise<Pick<CampaignCopy, 'image' | 'extras' | 'card'>> {
  const image = mediaId === null ? null : await openDataUrl(db, mediaId);
  const present = await dropRemoved(db, workspaceId, extras);
  return { image, extras: await keepFiles(db, present), card: await copyCard(db, extras) };
}

/** Without the files that are no longer kept. */
async function keepFiles(db: Database, { files, ...others }: PostExtras): Promise<PostExtras> {
  if (!files) return others;
  const kept = new Set((await findKept(db, files)).map(({ mediaId }) => mediaId));
  const left = files.filter(({ mediaId }) => kept.has(mediaId));
  return left.length > 0 ? { ...others, files: left } : others;
}

/** Without its picture if that is no longer kept. */
async function copyCard(db: Database, { linkPreview }: PostExtras): Promise<CardCopy | null> {
  if (!linkPreview) return null;
  const { url, title, description, picture } = linkPreview;
  const pieces = picture && (await openDataUrl(db, picture.mediaId));
  // It is at most 128 KiB.
  return { url, title, description, image: pieces ? (await Array.fromAsync(pieces)).join('') : null };
}

async function openDataUrl(db: Database, mediaId: number): Promise<AsyncIterable<string> | null> {
  try {
    return writeDataUrl(await openMedia(db, mediaId));
  } catch (error) {
    if (error instanceof AppError && error.kind === 'not_found') return null;
    throw error;
  }
}

async function* writeDataUrl({ mime, pieces }: OpenMedia): AsyncGenerator<string> {
  yield `data:${mime};base64,`;
  for await (const piece of pieces) yield piece.toString('base64');
}
