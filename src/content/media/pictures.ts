/** Reads and converts pictures outside of the event loop. Decompression bombs: the number of pixels and the time are limited. */
import type { Metadata, Sharp, SharpOptions } from 'sharp';
import { createFairSemaphore, withPermit } from '../../platform/concurrency/fair-semaphore.ts';
import type { Party } from '../../platform/concurrency/party.ts';
import { invalid, type AppError, fieldError } from '../../platform/errors/errors.ts';
import { addProfile } from './add-profile.ts';
import { decodeHeic } from './decode-heic.ts';

/** The picture of a post, as its delivery needs it. */
export interface Picture {
  /** In pixels, after rotation. */
  width: number;
  height: number;
  /** The Exif orientation, if there is one. */
  orientation: number | undefined;
  /** A small JPEG; undefined if the picture is too large, or damaged. */
  thumbnail: Buffer | undefined;
  /** The picture as a JPEG of the same size, if that was asked for; undefined if it is animated, too large, or damaged. */
  jpeg: Buffer | undefined;
}

export interface JpegPicture {
  bytes: Buffer;
  /** In pixels. */
  width: number;
  height: number;
}

/** A picture that is to be decoded for a request. */
interface SentPicture {
  /** Names the picture in errors. */
  field: string;
  bytes: Buffer;
  /** Whose share it takes; the present requester's unless given. */
  party?: Party;
  signal?: AbortSignal;
}

/** Larger pictures are not decoded (contract §9). A PNG of 12 KB may have 100 million pixels, and take a second. */
const MEGAPIXELS = 25;
const MOST_PIXELS = MEGAPIXELS * 1_000_000;
const DECODING_SECONDS = 15;
export const THUMBNAIL_EDGE = 96;
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
/** Phones write HEIC at about this quality. */
const HEIC_QUALITY = 90;
/** Stills of films, in pixels. */
const STILL_EDGE = 320;
const WHITE = '#ffffff';
const INSIDE = { fit: 'inside', withoutEnlargement: true } as const;

/** A picture may take 100 MB while it is decoded, and a core. */
const requests = createFairSemaphore({ name: 'pictures', size: 2, perKey: 1, maxWaiting: 200, maxWaitMs: 20_000 });
/** A share of their own: a delivery never waits behind the pictures of requests. */
const deliveries = createFairSemaphore({ name: 'delivered_pictures', size: 1 });

/** Describes the picture of an account's delivery, and converts it if `asJpeg`. Undefined if it is not readable as a picture. */
export async function prepareForDelivery(
  bytes: Buffer,
  { accountId, asJpeg = false }: { accountId: number; asJpeg?: boolean },
): Promise<Picture | undefined> {
  const prepare = async () => {
    const described = await describe(bytes);
    if (!described) return undefined;
    const { orientation, pages = 1, autoOrient } = described;
    const isAnimated = pages > 1;
    const whole = isTooLarge(described) ? undefined : await open(bytes);
    const jpeg = asJpeg && whole && !isAnimated ? await toJpeg(whole, 90) : undefined;
    // The converted picture is read again at an eighth of its size, and so in no time.
    const small = jpeg ? await open(jpeg.bytes) : whole;
    const thumbnail = small && (await toJpeg(small.resize(THUMBNAIL_EDGE, THUMBNAIL_EDGE, INSIDE), 50));
    return { ...autoOrient, orientation, thumbnail: thumbnail?.bytes, jpeg: jpeg?.bytes };
  };
  return withPermit(deliveries, prepare, { party: [`account ${accountId}`] });
}

/** The square JPEG of a channel. Throws as `toCardPicture` does. */
export function toChannelPicture(sent: SentPicture): Promise<Buffer> {
  return decodeSent(sent, async (image) => {
    const jpeg = await toJpeg(image.resize(CHANNEL_PICTURE_EDGE, CHANNEL_PICTURE_EDGE, { fit: 'cover' }), 80);
    return jpeg?.bytes;
  });
}

/**
 * The picture of a link preview: a JPEG within `CARD_EDGE` and `CARD_BYTES`, without metadata. A picture that is one already stays as it is, so that
 * a copy of a post has the same. Throws 400 if the picture is unreadable or too large, and 503 when too many wait to be decoded.
 */
export function toCardPicture(sent: SentPicture): Promise<JpegPicture> {
  const { bytes } = sent;
  return decodeSent(sent, async (image, described) => {
    if (isCardPicture(described, bytes)) return { bytes, width: described.width, height: described.height };
    const decoded = await decodeSmall(image, CARD_EDGE);
    if (!decoded) return undefined;
    for (const [edge, quality] of CARD_SIZES) {
      const jpeg = await toJpeg(decoded.clone().resize(edge, edge, INSIDE), quality);
      if (!jpeg || jpeg.bytes.length <= CARD_BYTES) return jpeg;
    }
    return undefined;
  });
}

/** The still of a film: a JPEG within `edge`, some 10 KiB, without metadata. Throws as `toCardPicture` does. */
export function toStill(sent: SentPicture, edge = STILL_EDGE): Promise<Buffer> {
  return decodeSent(sent, async (image) => (await toJpeg(image.resize(edge, edge, INSIDE), 65))?.bytes);
}

/** A picture that is read with the permit to decode it. */
interface UnreadPicture {
  field: string;
  bytes: () => Promise<Buffer>;
}

/**
 * Throws 400 for a picture that is cut off or damaged, as far as its decoder tells, and 503 when too many wait to be decoded. Of a picture
 * with more pixels than are decoded only the header is read, and with `fewPixels` it is a 400.
 */
export async function assertReadable(
  { field, bytes: load }: UnreadPicture,
  { fewPixels = false }: { fewPixels?: boolean } = {},
): Promise<void> {
  await withPermit(requests, async () => {
    const bytes = await load();
    const described = await describe(bytes);
    if (described && isTooLarge(described)) {
      if (fewPixels) throw tooManyPixels(field);
      return;
    }
    if (!described || !(await isWhole(bytes, described))) throw unreadable(field);
  });
}

/** Returns a HEIC photo as an upright JPEG of the same colours. Throws as `toCardPicture` does. */
export async function convertHeic({ field, bytes }: UnreadPicture): Promise<Buffer> {
  return withPermit(requests, async () => {
    const photo = await decodeHeic(await bytes(), MOST_PIXELS);
    if (photo === 'too large') throw tooManyPixels(field);
    if (photo === undefined) throw unreadable(field);
    const { default: sharp } = await import('sharp');
    const { width, height, pixels, profile } = photo;
    const jpeg = await toJpeg(sharp(pixels, { raw: { width, height, channels: 3 } }), HEIC_QUALITY);
    if (!jpeg) throw unreadable(field);
    return profile ? addProfile(jpeg.bytes, profile) : jpeg.bytes;
  });
}

/** Decodes all pixels, and those of an animation as long as they are few. Doubtful data of a JPEG are a warning of the decoder. */
async function isWhole(bytes: Buffer, { width, height, pages = 1 }: Metadata): Promise<boolean> {
  const image = await open(bytes, { failOn: 'warning', animated: width * height * pages <= MOST_PIXELS });
  const pixels = image.greyscale().raw().timeout({ seconds: DECODING_SECONDS });
  return (await readable(pixels.toBuffer())) !== undefined;
}

function unreadable(field: string): AppError {
  return invalid([fieldError(field, 'unreadable_picture')]);
}

function tooManyPixels(field: string): AppError {
  return invalid([fieldError(field, 'too_many_pixels', { limit: MEGAPIXELS })]);
}

/** Load shedding: a request waits for its turn to decode. `convert` returns undefined if the picture is unreadable. */
function decodeSent<Result>(
  { field, bytes, party, signal }: SentPicture,
  convert: (image: Sharp, described: Metadata) => Promise<Result | undefined>,
): Promise<Result> {
  const decode = async () => {
    const described = await describe(bytes);
    if (described && isTooLarge(described)) throw tooManyPixels(field);
    const converted = described && (await convert(await open(bytes), described));
    if (converted === undefined) throw unreadable(field);
    return converted;
  };
  return withPermit(requests, decode, { party, ...(signal && { signal }) });
}

function isCardPicture({ format, width, height, ...described }: Metadata, bytes: Buffer): boolean {
  const { exif, icc, iptc, xmp, comments, space } = described;
  const isPlain = ![exif, icc, iptc, xmp, comments].some((extra) => extra !== undefined && extra.length > 0);
  const isSmall = Math.max(width, height) <= CARD_EDGE && bytes.length <= CARD_BYTES;
  return format === 'jpeg' && isPlain && isSmall && (space === 'srgb' || space === 'b-w');
}

async function open(bytes: Buffer, options: SharpOptions = {}): Promise<Sharp> {
  // Loaded with the first picture: it takes its share of memory.
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: 'error', sequentialRead: true, ...options });
}

/** Reads the header and decodes nothing. Undefined if it is not readable as a picture. */
async function describe(bytes: Buffer): Promise<Metadata | undefined> {
  return readable((await open(bytes, { limitInputPixels: false })).metadata());
}

function isTooLarge({ width, height }: Metadata): boolean {
  return width * height > MOST_PIXELS;
}

/** Decodes a picture once, to be written at several sizes up to `edge`. Undefined if it is unreadable. */
async function decodeSmall(image: Sharp, edge: number): Promise<Sharp | undefined> {
  const pixels = flatten(image).resize(edge, edge, INSIDE).toColourspace('srgb').raw();
  const decoded = await readable(pixels.timeout({ seconds: DECODING_SECONDS }).toBuffer({ resolveWithObject: true }));
  if (!decoded) return undefined;
  const { default: sharp } = await import('sharp');
  const { width, height, channels } = decoded.info;
  return sharp(decoded.data, { raw: { width, height, channels } });
}

async function toJpeg(image: Sharp, quality: number): Promise<JpegPicture | undefined> {
  const jpeg = flatten(image).jpeg({ quality }).timeout({ seconds: DECODING_SECONDS });
  const written = await readable(jpeg.toBuffer({ resolveWithObject: true }));
  return written && { bytes: written.data, width: written.info.width, height: written.info.height };
}

/** Rotated, and on white where it is transparent. */
function flatten(image: Sharp): Sharp {
  return image.autoOrient().flatten({ background: WHITE });
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
