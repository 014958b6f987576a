import { createHash } from 'node:crypto';
import { invalid, fieldError } from '../../platform/errors/errors.ts';
import { decodeBase64 } from './decode-base64.ts';
import { assertReadable, toCardPicture, type JpegPicture } from './pictures.ts';
import { readMovie, type Movie } from './read-movie.ts';
import { sniff, type MediaKind } from './sniff.ts';

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
  /** The picture of a channel: JPEG, PNG or WebP, and a data URL that names a type of picture (contract §3, create-channel). */
  channelPicture?: boolean;
}

const CHANNEL_PICTURES = new Set(['image/jpeg', 'image/png', 'image/webp']);

/**
 * Decodes and recognises a media file that came as base64 in the field `field` of a request.
 *
 * @throws AppError `invalid` when it is not base64, not a kind of file that is taken, an unreadable picture, or larger than `MEDIA_LIMIT`
 */
export async function acceptMedia(field: string, base64: string, options: AcceptOptions = {}): Promise<Media> {
  const { declared, bytes } = decodeBase64(field, base64);
  if (options.channelPicture && !declared?.startsWith('image/')) {
    throw invalid([fieldError(field, 'picture_data_url')]);
  }
  const { mime, kind } = await sniff(field, bytes, declared);
  if (options.channelPicture && !CHANNEL_PICTURES.has(mime)) {
    throw invalid([fieldError(field, 'channel_picture')]);
  }
  if (options.only !== undefined && kind !== options.only) throw invalid([fieldError(field, 'not_picture')]);
  if (kind === 'image' && options.only === undefined)
    await assertReadable(
      { field, bytes: () => Promise.resolve(bytes) },
      { fewPixels: options.channelPicture ?? false },
    );
  return describeMedia({ mime, kind }, bytes);
}

/** Returns the picture of a link preview that came as base64 in the field `field`. Throws as `acceptMedia` and `toCardPicture` do. */
export async function acceptCardPicture(field: string, base64: string): Promise<JpegPicture> {
  const { bytes } = await acceptMedia(field, base64, { only: 'image' });
  return toCardPicture({ field, bytes });
}

/** Returns a file that is in memory as a whole, with what it tells about itself. */
export async function describeMedia({ mime, kind }: Pick<Media, 'mime' | 'kind'>, bytes: Buffer): Promise<Media> {
  const sha256 = createHash('sha256').update(bytes).digest();
  const media = { mime, kind, size: bytes.length, sha256, bytes };
  if (kind !== 'video') return media;
  const movie = await readMovie((from, length) => Promise.resolve(bytes.subarray(from, from + length)));
  return movie ? { ...media, movie } : media;
}
