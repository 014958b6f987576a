import { readRow, readValue, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError } from '../../platform/errors/errors.ts';
import { QUOTAS, type Quotas } from '../../workspaces/quotas/quotas.ts';
import type { Media } from './accept-media.ts';
import type { ReadBytes } from './boxes.ts';
import { PIECE_BYTES, writePiece } from './media-pieces.ts';
import { assertStorageQuota } from './storage-quota.ts';

export type StoredMedia = Pick<Media, 'mime' | 'bytes' | 'sha256' | 'size'>;

/** A media file whose bytes are still in the database. */
export interface OpenMedia extends Omit<StoredMedia, 'bytes'> {
  /** All of them, each read when it is asked for; throws `not_found` when the file is deleted meanwhile. */
  pieces: AsyncIterable<Buffer>;
}

/**
 * Keeps a media file for a workspace and answers its id. The same bytes of the same workspace are kept once: they are looked for first, so
 * that they are neither sent to the database nor written there again. What no campaign takes within a day is dropped
 * (`drop-unused.ts`). Until the transaction ends nothing else that is new is kept for this workspace, so that several at once cannot
 * come to more than its quota together. Throws `no_room` where this file would.
 */
export async function saveMedia(
  db: Connection,
  workspaceId: WorkspaceId,
  media: Media,
  quotas: Pick<Quotas, 'storedBytes'> = QUOTAS,
): Promise<number> {
  // The row and its pieces are there together, or neither.
  if (!db.isTransaction) return db.transaction().execute((trx) => saveMedia(trx, workspaceId, media, quotas));
  const { storedBytes: most } = quotas;
  const mediaId =
    (await findMedia(db, workspaceId, media)) ??
    (await insertMedia(db, workspaceId, media, most)) ??
    (await findMedia(db, workspaceId, media));
  if (mediaId === undefined) {
    await assertStorageQuota(db, workspaceId, media.size, most);
    // Someone else's insert was seen, and gone when we looked: deleted in between, or hidden by this transaction's snapshot.
    throw new AppError('media_busy', 'Another request is changing this file. Try again in a moment.', {
      retryAfterSeconds: 1,
    });
  }
  return mediaId;
}

/**
 * A file comes out of the database in parts of this many bytes: as one answer it would take eight times its size on the way. The base64
 * of whole groups of three can be put together.
 */
const READ_BYTES = 24 * 1024;

/** Returns a media file with its bytes. Throws `not_found` when there is no such file, or its bytes were deleted. */
export async function loadMedia(db: Connection, mediaId: number): Promise<StoredMedia> {
  const { pieces, ...media } = await openMedia(db, mediaId);
  const bytes = Buffer.allocUnsafe(media.size);
  let from = 0;
  for await (const piece of pieces) from += piece.copy(bytes, from);
  return { ...media, bytes };
}

/** Yields the bytes of a file. Throws `not_found` when there is no such file, or its bytes were deleted. */
export async function* readMedia(db: Connection, mediaId: number): AsyncGenerator<Buffer> {
  yield* (await openMedia(db, mediaId)).pieces;
}

/** Returns a media file whose bytes are read on demand. Throws `not_found` when there is no such file, or its bytes were deleted. */
export async function openMedia(db: Connection, mediaId: number): Promise<OpenMedia> {
  const media = await readRow<Omit<StoredMedia, 'bytes'>>(db)`
    select mime, sha256, size from media where media_id = ${mediaId} and bytes is not null`;
  if (media === undefined) throw noSuchMedia();
  return { ...media, pieces: readPieces(db, mediaId, media.size) };
}

/**
 * The file with this hash that the workspace keeps, whose bytes are read as they are needed.
 *
 * @throws AppError `not_found` when it keeps none
 */
export async function openOwnMedia(db: Connection, workspaceId: WorkspaceId, sha256: Buffer): Promise<OpenMedia> {
  const mediaId = await readValue<number>(db)`
    select media_id from media where workspace_id = ${workspaceId} and sha256 = ${sha256}`;
  if (mediaId === undefined) throw noSuchMedia();
  return openMedia(db, mediaId);
}

async function* readPieces(db: Connection, mediaId: number, size: number): AsyncGenerator<Buffer> {
  for (let from = 0; from < size; from += READ_BYTES) {
    const part = await readStoredBytes(db, mediaId, { from, length: READ_BYTES });
    // Files never change, but they may have been dropped since the last part.
    if (part.length === 0) throw noSuchMedia();
    yield part;
  }
}

/** Reads bytes anywhere in a file, also while it is being received; none if it is not there. */
export function readerOf(db: Connection, mediaId: number): ReadBytes {
  return async (from, length) => {
    const parts: Buffer[] = [];
    for (let at = from; at < from + length;) {
      const part = await readStoredBytes(db, mediaId, { from: at, length: Math.min(from + length - at, READ_BYTES) });
      if (part.length === 0) break;
      parts.push(part);
      at += part.length;
    }
    return Buffer.concat(parts);
  };
}

/** Returns up to `length` bytes of a file from `from` on, from one of its pieces at most; none at its end, or if it is not there. */
async function readStoredBytes(
  db: Connection,
  mediaId: number,
  { from, length }: { from: number; length: number },
): Promise<Buffer> {
  const part = await readValue<Buffer | null>(db)`
    select coalesce(
      (select substring(p.bytes from ${(from % PIECE_BYTES) + 1}::int for ${length}::int) from media_pieces p
       where p.media_id = m.media_id and p.position = ${Math.floor(from / PIECE_BYTES)}::int),
      substring(m.bytes from ${from + 1}::int for ${length}::int)) as part
    from media m where m.media_id = ${mediaId}`;
  return part ?? Buffer.alloc(0);
}

export function noSuchMedia(): AppError {
  return new AppError('media_not_found', 'The file does not exist, is not yours, or is no longer kept');
}

/** Returns the id of an equal file, after recording its use within the hour, so that the cleanup does not drop it meanwhile. */
async function findMedia(db: Connection, workspaceId: WorkspaceId, { sha256 }: Media): Promise<number | undefined> {
  const row = await readRow<{ media_id: number; isFresh: boolean }>(db)`
    select media_id, used_at > campanile_now() - interval '1 hour' as "isFresh" from media
    where workspace_id = ${workspaceId} and sha256 = ${sha256} and bytes is not null`;
  if (!row || row.isFresh) return row?.media_id;
  return readValue<number>(db)`
    update media set used_at = campanile_now() where media_id = ${row.media_id} and bytes is not null returning media_id`;
}

/**
 * A large file is written in pieces: the driver copies each parameter twice. Undefined when another transaction has kept the same bytes
 * meanwhile, or there is no room for them.
 */
async function insertMedia(
  db: Connection,
  workspaceId: WorkspaceId,
  { sha256, mime, size, bytes, movie }: Media,
  most: number,
): Promise<number | undefined> {
  const isLarge = size > PIECE_BYTES;
  const mediaId = await readValue<number>(db)`
    -- Whoever waited for the lock looks at the sum that the one before has left.
    with room as (
      select workspace_id from workspaces where workspace_id = ${workspaceId} and stored_bytes + ${size} <= ${most} for no key update
    )
    insert into media (workspace_id, sha256, mime, size, bytes, width, height, seconds)
    select workspace_id, ${sha256}::bytea, ${mime}::text, ${size}::int, ${isLarge ? Buffer.alloc(0) : bytes}::bytea, ${movie?.width ?? null}::int,
           ${movie?.height ?? null}::int, ${movie?.seconds ?? null}::int from room
    on conflict (workspace_id, sha256) do update set bytes = excluded.bytes, used_at = campanile_now() where media.bytes is null
    returning media_id`;
  if (mediaId === undefined || !isLarge) return mediaId;
  for (let position = 0; position * PIECE_BYTES < size; position++)
    await writePiece(db, mediaId, position, bytes.subarray(position * PIECE_BYTES, (position + 1) * PIECE_BYTES));
  return mediaId;
}
