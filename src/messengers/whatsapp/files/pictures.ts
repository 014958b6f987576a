/** What WhatsApp wants to know of a picture, made off the event loop. A picture may be made to harm whoever decodes it. */
import type { Metadata, Sharp } from 'sharp';

/** What a picture is, as far as it can be read. */
export interface Picture {
  /** As it is shown, in pixels. */
  width: number;
  height: number;
  isAnimated: boolean;
  /** How it has to be turned to be upright, as Exif counts; undefined: it does not say. */
  orientation: number | undefined;
  /** A small JPEG; undefined: it is too large to be decoded here, or broken further on. */
  thumbnail: Buffer | undefined;
}

/** Of what is decoded line by line, and of what has to be in memory as a whole. */
const MOST_PIXELS = 100_000_000;
const MOST_PIXELS_AT_ONCE = 25_000_000;
const DECODING_SECONDS = 15;
const THUMBNAIL_EDGE = 96;
const CHANNEL_PICTURE_EDGE = 640;
const WHITE = '#ffffff';

let last: Promise<unknown> = Promise.resolve();

/** One at a time in the process: a picture may take 100 MB while it is decoded. */
function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

/** Undefined for what cannot be read as a picture at all. */
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

/** The picture as a JPEG of its own size. Undefined when it cannot be read, or is too large. */
export function convertToJpeg(bytes: Buffer): Promise<Buffer | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    return opened && !isTooLarge(opened.described) ? toJpeg(opened.image, 90) : undefined;
  });
}

/** The square JPEG that WhatsApp shows for a channel. Undefined when it cannot be read, or is too large. */
export function toChannelPicture(bytes: Buffer): Promise<Buffer | undefined> {
  return inTurn(async () => {
    const opened = await open(bytes);
    if (!opened || isTooLarge(opened.described)) return undefined;
    const square = opened.image.resize(CHANNEL_PICTURE_EDGE, CHANNEL_PICTURE_EDGE, { fit: 'cover' });
    return toJpeg(square, 80);
  });
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

/** Upright, and on white where it is transparent. */
function toJpeg(image: Sharp, quality: number): Promise<Buffer | undefined> {
  const upright = image.autoOrient().flatten({ background: WHITE });
  return readable(upright.jpeg({ quality }).timeout({ seconds: DECODING_SECONDS }).toBuffer());
}

/** That a picture cannot be read is an answer. */
async function readable<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Error) return undefined;
    throw error;
  }
}
