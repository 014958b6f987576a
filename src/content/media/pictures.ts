/** Reads and converts pictures outside of the event loop. Decompression bombs: the number of pixels and the time are limited. */
import type { Metadata, Sharp } from 'sharp';

export interface Picture {
  /** In pixels, after rotation. */
  width: number;
  height: number;
  isAnimated: boolean;
  /** The Exif orientation, if there is one. */
  orientation: number | undefined;
  /** A small JPEG; undefined if the picture is too large, or damaged. */
  thumbnail: Buffer | undefined;
}

/** For formats that are decoded line by line, and for those that have to be in memory as a whole. */
const MOST_PIXELS = 100_000_000;
const MOST_PIXELS_AT_ONCE = 25_000_000;
const DECODING_SECONDS = 15;
const THUMBNAIL_EDGE = 96;
const CHANNEL_PICTURE_EDGE = 640;
/** The largest picture of a link preview, in pixels and bytes. */
export const CARD_EDGE = 800;
export const CARD_BYTES = 128 * 1024;
/** Smaller and coarser until the picture fits. */
const CARD_SIZES = [
  [CARD_EDGE, 80],
  [640, 65],
  [400, 50],
] as const;
/** Stills of films, in pixels. */
const STILL_EDGE = 320;
const WHITE = '#ffffff';

let last: Promise<unknown> = Promise.resolve();

/** One at a time in the process: a picture may take 100 MB while it is decoded. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

/** Undefined if it is not readable as a picture. */
export function readPictureInfo(bytes: Buffer): Promise<Picture | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    if (!opened) return undefined;
    const { image, described } = opened;
    const { width, height } = described.autoOrient;
    const small = () =>
      image.clone().resize(THUMBNAIL_EDGE, THUMBNAIL_EDGE, { fit: 'inside', withoutEnlargement: true });
    const thumbnail = isTooLarge(described) ? undefined : await toJpeg(small(), 50);
    const { orientation, pages = 1 } = described;
    return { width, height, isAnimated: pages > 1, orientation, thumbnail };
  });
}

/** The picture as a JPEG of the same size. Undefined if it is unreadable or too large. */
export function convertToJpeg(bytes: Buffer): Promise<Buffer | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    return opened && !isTooLarge(opened.described) ? toJpeg(opened.image, 90) : undefined;
  });
}

/** The square JPEG of a channel. Undefined if the picture is unreadable or too large. */
export function toChannelPicture(bytes: Buffer): Promise<Buffer | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    if (!opened || isTooLarge(opened.described)) return undefined;
    const square = opened.image.resize(CHANNEL_PICTURE_EDGE, CHANNEL_PICTURE_EDGE, { fit: 'cover' });
    return toJpeg(square, 80);
  });
}

/**
 * The picture of a link preview: a JPEG within `CARD_EDGE` and `CARD_BYTES`, without metadata. A picture that is one already stays as it is, so that
 * a copy of a post has the same. Undefined if the picture is unreadable or too large.
 */
export function toCardPicture(bytes: Buffer): Promise<{ bytes: Buffer; width: number; height: number } | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    if (!opened || isTooLarge(opened.described)) return undefined;
    const { image, described } = opened;
    if (isCardPicture(described, bytes)) return { bytes, width: described.width, height: described.height };
    for (const [edge, quality] of CARD_SIZES) {
      const small = image.clone().resize(edge, edge, { fit: 'inside', withoutEnlargement: true });
      const jpeg = await toJpeg(small, quality);
      if (!jpeg) return undefined;
      const shrunk = jpeg.length <= CARD_BYTES ? await open(jpeg) : undefined;
      if (shrunk) return { bytes: jpeg, width: shrunk.described.width, height: shrunk.described.height };
    }
    return undefined;
  });
}

/** The still of a film: a JPEG within `STILL_EDGE`, some 10 KiB, without metadata. Undefined if the picture is unreadable or too large. */
export function toStill(bytes: Buffer): Promise<Buffer | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    if (!opened || isTooLarge(opened.described)) return undefined;
    return toJpeg(opened.image.resize(STILL_EDGE, STILL_EDGE, { fit: 'inside', withoutEnlargement: true }), 65);
  });
}

function isCardPicture({ format, width, height, ...described }: Metadata, bytes: Buffer): boolean {
  const { exif, icc, iptc, xmp, comments, space } = described;
  const isPlain = ![exif, icc, iptc, xmp, comments].some((extra) => extra !== undefined && extra.length > 0);
  const isSmall = Math.max(width, height) <= CARD_EDGE && bytes.length <= CARD_BYTES;
  return format === 'jpeg' && isPlain && isSmall && (space === 'srgb' || space === 'b-w');
}

async function open(bytes: Buffer): Promise<{ image: Sharp; described: Metadata } | undefined> {
  // Loaded with the first picture: it takes its share of memory.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  const image = sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true });
  const described = await readable(image.metadata());
  return described && { image, described };
}

function isTooLarge({ width, height, format, isProgressive }: Metadata): boolean {
  const isByLines = (format === 'jpeg' || format === 'png') && !isProgressive;
  return width * height > (isByLines ? MOST_PIXELS : MOST_PIXELS_AT_ONCE);
}

/** Rotated, and on white where it is transparent. */
function toJpeg(image: Sharp, quality: number): Promise<Buffer | undefined> {
  const upright = image.autoOrient().flatten({ background: WHITE });
  return readable(upright.jpeg({ quality }).timeout({ seconds: DECODING_SECONDS }).toBuffer());
}

/** Undefined if the picture is unreadable. */
async function readable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
