import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';
import type { WorkspaceId } from '../database/schema.ts';
import { AppError } from '../lib/errors.ts';
import type { Media } from './accept-media.ts';

export interface StoredMedia {
  mime: string;
  bytes: Buffer;
  sha256: Buffer;
  /** In bytes. */
  size: number;
}

/**
 * Keeps a media file for a workspace and answers its id. The same bytes of the same workspace are kept once: they are looked for first, so
 * that they are neither sent to the database nor written there again. What no campaign takes within a day is dropped
 * (`drop-unused.ts`).
 */
export async function saveMedia(db: Connection, workspaceId: WorkspaceId, media: Media): Promise<number> {
  const mediaId =
    (await findMedia(db, workspaceId, media)) ??
    (await insertMedia(db, workspaceId, media)) ??
    (await findMedia(db, workspaceId, media));
  if (mediaId === undefined) {
    // Someone else's insert was seen, and gone when we looked: deleted in between, or hidden by this transaction's snapshot.
    throw new AppError('unavailable', 'The media file is being changed by another request', { retryAfterSeconds: 1 });
  }
  return mediaId;
}

/** A file comes out of the database in pieces of this many bytes: as one answer it would take eight times its size on the way. */
const PIECE_BYTES = 24 * 1024;

/**
 * A media file with its bytes.
 *
 * @throws AppError `not_found` when there is none of that id
 */
export async function loadMedia(db: Connection, mediaId: number): Promise<StoredMedia> {
  const media = await db
    .selectFrom('media')
    .select(['mime', 'sha256', sql<number>`octet_length(bytes)`.as('size')])
    .where('media_id', '=', mediaId)
    .executeTakeFirst();
  if (media === undefined) throw noSuchMedia();
  const bytes = Buffer.allocUnsafe(media.size);
  for (let from = 0; from < media.size; from += PIECE_BYTES) (await readPiece(db, mediaId, from)).copy(bytes, from);
  return { ...media, bytes };
}

/**
 * The file with this hash that the workspace keeps, with its bytes.
 *
 * @throws AppError `not_found` when it keeps none
 */
export async function loadOwnMedia(db: Connection, workspaceId: WorkspaceId, sha256: Buffer): Promise<StoredMedia> {
  const row = await db
    .selectFrom('media')
    .select('media_id')
    .where('workspace_id', '=', workspaceId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
  if (!row) throw noSuchMedia();
  return loadMedia(db, row.media_id);
}

async function readPiece(db: Connection, mediaId: number, from: number): Promise<Buffer> {
  const { rows } = await sql<{ piece: Buffer }>`
    select substring(bytes from ${from + 1}::int for ${PIECE_BYTES}::int) as piece from media where media_id = ${mediaId}`.execute(
    db,
  );
  const [row] = rows;
  // Files never change, but their owner may have deleted the account since the last piece.
  if (!row) throw noSuchMedia();
  return row.piece;
}

function noSuchMedia(): AppError {
  return new AppError('not_found', 'There is no such media file');
}

/** What is found was noted as used within the hour, so that it is not dropped meanwhile. */
async function findMedia(db: Connection, workspaceId: WorkspaceId, { sha256 }: Media): Promise<number | undefined> {
  const row = await db
    .selectFrom('media')
    .select(['media_id', sql<boolean>`used_at > campanile_now() - interval '1 hour'`.as('isFresh')])
    .where('workspace_id', '=', workspaceId)
    .where('sha256', '=', sha256)
    .executeTakeFirst();
  if (!row || row.isFresh) return row?.media_id;
  const { rows } = await sql<{ media_id: number }>`
    update media set used_at = campanile_now() where media_id = ${row.media_id} returning media_id`.execute(db);
  return rows[0]?.media_id;
}

/** Undefined when another transaction has kept the same bytes meanwhile. */
async function insertMedia(
  db: Connection,
  workspaceId: WorkspaceId,
  { sha256, mime, bytes }: Media,
): Promise<number | undefined> {
  const row = await db
    .insertInto('media')
    .values({ workspace_id: workspaceId, sha256, mime, bytes })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'sha256']).doNothing())
    .returning('media_id')
    .executeTakeFirst();
  return row?.media_id;
}
