/**
 * Strips the metadata of a picture: place and time, camera, comments, thumbnails. The pixels stay as they are. An allow list names the
 * parts that are kept; everything else goes, also data behind the end of the picture.
 * `sharp` cannot do this: it encodes the pixels again, which costs a JPEG quality and an animated PNG all frames but the first.
 */
import { crc32 } from 'node:zlib';

/** Denial of service: no real picture has as many parts. */
const MOST_PARTS = 50_000;

/**
 * Returns the stripped picture with the Exif orientation (1 to 8, where 1 is upright). Undefined if the file is malformed.
 */
export function stripPicture(bytes: Buffer, mime: string, orientation: number | undefined): Buffer | undefined {
  const turn = orientation === undefined || orientation === 1 ? undefined : describeTurn(orientation);
  return mime === 'image/png' ? stripPng(bytes, turn) : stripJpeg(bytes, turn);
}

/** An Exif directory with one entry. */
function describeTurn(orientation: number): Buffer {
  const turn = Buffer.from('49492a0008000000010012010300010000000000000000000000', 'hex');
  turn.writeUInt16LE(orientation, 18);
  return turn;
}

const PNG_HEAD = 8;
const PNG_PIXELS = ['IHDR', 'PLTE', 'IDAT', 'IEND', 'tRNS', 'bKGD', 'pHYs', 'acTL', 'fcTL', 'fdAT'];
const PNG_COLOURS = ['sBIT', 'gAMA', 'cHRM', 'sRGB', 'iCCP', 'cICP', 'mDCV', 'cLLI'];
const PNG_ALLOWED = new Set([...PNG_PIXELS, ...PNG_COLOURS]);

function stripPng(bytes: Buffer, turn: Buffer | undefined): Buffer | undefined {
  const kept = [bytes.subarray(0, PNG_HEAD)];
  let [at, parts, name] = [PNG_HEAD, 0, ''];
  while (at + 8 <= bytes.length && name !== 'IEND') {
    name = bytes.toString('latin1', at + 4, at + 8);
    if ((parts += 1) > MOST_PARTS || (parts === 1) !== (name === 'IHDR')) return undefined;
    const end = at + 12 + bytes.readUInt32BE(at);
    // A truncated picture ends before that.
    if (PNG_ALLOWED.has(name)) kept.push(bytes.subarray(at, end));
    if (name === 'IHDR' && turn) kept.push(pngChunk('eXIf', turn));
    at = end;
  }
  return parts > 0 ? Buffer.concat(kept) : undefined;
}

function pngChunk(name: string, data: Buffer): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(name, 'latin1'), data, Buffer.alloc(4)]);
  chunk.writeUInt32BE(data.length);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4);
  return chunk;
}

/** Padding: any number may precede a marker. */
const JPEG_FILL = 0xff;
const JPEG_END = 0xd9;
const JPEG_SCAN = 0xda;
/** The application segments that change how a JPEG looks: its colour profile. */
const JPEG_ALLOWED = new Map([
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xee, 'Adobe'],
]);

function stripJpeg(bytes: Buffer, turn: Buffer | undefined): Buffer | undefined {
  const kept = [bytes.subarray(0, 2), ...(turn ? [jpegTurn(turn)] : [])];
  let [at, parts, isShown] = [2, 0, false];
  while (at + 2 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === JPEG_FILL) {
      at += 1;
      continue;
    }
    const end = marker === JPEG_END ? at + 2 : endOfSegment(bytes, at);
    if (end === undefined) break;
    if ((parts += 1) > MOST_PARTS) return undefined;
    isShown ||= marker === JPEG_SCAN;
    const next = marker === JPEG_SCAN ? endOfScan(bytes, end) : end;
    if (isKept(marker, bytes.subarray(at + 4, end))) kept.push(bytes.subarray(at, next));
    if (marker === JPEG_END) break;
    at = next;
  }
  // A truncated picture shows as much as there is.
  return isShown ? Buffer.concat(kept) : undefined;
}

function endOfSegment(bytes: Buffer, at: number): number | undefined {
  const length = at + 4 <= bytes.length ? bytes.readUInt16BE(at + 2) : 0;
  return length < 2 || at + 2 + length > bytes.length ? undefined : at + 2 + length;
}

/** The position of the next marker. Within the pixels such a byte is followed by 0 or a restart marker. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue;
    const next = bytes[at + 1] ?? 0;
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at;
  }
  return bytes.length;
}

function isKept(marker: number, content: Buffer): boolean {
  const isAddition = (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
  const head = JPEG_ALLOWED.get(marker);
  return !isAddition || (head !== undefined && content.toString('latin1', 0, head.length) === head);
}

function jpegTurn(turn: Buffer): Buffer {
  const head = Buffer.from('ffe10000457869660000', 'hex');
  head.writeUInt16BE(2 + 6 + turn.length, 2);
  return Buffer.concat([head, turn]);
}
