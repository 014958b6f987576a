import { createHash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { invalid } from '../../platform/errors/errors.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { assertStillMember } from '../../workspaces/members/assert-still-member.ts';
import { QUOTAS, type Quotas } from '../../workspaces/quotas/quotas.ts';
import { describeMedia } from './accept-media.ts';
import { inspectContent } from './inspect-content.ts';
import { nameOfFile } from './library.ts';
import { toPieces, writePiece } from './media-pieces.ts';
import { readMovie } from './read-movie.ts';
import type { MediaType } from './sniff.ts';
import { assertStorageQuota } from './storage-quota.ts';
import { readStoredBytes, saveMedia } from './store.ts';

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
 * already for the same bytes. Throws `invalid` for an empty file, an unknown type and a file over the limit of its type, and `storage_full`
 * when the quota is exhausted. Of a file that was not accepted nothing stays; housekeeping deletes what a crash leaves.
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

type Pieces = ReturnType<typeof toPieces>;

interface Deps {
  db: Database;
  quotas: Quotas;
}

async function receivePieces(
  { db, quotas }: Deps,
  actor: Actor,
  { pieces, field, announcedSize, declared, name }: Omit<IncomingFile, 'bytes'> & { pieces: Pieces },
): Promise<number> {
  const { workspaceId } = actor;
  const { value: head } = await pieces.next();
  if (head === undefined) throw invalid([fieldError(field, 'empty_file')]);
  const content = await inspectContent(field, head, withoutParameters(declared));
  await assertStorageQuota(db, workspaceId, announcedSize ?? head.length, quotas.storedBytes);
  const { value: second } = await pieces.next();
  if (second === undefined) return keepSmall({ db, quotas }, actor, { bytes: head, type: content.type(), name });
  const mediaId = await reserve(db, workspaceId);
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
    const received = { mediaId, sha256: hash.digest(), size, type: content.type(), name };
    return await keep({ db, quotas }, actor, received);
  } catch (error) {
    // Without a database housekeeping does this a day later.
    await remove(db, mediaId).catch(() => undefined);
    throw error;
  }
}

function withoutParameters(type: string | undefined): string | undefined {
  return type?.split(';')[0]?.trim().toLowerCase();
}

/** A row that nobody finds, since it has neither bytes nor the hash of a file. */
async function reserve(db: Connection, workspaceId: WorkspaceId): Promise<number> {
  const { rows } = await sql<{ media_id: number }>`
    insert into media (workspace_id, sha256, mime, size) values (${workspaceId}, ${randomBytes(32)}, '', 0) returning media_id`.execute(
    db,
  );
  return rows[0]?.media_id ?? 0;
}

async function remove(db: Connection, mediaId: number): Promise<void> {
  await sql`delete from media where media_id = ${mediaId} and bytes is null`.execute(db);
}

async function keepSmall(
  { db, quotas }: Deps,
  actor: Actor,
  { bytes, type, name }: { bytes: Buffer; type: MediaType; name: string | undefined },
): Promise<number> {
  const media = await describeMedia(type, bytes);
  return db.transaction().execute(async (trx) => {
    const mediaId = await saveMedia(trx, actor.workspaceId, media, quotas);
    await putInLibrary(trx, actor, { mediaId, name });
    return mediaId;
  });
}

interface Received {
  mediaId: number;
  sha256: Buffer;
  /** In bytes. */
  size: number;
  type: MediaType;
  name: string | undefined;
}

/** Makes a file of the pieces that have arrived, unless the workspace has the same bytes already. */
async function keep(
  { db, quotas }: Deps,
  actor: Actor,
  { mediaId, sha256, size, type, name }: Received,
): Promise<number> {
  const { workspaceId } = actor;
  const movie =
    type.kind === 'video'
      ? await readMovie((from, length) => readStoredBytes(db, mediaId, { from, length }))
      : undefined;
  return db.transaction().execute(async (trx) => {
    // Two files at once must not come to more than the quota together.
    await sql`select from workspaces where workspace_id = ${workspaceId} for no key update`.execute(trx);
    const known = await trx
      .selectFrom('media')
      .select(['media_id', sql<boolean>`bytes is not null`.as('isKept')])
      .where('workspace_id', '=', workspaceId)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    if (known?.isKept) await remove(trx, mediaId);
    else {
      await assertStorageQuota(trx, workspaceId, size, quotas.storedBytes);
      const of = { sha256, size, mime: type.mime, ...movie };
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
  await sql`update media_pieces set media_id = ${to} where media_id = ${from}`.execute(trx);
  await remove(trx, from);
  const { size, width, height, seconds } = of;
  await trx
    .updateTable('media')
    .set({ size, width, height, seconds, bytes: Buffer.alloc(0) })
    .where('media_id', '=', to)
    .execute();
}

/** A file that was uploaded stays without a campaign, for as long as one of a campaign. Of a member who was removed meanwhile it does not. */
async function putInLibrary(
  trx: Connection,
  actor: Actor,
  { mediaId, name }: { mediaId: number; name: string | undefined },
): Promise<void> {
  await assertStillMember(trx, actor, 'author');
  await sql`
    update media set is_uploaded = true, used_at = campanile_now(), name = coalesce(${name ?? null}, name)
    where media_id = ${mediaId}`.execute(trx);
  await recordAudit(trx, { ...actor, action: 'media.uploaded', subject: nameOfFile(mediaId, name) });
}
