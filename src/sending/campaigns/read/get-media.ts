import { Readable } from 'node:stream';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/statements.ts';
import { extensionOf } from '../../../content/media/sniff.ts';
import { loadStill } from '../../../content/media/still.ts';
import { openOwnMedia } from '../../../content/media/store.ts';

/** A file as its owner sent it. */
export interface MediaFile {
  /** The recognised type. */
  mime: string;
  /** The usual extension of the type, without a dot. */
  extension: string;
  /** In bytes. */
  size: number;
  /** All of its bytes, each read when it is asked for. */
  pieces: AsyncIterable<Buffer>;
}

/**
 * Returns one of the workspace's files, or the still of a film, by the SHA-256 of the file's bytes, 64 hexadecimal digits (contract §4,
 * get-media). Throws 404.
 */
export async function getMedia(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { sha256, still }: { sha256: string; still: boolean },
): Promise<MediaFile> {
  const hash = Buffer.from(sha256, 'hex');
  if (still) {
    const bytes = await loadStill(db, workspaceId, hash);
    return { mime: 'image/jpeg', extension: 'jpg', size: bytes.length, pieces: Readable.from([bytes]) };
  }
  const { mime, size, pieces } = await openOwnMedia(db, workspaceId, hash);
  return { mime, extension: extensionOf(mime), size, pieces };
}
