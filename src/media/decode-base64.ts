import { invalid, type AppError } from '../lib/errors.ts';

/** The most bytes a media file may have (contract §3, add-campaign): 16 MiB. */
export const MEDIA_LIMIT = 16 * 1024 * 1024;

const MEDIA_LIMIT_TEXT = Math.ceil(MEDIA_LIMIT / 3) * 4;
// `data:` + type + parameters + `;base64,`; a type is 127 + 1 + 127 characters at most (RFC 6838).
const LONGEST_HEAD = 512;
/** How many characters are decoded in place at a time. */
const PIECE = 64 * 1024;
const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

/** A text of base64, or its bytes, which decoding then overwrites: at 16 MiB a second copy counts. */
export type Base64 = string | Buffer;

export interface Decoded {
  /** The type a data URL named, in lower case without parameters; undefined when there was none. It proves nothing. */
  declared: string | undefined;
  bytes: Buffer;
}

/**
 * The bytes of a base64 string, with or without the head of a data URL (`data:image/png;base64,`). Strict: the standard alphabet, all
 * of the padding, no stray bits in the last character; ASCII white space may stand between. `field` names the string in errors.
 *
 * @throws AppError `invalid` for anything else, for nothing, and for more than `MEDIA_LIMIT` bytes
 */
export function decodeBase64(field: string, text: Base64): Decoded {
  const { declared, from } = readHead(field, text);
  const payload = typeof text === 'string' ? text.slice(from) : text.subarray(from);
  if (payload.length > MEDIA_LIMIT_TEXT && countSignificant(payload) > MEDIA_LIMIT_TEXT) throw tooLong(field);
  const bytes = decodeStrictly(field, payload);
  if (bytes.length === 0) throw invalid([{ field, issue: 'is empty' }]);
  if (bytes.length > MEDIA_LIMIT) throw tooLong(field);
  return { declared, bytes };
}

function readHead(field: string, text: Base64): { declared: string | undefined; from: number } {
  const start = typeof text === 'string' ? text.slice(0, LONGEST_HEAD) : text.toString('latin1', 0, LONGEST_HEAD);
  if (!/^data:/i.test(start)) return { declared: undefined, from: 0 };
  const comma = start.indexOf(',');
  const parts = start.slice('data:'.length, Math.max(comma, 0)).toLowerCase().split(';');
  if (comma < 0 || parts.length < 2 || parts.at(-1) !== 'base64') {
    throw invalid([{ field, issue: 'is a data URL that does not begin like data:image/png;base64,' }]);
  }
  const [type = ''] = parts;
  if (type !== '' && !MIME.test(type)) throw invalid([{ field, issue: 'is a data URL of a type that makes no sense' }]);
  return { declared: type === '' ? undefined : type, from: comma + 1 };
}

/** How many characters are not white space. Only a text too long at first sight is counted, so that this is rarely paid for. */
function countSignificant(text: Base64): number {
  let count = 0;
  if (typeof text === 'string') {
    for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x20) count++;
  } else for (const byte of text) if (byte > 0x20) count++;
  return count;
}

function decodeStrictly(field: string, payload: Base64): Buffer {
  try {
    if (typeof payload !== 'string') return decodeInPlace(payload);
    const bytes = Uint8Array.fromBase64(payload, { alphabet: 'base64', lastChunkHandling: 'strict' });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    if (error instanceof SyntaxError) throw invalid([{ field, issue: 'is not base64 with all of its padding' }]);
    throw error;
  }
}

/** Decodes piece by piece into the text's own memory: what is written never overtakes what is read. */
function decodeInPlace(text: Buffer): Buffer {
  let read = 0;
  let written = 0;
  let size = PIECE;
  while (read < text.length) {
    const piece = text.toString('latin1', read, read + size);
    // Only white space may follow padding, and a piece of little else may hold no whole group: then the rest is one piece.
    const isLast = read + size >= text.length;
    if (!isLast && piece.includes('=')) {
      size = text.length;
      continue;
    }
    const done = text
      .subarray(written)
      .setFromBase64(piece, { alphabet: 'base64', lastChunkHandling: isLast ? 'strict' : 'stop-before-partial' });
    if (!isLast && done.read === 0) size = text.length;
    read += done.read;
    written += done.written;
  }
  return text.subarray(0, written);
}

function tooLong(field: string): AppError {
  return invalid([{ field, issue: `is larger than ${MEDIA_LIMIT / 1024 / 1024} MiB` }]);
}
