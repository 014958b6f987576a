import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import { readCaption } from '../../content/text/read-caption.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { ShownFile } from '../../content/post/post-files.ts';
import type { postFiles } from '../contract/post-files.ts';
import type { FromWire } from '../wire.ts';

/** Returns the files of a request, as a part of its extras. An empty list is none. File names with fields are made plain once they are filled. */
export function toFiles(files: FromWire<z.output<typeof postFiles>>, withFields = false): Pick<PostExtras, 'files'> {
  if (files === undefined || files.length === 0) return {};
  return {
    files: files.map(({ fileName, caption, ...file }) => ({
      ...file,
      ...(caption !== undefined && { caption: readCaption(caption, withFields) }),
      ...(fileName !== undefined && { fileName: withFields ? fileName : plainFileName(fileName) }),
    })),
  };
}

/** Returns files as answers show them. */
export function describeFiles(files: readonly ShownFile[]) {
  return files.map(({ fileName, caption, still, ...file }) => ({
    ...file,
    sha256: file.sha256.toString('hex'),
    fileName,
    caption,
    hasStill: still !== null,
  }));
}
