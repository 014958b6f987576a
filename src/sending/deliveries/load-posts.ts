import { readRows, type Database } from '../../platform/database/statements.ts';
import { LRUCache } from 'lru-cache';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import { createMutex } from '../../platform/concurrency/mutex.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { fileNameOf } from '../../content/media/file-name.ts';
import { loadMedia, readMedia, readerOf } from '../../content/media/store.ts';
import { compilePost, type FieldValues, type FillPost, type Template } from '../../content/post/fill-post.ts';
import type { Failure } from '../../platform/errors/failures.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import { readFiles, type ShownFile } from '../../content/post/post-files.ts';
import { STORED_EXTRAS } from '../../content/post/stored-extras.ts';
import { extensionOf } from '../../content/media/sniff.ts';
import type { StoredCard } from '../../content/post/stored-card.ts';
import type { Post, PostCard, PostMedia } from '../../messengers/messenger.ts';

/** What the runs under way say, read once each and not once a turn. */
export interface Posts {
  /** Throws when the database cannot be asked. */
  get(contentId: number): Promise<LoadedPost>;
}

/** The post of a content. With fields `post` shows them, and no group gets it as it is. */
export interface LoadedPost {
  post: Post;
  fields?: PostFields;
}

export interface PostFields {
  template: Template;
  /** Returns the post for a group, or why there is none. */
  fill: (values: FieldValues) => Post | { failure: Failure };
}

const MAX_POSTS_CACHED = 100;
/** Files are up to 16 MiB, so few are kept. */
const MAX_FILES_CACHED = 2;

export function loadPosts(db: Database): Posts {
  const files = new LRUCache({ max: MAX_FILES_CACHED, fetchMethod: loadBytes, ignoreFetchAbort: true });
  const cardPictures = new LRUCache({ max: MAX_POSTS_CACHED, fetchMethod: loadBytes, ignoreFetchAbort: true });
  const posts = new LRUCache({ max: MAX_POSTS_CACHED, fetchMethod: read, ignoreFetchAbort: true });
  // Many accounts may begin to send at once.
  const loadInTurn = createMutex();
  // Many campaigns may be due at the same minute.
  const rows = createBatcher((contentIds: number[]) => readContents(db, contentIds), {
    parallel: 2,
    most: 500,
    isAboutItem: isDataError,
  });

  function loadBytes(mediaId: number): Promise<Buffer> {
    return loadInTurn(async () => (await loadMedia(db, mediaId)).bytes);
  }

  function toMedia({ mediaId, mime, size, sha256, fileName = '', caption, ...about }: ShownFile): PostMedia {
    const { width, height, seconds, still } = about;
    return {
      mime,
      size,
      sha256,
      fileName: fileNameOf(fileName, extensionOf(mime)),
      caption,
      movie: width === null || height === null ? undefined : { width, height, seconds },
      still: still ?? undefined,
      load: () => files.forceFetch(mediaId),
      pieces: () => readMedia(db, mediaId),
      read: readerOf(db, mediaId),
    };
  }

  async function toPost({ text, extras, template, has_card_picture: isKept, file }: ContentRow): Promise<LoadedPost> {
    // Most posts have one file or none, and cost no further statement.
    const found = extras.files ? await readFiles(db, extras.files) : file ? [{ ...file, ...extras }] : [];
    const files = found.map(toMedia);
    const card = extras.linkPreview && toCard(extras.linkPreview, isKept);
    const post = withFiles({ text, extras, card }, files);
    if (!template) return { post };
    const fill = compileFor(template, extras, found);
    return { post, fields: { template, fill: (values) => toFilled(fill(values), { card, files }) } };
  }

  /** Without its picture if that is no longer kept. */
  function toCard({ url, title, description, picture: stored }: StoredCard, isKept: boolean): PostCard {
    if (!stored || !isKept) return { url, title, description, picture: null };
    const { mediaId, size, width, height } = stored;
    const sha256 = Buffer.from(stored.sha256, 'hex');
    const load = () => cardPictures.forceFetch(mediaId);
    const [pieces, read] = [() => readMedia(db, mediaId), readerOf(db, mediaId)];
    return {
      url,
      title,
      description,
      picture: { mime: 'image/jpeg', size, sha256, fileName: '', width, height, load, pieces, read },
    };
  }

  async function read(contentId: number): Promise<LoadedPost> {
    const row = await rows.add(contentId);
    // Nothing deletes a content whose run is under way but the end of its user.
    if (!row) throw new Error(`there is no content ${contentId}`);
    return toPost(row);
  }

  return { get: (contentId) => posts.forceFetch(contentId) };
}

function withFiles(post: Pick<Post, 'text' | 'extras' | 'card'>, [media, ...further]: readonly PostMedia[]): Post {
  return { ...post, media: media ?? null, ...(further.length > 0 && { further }) };
}

/** With the files that are still there. */
function compileFor(template: Template, extras: PostExtras, found: readonly ShownFile[]): FillPost {
  const present = found.map(({ mediaId, caption, fileName }) => ({ mediaId, caption, fileName }));
  return compilePost(template, {
    extras: { ...extras, ...(extras.files && { files: present }) },
    hasFile: found.length > 0,
  });
}

/** The files themselves are the same for all groups: their uploads are, too. */
function toFilled(
  filled: ReturnType<FillPost>,
  { card, files }: { card: PostCard | undefined; files: readonly PostMedia[] },
): Post | { failure: Failure } {
  if ('failure' in filled) return filled;
  const { text, extras } = filled;
  const named = files.map((file, index) => {
    const own = extras.files?.[index];
    const caption = own?.caption ?? file.caption;
    const { fileName } = own ?? extras;
    return {
      ...file,
      caption,
      ...(fileName !== undefined && { fileName: fileNameOf(fileName, extensionOf(file.mime)) }),
    };
  });
  const own = card && extras.linkPreview && { ...card, ...extras.linkPreview, picture: card.picture };
  return withFiles({ text, extras, card: own }, named);
}

interface ContentRow {
  content_id: number;
  text: string;
  extras: PostExtras;
  template: Template | null;
  has_card_picture: boolean;
  /** The one file. */
  file: ShownFile | undefined;
}

type ContentTuple = Omit<ContentRow, 'file'> & (ShownFile | { mediaId: null });

/** In the order of the ids; undefined for those that are gone. */
async function readContents(db: Database, contentIds: number[]): Promise<Array<ContentRow | undefined>> {
  const rows = await readRows<ContentTuple>(db)`
    select c.* from unnest(${contentIds}::bigint[]) i (content_id)
    -- A lookup for each, where the planner would rather read the tables from end to end.
    cross join lateral (
      select t.content_id, t.text, ${STORED_EXTRAS} as extras, t.template, m.media_id as "mediaId", m.mime, m.sha256, m.size,
             m.width, m.height, m.seconds, m.still,
             exists (select from media k where k.bytes is not null
                       and k.media_id = (t.extras -> 'linkPreview' -> 'picture' ->> 'mediaId')::bigint) as has_card_picture
      from contents t left join media m on m.media_id = t.media_id where t.content_id = i.content_id limit 1
    ) c`;
  const byId = new Map(
    rows.map(({ content_id, text, extras, template, has_card_picture, ...file }) => [
      content_id,
      { content_id, text, extras, template, has_card_picture, file: file.mediaId === null ? undefined : file },
    ]),
  );
  return contentIds.map((contentId) => byId.get(contentId));
}
