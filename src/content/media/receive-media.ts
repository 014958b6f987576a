import { createHash, randomBytes } from 'node:crypto';
import { execute, readCount, readRow, type Connection, type Database } from '../../platform/database/statements.ts';
import { invalid, fieldError } from '../../platform/errors/errors.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { assertStillMember } from '../../workspaces/members/assert-still-member.ts';
import { QUOTAS, type Quotas } from '../../workspaces/quotas/quotas.ts';
import { describeMedia, type Media } from './accept-media.ts';
import { readerOfBytes } from './boxes.ts';
import { nameOfFile } from './library.ts';
import { toPieces, writePiece } from './media-pieces.ts';
import { openFile } from './open-file.ts';
import { JPEG, hasControlCharacter, isPlainText, sniff, sniffFurther } from './sniff.ts';
import { assertStorageQuota } from './storage-quota.ts';
import { readerOf, saveMedia } from './store.ts';
import { MEBIBYTE, MEDIA_LIMITS } from './media-limits.ts';

export interface IncomingFile {
  /** Names the file in errors. */
  field: string;
  bytes: AsyncIterable<Uint8Array>;
  /** In bytes; undefined: not announced. */
  announcedSize: number | undefined;
  /** A media type, which counts for text only. */
  declared: string | undefined;
  /** As its owner calls it. */
  name: string | undefined;
}

export interface ReceiveDeps {
  db: Database;
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

/**
 * Keeps a file of a workspace while it arrives, some hundred KiB in memory at a time. Returns its id, and that of the file that is there
 * already for the same bytes. A HEIC photo is kept as JPEG. Throws `invalid` for an empty file, an unknown type, an unreadable file and a
 * file over the limit of its type, and `storage_full` when the quota is exhausted. Of a file that was not accepted nothing stays;
 * housekeeping deletes what a crash leaves.
 */
export async function receiveMedia(
  { db, quotas = QUOTAS }: ReceiveDeps,
  actor: Actor,
  { bytes, ...file }: IncomingFile,
): Promise<number> {
  const pieces = toPieces(bytes);
  try {
    return await receivePieces({ db, quotas }, actor, { pieces, ...file });
  } finally {
    // Leaves the stream to others, who answer over the same connection.
    await pieces.return(undefined);
  }
}

interface Deps extends ReceiveDeps {
  quotas: Quotas;
}

async function receivePieces(
  { db, quotas }: Deps,
  actor: Actor,
  {
    pieces,
    field,
    announcedSize,
    declared,
    name,
  }: Omit<IncomingFile, 'bytes'> & { pieces: ReturnType<typeof toPieces> },
): Promise<number> {
  const { workspaceId } = actor;
  const { value: head } = await pieces.next();
  if (head === undefined) throw invalid([fieldError(field, 'empty_file')]);
  const content = await inspectContent(field, head, declared?.split(';')[0]?.trim().toLowerCase());
  await assertStorageQuota(db, workspaceId, announcedSize ?? head.length, quotas.storedBytes);
  const { value: second } = await pieces.next();
  if (second === undefined) {
    const type = content.type();
    const { movie, jpeg } = await openFile({ field, type, size: head.length, read: readerOfBytes(head) });
    const media = jpeg ? describeMedia(JPEG, jpeg) : describeMedia(type, head, movie);
    return keepSmall({ db, quotas }, actor, { media, name });
  }
  // A row that nobody finds, since it has neither bytes nor the hash of a file.
  const mediaId = await readCount(db)`
    insert into media (workspace_id, sha256, mime, size) values (${workspaceId}, ${randomBytes(32)}, '', 0) returning media_id`;
  try {
    const hash = createHash('sha256');
    let [size, position] = [0, 0];
    const write = async (piece: Buffer) => {
      hash.update(piece);
      size += piece.length;
      await writePiece(db, mediaId, position++, piece);
    };
    await write(head);
    for (let piece: Buffer | undefined = second; piece; { value: piece } = await pieces.next()) {
      content.see(piece);
      await write(piece);
    }
    const type = content.type();
    const { movie, jpeg } = await openFile({ field, type, size, read: readerOf(db, mediaId) });
    if (!jpeg)
      return await keep({ db, quotas }, actor, { mediaId, sha256: hash.digest(), size, mime: type.mime, movie, name });
    await remove(db, mediaId);
    return await keepSmall({ db, quotas }, actor, { media: describeMedia(JPEG, jpeg), name });
  } catch (error) {
    // Without a database housekeeping does this a day later.
    await remove(db, mediaId).catch(() => undefined);
    throw error;
  }
}

async function remove(db: Connection, mediaId: number): Promise<void> {
  await execute(db)`delete from media where media_id = ${mediaId} and bytes is null`;
}

async function keepSmall(
  { db, quotas }: Deps,
  actor: Actor,
  { media, name }: { media: Media; name: string | undefined },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const mediaId = await saveMedia(trx, actor.workspaceId, media, quotas);
    await putInLibrary(trx, actor, { mediaId, name });
    return mediaId;
  });
}

interface Received extends Omit<Media, 'kind' | 'bytes'> {
  mediaId: number;
  name: string | undefined;
}

/** Makes a file of the pieces that have arrived, unless the workspace has the same bytes already. */
async function keep(
  { db, quotas }: Deps,
  actor: Actor,
  { mediaId, sha256, size, mime, movie, name }: Received,
): Promise<number> {
  const { workspaceId } = actor;
  return db.transaction().execute(async (trx) => {
    // Two files at once must not come to more than the quota together.
    await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
    const known = await readRow<{ media_id: number; isKept: boolean }>(trx)`
      select media_id, bytes is not null as "isKept" from media where workspace_id = ${workspaceId} and sha256 = ${sha256}`;
    if (known?.isKept) await remove(trx, mediaId);
    else {
      await assertStorageQuota(trx, workspaceId, size, quotas.storedBytes);
      const of = { sha256, size, mime, ...movie };
      if (known) await refill(trx, { from: mediaId, to: known.media_id, of });
      else
        await trx
          .updateTable('media')
          .set({ ...of, bytes: Buffer.alloc(0) })
          .where('media_id', '=', mediaId)
          .execute();
    }
    await putInLibrary(trx, actor, { mediaId: known?.media_id ?? mediaId, name });
    return known?.media_id ?? mediaId;
  });
}

/** Gives a file whose bytes were dropped its bytes back. */
async function refill(
  trx: Connection,
  {
    from,
    to,
    of,
  }: { from: number; to: number; of: { size: number; width?: number; height?: number; seconds?: number } },
): Promise<void> {
  await execute(trx)`update media_pieces set media_id = ${to} where media_id = ${from}`;
  await remove(trx, from);
  const { size, width, height, seconds } = of;
  await execute(trx)`
    update media set size = ${size}, width = ${width ?? null}, height = ${height ?? null}, seconds = ${seconds ?? null}, bytes = ''
    where media_id = ${to}`;
}

/** A file that was uploaded stays without a campaign, for as long as one of a campaign. Of a member who was removed meanwhile it does not. */
async function putInLibrary(
  trx: Connection,
  actor: Actor,
  { mediaId, name }: { mediaId: number; name: string | undefined },
): Promise<void> {
  await assertStillMember(trx, actor, 'author');
  await execute(trx)`
    update media set is_uploaded = true, used_at = campanile_now(), name = coalesce(${name ?? null}, name)
    where media_id = ${mediaId}`;
  await recordAudit(trx, { ...actor, action: 'media.uploaded', subject: nameOfFile(mediaId, name) });
}

/**
 * Recognises a file by its first bytes, so that it is never in memory as a whole. An archive whose list of contents comes after `head` is a
 * ZIP. Throws `invalid` for a type that is not accepted.
 */
async function inspectContent(field: string, head: Buffer, declared: string | undefined) {
  let type = await sniff(field, head, declared);
  let size = head.length;
  let previous = head;
  const assertSize = () => {
    if (size > MEDIA_LIMITS[type.kind])
      throw invalid([fieldError(field, 'file_too_large', { limit: MEDIA_LIMITS[type.kind] / MEBIBYTE })]);
  };
  assertSize();
  const isText = isPlainText(type, head);
  return {
    /** Takes a piece after `head`. Throws `invalid` when the file turns out to be too large, or not what its beginning said. */
    see(piece: Buffer): void {
      size += piece.length;
      assertSize();
      if (isText && hasControlCharacter(piece)) throw invalid([fieldError(field, 'not_plain_text')]);
      type = sniffFurther(type, previous, piece);
      previous = piece;
    },
    /** Returns the type, once all pieces were seen. */
    type: () => type,
  };
}
