import { invalid, type AppError, fieldError } from '../../platform/errors/errors.ts';
import type { ReadBytes } from './boxes.ts';
import { assertReadable, convertHeic } from './pictures.ts';
import { readMovie, type Movie } from './read-movie.ts';
import { HEIC, type MediaType } from './sniff.ts';

/** A file that has arrived. */
export interface ArrivedFile {
  /** Names the file in errors. */
  field: string;
  type: Pick<MediaType, 'mime' | 'kind'>;
  /** In bytes. */
  size: number;
  read: ReadBytes;
}

/** Readers of PDF search this far from the end for the trailer, and somewhat further. */
const PDF_END = 4_096;

export interface OpenedFile {
  /** Of a film that tells. */
  movie?: Movie | undefined;
  /** What a HEIC photo has become. */
  jpeg?: Buffer;
}

export interface OpenOptions {
  /** Default is false. If this is true, pictures with more pixels than are decoded are a 400. */
  fewPixels?: boolean;
  /** Default is false. If this is true, the caller decodes pictures, and only a HEIC photo is. */
  isDecodedLater?: boolean;
}

/**
 * Opens a file before it is accepted, as the phones of members will. Throws 400 for a picture that is cut off or damaged, and for a film, a
 * sound in MP4 or a PDF that is cut off, as far as it tells without being decoded. Throws 503 when too many pictures wait to be decoded.
 */
export async function openFile(
  { field, type: { mime, kind }, size, read }: ArrivedFile,
  { fewPixels = false, isDecodedLater = false }: OpenOptions = {},
): Promise<OpenedFile> {
  const picture = { field, bytes: () => read(0, size) };
  if (mime === HEIC.mime) return { jpeg: await convertHeic(picture) };
  if (kind === 'image' && !isDecodedLater) await assertReadable(picture, { fewPixels });
  if (mime === 'application/pdf' && !hasPdfEnd(await read(Math.max(0, size - PDF_END), PDF_END))) throw cutOff(field);
  if (kind !== 'video' && mime !== 'audio/mp4') return {};
  const { isWhole, movie } = await readMovie(read, size);
  if (!isWhole) throw cutOff(field);
  return { movie: kind === 'video' ? movie : undefined };
}

function cutOff(field: string): AppError {
  return invalid([fieldError(field, 'unreadable_file')]);
}

function hasPdfEnd(end: Buffer): boolean {
  return end.includes('%%EOF') || end.includes('startxref');
}
