import { invalid, fieldError } from '../../platform/errors/errors.ts';

/** The way in which a messenger shows a file. */
export type MediaKind = 'image' | 'video' | 'audio' | 'document';

export interface MediaType {
  mime: string;
  kind: MediaKind;
  /** Without a point. */
  extension: string;
}

/** Files with the same leading bytes (magic number), and the types among them. */
interface Family {
  at: number;
  bytes: readonly number[];
  types: ReadonlyMap<string, MediaType>;
  /** The type of other files with the same leading bytes. */
  otherwise?: MediaType;
  /** The type of a truncated file. */
  cutShort?: MediaType;
}

const OFFICE_XML = 'application/vnd.openxmlformats-officedocument';
const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument';

export const JPEG = media('jpg', 'image', 'image/jpeg');
/** Is converted before it is kept: few phones and browsers show it. */
export const HEIC = media('heic', 'image', 'image/heic');
const AVIF = media('avif', 'image', 'image/avif');
const MP3 = types(['mp3', 'audio', 'audio/mpeg']);
const ZIP = media('zip', 'document', 'application/zip');

// A file that begins like none of these is rejected at once (contract §3, add-campaign). SVG and HTML are text that can carry scripts.
const FAMILIES: readonly Family[] = [
  { at: 0, bytes: [0xff, 0xd8, 0xff], types: new Map([['jpg', JPEG]]) },
  {
    at: 0,
    bytes: ascii('\x89PNG\r\n\x1a\n'),
    cutShort: media('png', 'image', 'image/png'),
    types: new Map([...types(['png', 'image', 'image/png']), ['apng', media('png', 'image', 'image/png')]]),
  },
  { at: 0, bytes: ascii('RIFF'), types: types(['webp', 'image', 'image/webp'], ['wav', 'audio', 'audio/wav']) },
  { at: 0, bytes: ascii('GIF8'), types: types(['gif', 'image', 'image/gif']) },
  {
    at: 4,
    bytes: ascii('ftyp'),
    types: new Map([
      ...types(['mp4', 'video', 'video/mp4'], ['3gp', 'video', 'video/3gpp'], ['m4a', 'audio', 'audio/mp4']),
      ...types(['mov', 'video', 'video/quicktime']),
      ['avif', AVIF],
      ['m4v', media('mp4', 'video', 'video/mp4')],
    ]),
  },
  { at: 0, bytes: ascii('ID3'), types: MP3, cutShort: media('mp3', 'audio', 'audio/mpeg') },
  { at: 0, bytes: [0xff], types: new Map([...MP3, ...types(['aac', 'audio', 'audio/aac'])]) },
  // Matroska. Phones show no WebM as a video.
  { at: 0, bytes: [0x1a, 0x45, 0xdf, 0xa3], types: types(['webm', 'document', 'video/webm']) },
  {
    at: 0,
    bytes: ascii('OggS'),
    types: new Map([['opus', media('ogg', 'audio', 'audio/ogg; codecs=opus')]]),
    otherwise: media('ogg', 'audio', 'audio/ogg'),
    cutShort: media('ogg', 'audio', 'audio/ogg'),
  },
  { at: 0, bytes: ascii('%PDF'), types: types(['pdf', 'document', 'application/pdf']) },
  {
    at: 0,
    bytes: ascii('PK\x03\x04'),
    types: types(
      ['docx', 'document', `${OFFICE_XML}.wordprocessingml.document`],
      ['xlsx', 'document', `${OFFICE_XML}.spreadsheetml.sheet`],
      ['pptx', 'document', `${OFFICE_XML}.presentationml.presentation`],
      ['odt', 'document', `${OPEN_DOCUMENT}.text`],
      ['ods', 'document', `${OPEN_DOCUMENT}.spreadsheet`],
      ['odp', 'document', `${OPEN_DOCUMENT}.presentation`],
    ),
    otherwise: ZIP,
    cutShort: ZIP,
  },
  // An archive with nothing in it begins with its end.
  { at: 0, bytes: ascii('PK\x05\x06'), types: new Map(), otherwise: ZIP, cutShort: ZIP },
];

const COMPOUND_FILE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
// The name of the stream that holds the document says which of the old office programs wrote it.
const COMPOUND_STREAMS = [
  { stream: 'WordDocument', type: media('doc', 'document', 'application/msword') },
  { stream: 'PowerPoint Document', type: media('ppt', 'document', 'application/vnd.ms-powerpoint') },
  { stream: 'Workbook', type: media('xls', 'document', 'application/vnd.ms-excel') },
  { stream: 'Book', type: media('xls', 'document', 'application/vnd.ms-excel') },
];

const OTHER_COMPOUND = media('cfb', 'document', 'application/x-cfb');

const BMP = media('bmp', 'document', 'image/bmp');
const BMP_SIGNATURE = ascii('BM');
/** The length of the second header, after the first of 14 bytes. Two letters alone could be any text. */
const BMP_HEADERS = new Set([12, 40, 52, 56, 64, 108, 124]);

// Text has no leading bytes of its own, so a data URL has to name its type.
const TEXTS = new Map([
  ['text/plain', media('txt', 'document', 'text/plain')],
  ['text/csv', media('csv', 'document', 'text/csv')],
  ['text/vcard', media('vcf', 'document', 'text/vcard')],
  ['text/x-vcard', media('vcf', 'document', 'text/vcard')],
]);
const TEXT_TYPES = new Set(TEXTS.values().map(({ mime }) => mime));
const VCARD = /^\s*BEGIN:VCARD\s/i;
// oxlint-disable-next-line no-control-regex -- a text has none of them
const CONTROL_CHARACTER = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;
const BYTE_ORDER_MARKS = [
  [0xff, 0xfe],
  [0xfe, 0xff],
];

/** The brands of HEIF files, whose pictures are in HEVC unless one of the further brands says AV1. */
const HEIF_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'mif1', 'msf1']);

const TAKEN =
  'a JPEG, PNG, WebP, HEIC, AVIF, GIF, MP4, MOV, 3GP, MP3, OGG, M4A, AAC, WAV, WebM, BMP or PDF file, an office document, a text, CSV or VCF file in a data URL that names its type, or a ZIP';

/**
 * Returns the type of a file by its own bytes: a name or a declared type proves nothing, except that of a text, which has no other sign.
 * Nothing is decoded (`assertReadable` of pictures does that). Terminates quickly for any input: archives are inspected
 * within file-type's limits. Throws `invalid` for a type that is not accepted.
 */
export async function sniff(field: string, bytes: Uint8Array, declared?: string): Promise<MediaType> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const type = sniffText(buffer, declared) ?? sniffBinary(buffer) ?? (await sniffFamily(bytes));
  if (type === undefined) throw invalid([fieldError(field, 'file_type', { accepted: TAKEN })]);
  return type;
}

function sniffText(buffer: Buffer, declared: string | undefined): MediaType | undefined {
  const named = declared === undefined ? undefined : TEXTS.get(declared);
  const isCard = VCARD.test(buffer.toString('latin1', 0, 64));
  if ((!named && !isCard) || begins(buffer, ascii('%PDF'), 0)) return undefined;
  const isWide = BYTE_ORDER_MARKS.some((mark) => begins(buffer, mark, 0));
  if (!isWide && hasControlCharacter(buffer)) return undefined;
  return isCard ? TEXTS.get('text/vcard') : named;
}

function sniffBinary(buffer: Buffer): MediaType | undefined {
  if (begins(buffer, COMPOUND_FILE, 0)) return sniffCompound(buffer);
  const isBmp = begins(buffer, BMP_SIGNATURE, 0) && buffer.length > 18 && BMP_HEADERS.has(buffer.readUInt32LE(14));
  return isBmp ? BMP : sniffHeif(buffer);
}

function sniffHeif(buffer: Buffer): MediaType | undefined {
  if (!begins(buffer, ascii('ftyp'), 4) || !HEIF_BRANDS.has(buffer.toString('latin1', 8, 12))) return undefined;
  return buffer.subarray(16, buffer.readUInt32BE(0)).includes('avif') ? AVIF : HEIC;
}

async function sniffFamily(bytes: Uint8Array): Promise<MediaType | undefined> {
  const family = FAMILIES.find((candidate) => begins(bytes, candidate.bytes, candidate.at));
  if (family === undefined) return undefined;
  const extension = await detectExtension(bytes);
  return extension === undefined ? family.cutShort : (family.types.get(extension) ?? family.otherwise);
}

async function detectExtension(bytes: Uint8Array): Promise<string | undefined> {
  // Loaded with the first file, since many an installation never sees one.
  const { fileTypeFromBuffer } = await import('file-type');
  try {
    return (await fileTypeFromBuffer(bytes))?.ext;
  } catch {
    // file-type throws at some broken files. To us they are like all others that cannot be recognised.
    return undefined;
  }
}

/** The usual extension of a media type that `sniff` answers, without a point; `bin` for others. */
export function extensionOf(mime: string): string {
  return typeOf(mime)?.extension ?? 'bin';
}

/** Returns the kind of a media type that `sniff` returns; `document` for others. */
export function kindOf(mime: string): MediaKind {
  return typeOf(mime)?.kind ?? 'document';
}

function typeOf(mime: string): MediaType | undefined {
  return knownTypes().find((type) => type.mime === mime);
}

function knownTypes(): MediaType[] {
  return [
    ...FAMILIES.flatMap((family) => [...family.types.values(), ...(family.otherwise ? [family.otherwise] : [])]),
    ...COMPOUND_STREAMS.map(({ type }) => type),
    OTHER_COMPOUND,
    BMP,
    HEIC,
    ...TEXTS.values(),
  ];
}

/** Of the same types, and of those that people take for one of them. */
const OTHER_EXTENSIONS = new Set([
  'jpeg',
  'jpe',
  'jfif',
  'apng',
  'heif',
  'm4v',
  'qt',
  'oga',
  'opus',
  'vcard',
  'htm',
  'html',
  'exe',
]);

/** Whether files are usually named like this by their type. */
export function isExtension(extension: string): boolean {
  const given = extension.toLowerCase();
  return OTHER_EXTENSIONS.has(given) || knownTypes().some((type) => type.extension === given);
}

function sniffCompound(buffer: Buffer): MediaType {
  return COMPOUND_STREAMS.find(({ stream }) => buffer.includes(stream, 0, 'utf16le'))?.type ?? OTHER_COMPOUND;
}

/** The bytes before a piece in which the name of a stream may begin. */
const LONGEST_STREAM_BYTES = 2 * Math.max(...COMPOUND_STREAMS.map(({ stream }) => stream.length));

/** Returns the type of a file in the light of its next piece: the office program that wrote it may be named there. */
export function sniffFurther(type: MediaType, previous: Buffer, piece: Buffer): MediaType {
  return type === OTHER_COMPOUND
    ? sniffCompound(Buffer.concat([previous.subarray(-LONGEST_STREAM_BYTES), piece]))
    : type;
}

/** Whether the pieces of this file must be text, too: not in UTF-16, whose bytes may be anything. */
export function isPlainText({ mime }: MediaType, head: Buffer): boolean {
  return TEXT_TYPES.has(mime) && !BYTE_ORDER_MARKS.some((mark) => begins(head, mark, 0));
}

export function hasControlCharacter(bytes: Buffer): boolean {
  return CONTROL_CHARACTER.test(bytes.toString('latin1'));
}

function begins(bytes: Uint8Array, signature: readonly number[], at: number): boolean {
  return bytes.length > at + signature.length && signature.every((byte, index) => bytes[at + index] === byte);
}

function types(...list: [extension: string, kind: MediaKind, mime: string][]): Map<string, MediaType> {
  return new Map(list.map(([extension, kind, mime]) => [extension, media(extension, kind, mime)]));
}

function media(extension: string, kind: MediaKind, mime: string): MediaType {
  return { mime, kind, extension };
}

function ascii(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}
