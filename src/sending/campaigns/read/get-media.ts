import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { extensionOf } from '../../../content/media/sniff.ts';
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

/** One of the workspace's files by the SHA-256 of its bytes, 64 hexadecimal digits (contract §4, get-media). Throws 404. */
export async function getMedia({ db }: { db: Database }, { workspaceId }: Actor, sha256: string): Promise<MediaFile> {
  const { mime, size, pieces } = await openOwnMedia(db, workspaceId, Buffer.from(sha256, 'hex'));
  return { mime, extension: extensionOf(mime), size, pieces };
}
