/** The files of posts that take them from the library. */
import { execute, readRows, sql, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { plainFileName } from '../media/file-name.ts';
import type { LibraryFile } from '../media/library.ts';
import { kindOf } from '../media/sniff.ts';
import type { PostExtras, PostFile } from './post-extras.ts';

/** A file of a post, without its bytes. */
export interface ShownFile extends Omit<LibraryFile, 'name' | 'hasStill' | 'usedAt'> {
  /** As recipients see it, without an extension; undefined: it has no name. */
  fileName?: string | undefined;
  /** Of its own. */
  caption?: string | undefined;
  /** Of a film: a JPEG. */
  still: Buffer | null;
}

type Row = Omit<ShownFile, 'fileName' | 'caption'> & Pick<LibraryFile, 'name'>;

const FILE = sql<Row>`media_id as "mediaId", mime, size, sha256, name, width, height, seconds, still`;

/**
 * Keeps the files that a post of a workspace is to have from being deleted, until the transaction ends. Throws as `checkFiles`.
 */
export async function requireFiles(trx: Connection, workspaceId: WorkspaceId, extras: PostExtras): Promise<void> {
  if (!extras.files) return;
  const ids = extras.files.map(({ mediaId }) => mediaId);
  // As a file that is uploaded again: the cleanup must not take it meanwhile.
  await execute(trx)`
    update media set used_at = campanile_now()
    where media_id = any(${ids}::bigint[]) and workspace_id = ${workspaceId} and bytes is not null
      and used_at <= campanile_now() - interval '1 hour'`;
  await execute(trx)`
    select from media where media_id = any(${ids}::bigint[]) and workspace_id = ${workspaceId}
    order by media_id for key share`;
  await checkFiles(trx, workspaceId, extras);
}

/**
 * Returns the files that a post of a workspace is to have. Throws 404 for a file that is not the workspace's or no longer kept, and 400
 * for a sound with a caption.
 */
export async function checkFiles(
  db: Connection,
  workspaceId: WorkspaceId,
  { files = [] }: PostExtras,
): Promise<ShownFile[]> {
  if (files.length === 0) return [];
  const ids = files.map(({ mediaId }) => mediaId);
  const rows = await readRows<Row>(db)`
    select ${FILE} from media
    where media_id = any(${ids}::bigint[]) and workspace_id = ${workspaceId} and bytes is not null`;
  const shown = showFiles(files, rows);
  const missing = ids.flatMap((id, index) => (rows.some(({ mediaId }) => mediaId === id) ? [] : [index]));
  if (missing.length > 0)
    throw new AppError('media_not_found', 'You have no file with this id, or it is no longer kept', {
      details: missing.map((index) => fieldError(`media.${index}.media_id`, 'unknown_id', { of: 'files' })),
    });
  const silent = shown.flatMap(({ mime, caption }, index) =>
    caption !== undefined && kindOf(mime) === 'audio' ? [index] : [],
  );
  if (silent.length > 0) throw invalid(silent.map((index) => fieldError(`media.${index}.caption`, 'caption_of_sound')));
  return shown;
}

/** Returns what is known of the files of a stored post; those that are no longer known are left out. */
export async function readFiles(db: Connection, files: readonly PostFile[]): Promise<ShownFile[]> {
  if (files.length === 0) return [];
  const rows = await readRows<Row>(db)`
    select ${FILE} from media where media_id = any(${files.map(({ mediaId }) => mediaId)}::bigint[])`;
  return showFiles(files, rows);
}

/** Returns those of the files of a stored post whose bytes are still kept. */
export async function findKept(db: Connection, files: readonly PostFile[]): Promise<Array<Pick<PostFile, 'mediaId'>>> {
  return readRows<{ mediaId: number }>(db)`
    select media_id as "mediaId" from media
    where media_id = any(${files.map(({ mediaId }) => mediaId)}::bigint[]) and bytes is not null`;
}

function showFiles(files: readonly PostFile[], rows: readonly Row[]): ShownFile[] {
  const byId = new Map(rows.map((row) => [row.mediaId, row]));
  return files.flatMap(({ mediaId, caption, fileName }) => {
    const row = byId.get(mediaId);
    if (!row) return [];
    const { name, ...file } = row;
    return [{ ...file, caption, fileName: fileName ?? (name === null ? undefined : plainFileName(name)) }];
  });
}
