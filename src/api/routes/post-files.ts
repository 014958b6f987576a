import type { z } from 'zod';
import { plainFileName } from '../../content/media/file-name.ts';
import { readCaption } from '../../content/text/read-caption.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { ShownFile } from '../../content/post/post-files.ts';
import type { postFiles } from '../contract/post-files.ts';
import type { FromWire } from '../wire.ts';

/** Returns the files of a request, as a part of its extras. An empty list is none. */
export function toFiles(files: FromWire<z.output<typeof postFiles>>): Pick<PostExtras, 'files'> {
  if (files === undefined || files.length === 0) return {};
  return {
    files: files.map(({ fileName, caption, ...file }) => ({
      ...file,
      ...(caption !== undefined && { caption: readCaption(caption) }),
      ...(fileName !== undefined && { fileName: plainFileName(fileName) }),
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
