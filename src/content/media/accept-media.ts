import { createHash } from 'node:crypto';
import { invalid, fieldError } from '../../platform/errors/errors.ts';
import { readerOfBytes } from './boxes.ts';
import { decodeBase64 } from './decode-base64.ts';
import { openFile } from './open-file.ts';
import { toCardPicture, type JpegPicture } from './pictures.ts';
import type { Movie } from './read-movie.ts';
import { JPEG, sniff, type MediaKind, type MediaType } from './sniff.ts';

/** A media file that may be sent. */
export interface Media {
  mime: string;
  kind: MediaKind;
  /** In bytes; 1 to `MEDIA_LIMIT`. */
  size: number;
  sha256: Buffer;
  bytes: Buffer;
  /** Of a film that tells. */
  movie?: Movie | undefined;
}

export interface AcceptOptions {
  /** Accepts pictures only, which the caller decodes. */
  only?: 'image';
  /** The picture of a channel, in a data URL that names a type of picture (contract §3, create-channel). */
  channelPicture?: boolean;
}

/**
 * Decodes and recognises a media file that came as base64 in the field `field` of a request. A HEIC photo becomes a JPEG.
 *
 * @throws AppError `invalid` when it is not base64, not a kind of file that is taken, unreadable, or larger than `MEDIA_LIMIT`
 */
export async function acceptMedia(field: string, base64: string, options: AcceptOptions = {}): Promise<Media> {
  const { declared, bytes } = decodeBase64(field, base64);
  if (options.channelPicture && !declared?.startsWith('image/')) {
    throw invalid([fieldError(field, 'picture_data_url')]);
  }
  const type = await sniff(field, bytes, declared);
  if ((options.only ?? options.channelPicture) && type.kind !== 'image')
    throw invalid([fieldError(field, 'not_picture')]);
  const { movie, jpeg } = await openFile(
    { field, type, size: bytes.length, read: readerOfBytes(bytes) },
    { fewPixels: options.channelPicture ?? false, isDecodedLater: options.only !== undefined },
  );
  return jpeg ? describeMedia(JPEG, jpeg) : describeMedia(type, bytes, movie);
}

/** Returns the picture of a link preview that came as base64 in the field `field`. Throws as `acceptMedia` and `toCardPicture` do. */
export async function acceptCardPicture(field: string, base64: string): Promise<JpegPicture> {
  const { bytes } = await acceptMedia(field, base64, { only: 'image' });
  return toCardPicture({ field, bytes });
}

export function describeMedia({ mime, kind }: Pick<MediaType, 'mime' | 'kind'>, bytes: Buffer, movie?: Movie): Media {
  return { mime, kind, size: bytes.length, sha256: createHash('sha256').update(bytes).digest(), bytes, movie };
}
