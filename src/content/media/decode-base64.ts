import { invalid, fieldError } from '../../platform/errors/errors.ts';

/** The most bytes a media file may have (contract §3, add-campaign): 16 MiB. */
export const MEDIA_LIMIT = 16 * 1024 * 1024;

// `data:` + type + parameters + `;base64,`. A parameter may be the name of the file, percent-encoded or not.
const LONGEST_HEAD = 4_096;
const HEAD = /^\s*data:(?<type>[^;,]*)(?:;[^]*?)??;\s*base64\s*,/iu;
const MIME = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/;

export interface Decoded {
  /** The type a data URL named, in lower case without parameters; undefined when there was none. It proves nothing. */
  declared: string | undefined;
  bytes: Buffer;
}

/**
 * The bytes of a base64 string, with or without the head of a data URL (`data:image/png;base64,`). Takes the standard and the URL-safe
 * alphabet (RFC 4648, §4 and §5), with or without padding, and ASCII white space in between. A string that mixes the alphabets, or has
 * stray bits in the last character, was damaged on its way. Each `+` that a form has turned into a space is read as one. `field` names the
 * string in errors.
 *
 * @throws AppError `invalid` for anything else, for nothing, and for more than `limitBytes`
 */
export function decodeBase64(field: string, text: string, limitBytes = MEDIA_LIMIT): Decoded {
  const { declared, from } = readHead(field, text);
  const bytes = decodePayload(text.slice(from));
  if (bytes === undefined) throw invalid([fieldError(field, 'not_base64')]);
  if (bytes.length === 0) throw invalid([fieldError(field, 'empty_file')]);
  if (bytes.length > limitBytes)
    throw invalid([fieldError(field, 'file_too_large', { limit: limitBytes / 1024 / 1024 })]);
  return { declared, bytes };
}

function readHead(field: string, text: string): { declared: string | undefined; from: number } {
  const start = text.slice(0, LONGEST_HEAD);
  if (/^\s*https?:\/\//i.test(start)) throw invalid([fieldError(field, 'url_of_file')]);
  if (!/^\s*data:/i.test(start)) return { declared: undefined, from: 0 };
  const head = HEAD.exec(start);
  if (!head) throw invalid([fieldError(field, 'data_url_head')]);
  const type = head.groups?.['type']?.trim().toLowerCase() ?? '';
  if (type !== '' && !MIME.test(type)) throw invalid([fieldError(field, 'data_url_type')]);
  return { declared: type === '' ? undefined : type, from: head[0].length };
}

/** Returns undefined for anything that is not base64. */
function decodePayload(payload: string): Buffer | undefined {
  // A regular expression would take ten times as long.
  if (payload.includes('-') || payload.includes('_')) return decode(payload, 'base64url');
  if (payload.includes('+') || !payload.includes(' ')) return decode(payload, 'base64');
  const asPlus = decode(payload.replaceAll(/[\t\r\n\f]+/g, '').replaceAll(' ', '+'), 'base64');
  const asSpace = decode(payload, 'base64');
  // Where both are base64, nobody knows which file it was.
  return asSpace && asPlus ? undefined : (asPlus ?? asSpace);
}

function decode(payload: string, alphabet: 'base64' | 'base64url'): Buffer | undefined {
  // To count the characters takes longer than to try: only the end can differ.
  for (const padding of ['', '=', '==']) {
    const bytes = decodeStrictly(payload + padding, alphabet);
    if (bytes) return bytes;
  }
  return undefined;
}

function decodeStrictly(payload: string, alphabet: 'base64' | 'base64url'): Buffer | undefined {
  try {
    const bytes = Uint8Array.fromBase64(payload, { alphabet, lastChunkHandling: 'strict' });
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
