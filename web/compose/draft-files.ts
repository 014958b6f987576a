import type { Data } from '../api/operations.ts';

/** A file of the library in a draft. */
export interface DraftFile {
  media_id: number;
  /** As its owner uploaded it; null: it has no name. */
  name: string | null;
  mime: string;
  size: number;
  sha256: string;
  /** Of a film. */
  has_still: boolean;
  /** Of its own; empty: none. */
  caption: string;
}

/** As `MOST_FILES` of the contract. */
export const MOST_FILES = 10;

type ShownFile = Data<'venom/get-campaign'>['files'][number];
type LibraryFile = Data<'media/upload'>;

export function fromShown({ media_id, mime, size, sha256, has_still, file_name, caption }: ShownFile): DraftFile {
  return { media_id, mime, size, sha256, has_still, name: file_name, caption: caption ?? '' };
}

export function fromLibrary({ media_id, mime, size, sha256, has_still, name }: LibraryFile): DraftFile {
  return { media_id, mime, size, sha256, has_still, name, caption: '' };
}

/** Returns the files as operations on posts take them; null without any. */
export function toMedia(files: readonly DraftFile[]) {
  if (files.length === 0) return null;
  return files.map(({ media_id, caption, name }) => ({
    media_id,
    ...(caption.trim() !== '' && { caption: caption.trim() }),
    ...(name !== null && { file_name: name }),
  }));
}
