import { deleteMedia, listLibrary, readLibraryFile, type LibraryFile } from '../../content/media/library.ts';
import { importMedia, type ImportDeps } from '../../content/media/import-media.ts';
import { receiveMedia } from '../../content/media/receive-media.ts';
import { setStill } from '../../content/media/still.ts';
import { kindOf } from '../../content/media/sniff.ts';
import { invalid } from '../../platform/errors/errors.ts';
import type { media } from '../contract/media.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';

export type MediaDeps = ImportDeps;

const NAME_HEADER = 'x-file-name';
const LONGEST_NAME = 200;

export const mediaHandlers: Handlers<typeof media, MediaDeps> = {
  async uploadMedia(deps, { body, actor, header }) {
    const length = Number(header('content-length') ?? NaN);
    const mediaId = await receiveMedia(deps, actor, {
      field: 'body',
      bytes: body,
      announcedSize: Number.isSafeInteger(length) ? length : undefined,
      declared: header('content-type'),
      name: readName(header(NAME_HEADER)),
    });
    return describeFile(await readLibraryFile(deps.db, actor.workspaceId, mediaId));
  },

  async importMedia(deps, { body, actor, transfer }) {
    if (!transfer) throw new Error('an import has no permit');
    const mediaId = await importMedia(deps, actor, { url: body.url, name: body.fileName, transfer });
    return describeFile(await readLibraryFile(deps.db, actor.workspaceId, mediaId));
  },

  async listMedia(deps, { body, actor }) {
    const { files, next } = await listLibrary(deps.db, actor.workspaceId, {
      before: readCursor(body.cursor),
      limit: body.limit,
      search: body.search,
    });
    return { files: files.map(describeFile), nextCursor: writeCursor(next) };
  },

  async setStill(deps, { body, actor }) {
    await setStill(deps.db, actor, body);
    return describeFile(await readLibraryFile(deps.db, actor.workspaceId, body.mediaId));
  },

  deleteMedia: (deps, { body, actor }) => deleteMedia(deps.db, actor, body.mediaId),
};

function describeFile<File extends LibraryFile>(file: File) {
  return { ...file, kind: kindOf(file.mime), sha256: file.sha256.toString('hex') };
}

/** Throws 400 for a name that is malformed, too long, or not to be stored. */
function readName(header: string | undefined): string | undefined {
  if (header === undefined || header.trim() === '') return undefined;
  const refuse = (issue: string) => invalid([{ field: NAME_HEADER, issue }]);
  let name: string;
  try {
    name = decodeURIComponent(header.trim());
  } catch {
    throw refuse('must be percent-encoded UTF-8');
  }
  if (name.length > LONGEST_NAME) throw refuse(`must be at most ${LONGEST_NAME} characters`);
  if (name.includes('\0')) throw refuse('must not contain the character NUL');
  return name;
}
