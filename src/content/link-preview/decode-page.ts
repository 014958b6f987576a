/** Finds out the encoding of a web page, as browsers do (WHATWG HTML, "determining the character encoding"), and decodes it. */

const PRESCAN_BYTES = 4_096;
const CHARSET = /charset\s*=\s*["']?\s*([\w.:-]{1,40})/i;
const META = /<meta\b[^>]{0,1000}/gi;
const XML_ENCODING = /^<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i;
const FALLBACK = 'windows-1252';

/**
 * Returns the text of a page. Bytes that are valid UTF-8 and not only ASCII are UTF-8, whatever the page and its server say: by chance no
 * other encoding looks like it. A declared encoding that cannot be is passed over.
 */
export function decodePage(bytes: Uint8Array, contentType: string | undefined): string {
  const candidates = [
    byteOrderMark(bytes),
    ...(isWideUtf8(bytes) ? ['utf-8'] : []),
    CHARSET.exec(contentType ?? '')?.[1],
    ...declared(bytes),
  ];
  for (const label of [...candidates, 'utf-8', FALLBACK]) {
    const text = label === undefined ? undefined : decodeAs(label, bytes);
    if (text !== undefined) return text;
  }
  return '';
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function isWideUtf8(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte >= 0x80) && decodeAs('utf-8', bytes) !== undefined;
}

/** The encodings that the page itself names. One that could name itself is a superset of ASCII, so UTF-16 must be a mistake. */
function declared(bytes: Uint8Array): string[] {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, PRESCAN_BYTES)).toString(
    'latin1',
  );
  const labels = [XML_ENCODING.exec(head)?.[1], ...Array.from(head.matchAll(META), ([tag]) => CHARSET.exec(tag)?.[1])];
  return labels.flatMap((label) => (label === undefined ? [] : /^utf-?16/i.test(label) ? 'utf-8' : label));
}

/** Undefined if there is no such encoding, or the bytes are none of it. The page may be cut off within a character. */
function decodeAs(label: string, bytes: Uint8Array): string | undefined {
  const isLast = label === FALLBACK;
  try {
    return new TextDecoder(label, { fatal: !isLast }).decode(bytes, { stream: true });
  } catch {
    return undefined;
  }
}
