import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { ShownFile } from '../../content/post/post-files.ts';
import type { postFiles } from '../contract/post-files.ts';

/** Returns the files of a request, as a part of its extras. An empty list is none. */
export function toFiles(files: z.output<typeof postFiles>): Pick<PostExtras, 'files'> {
  if (files === undefined || files.length === 0) return {};
  return {
    files: files.map(({ media_id: mediaId, caption, file_name: name }) => ({
      mediaId,
      ...(caption !== undefined && { caption }),
      ...(name !== undefined && { fileName: plainFileName(name) }),
    })),
  };
}

/** Returns files as a request has them. */
export function toWireFiles(files: PostExtras['files']) {
  if (!files) return null;
  return files.map(({ mediaId, caption, fileName }) => ({
    media_id: mediaId,
    ...(caption !== undefined && { caption }),
    ...(fileName !== undefined && { file_name: fileName }),
  }));
}

/** Returns files as answers show them. */
export function toShownFiles(files: readonly ShownFile[]) {
  return files.map(({ mediaId, mime, size, sha256, fileName, caption, still }) => ({
    media_id: mediaId,
    mime,
    size,
    sha256: sha256.toString('hex'),
    file_name: fileName ?? null,
    caption: caption ?? null,
    has_still: still !== null,
  }));
}
