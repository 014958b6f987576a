import { invalid, fieldError } from '../../platform/errors/errors.ts';
import { MEBIBYTE, MEDIA_LIMITS } from './media-limits.ts';
import { hasControlCharacter, isPlainText, sniff, sniffFurther, type MediaType } from './sniff.ts';

/** Inspects a file that is never in memory as a whole. */
export interface ContentInspector {
  /** Throws `invalid` when the file turns out to be too large, or not what its beginning said. */
  see(piece: Buffer): void;
  /** Returns the type, once all pieces were seen. */
  type(): MediaType;
}

/**
 * Recognises a file by its first bytes. `see` takes the pieces after `head`. An archive whose list of contents comes after `head` is a ZIP.
 * Throws `invalid` for a type that is not accepted.
 */
export async function inspectContent(
  field: string,
  head: Buffer,
  declared: string | undefined,
): Promise<ContentInspector> {
  let type = await sniff(field, head, declared);
  let size = head.length;
  let previous = head;
  const assertSize = () => {
    if (size > MEDIA_LIMITS[type.kind])
      throw invalid([fieldError(field, 'file_too_large', { limit: MEDIA_LIMITS[type.kind] / MEBIBYTE })]);
  };
  assertSize();
  const isText = isPlainText(type, head);
  return {
    see(piece) {
      size += piece.length;
      assertSize();
      if (isText && hasControlCharacter(piece)) throw invalid([fieldError(field, 'not_plain_text')]);
      type = sniffFurther(type, previous, piece);
      previous = piece;
    },
    type: () => type,
  };
}
