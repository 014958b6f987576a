/** The smallest files of each kind that is recognised by its bytes. */
import { crc32, deflateRawSync } from 'node:zlib';
import { box, film } from './films.ts';
import { HEIC } from './heic.ts';
import { drawPlain } from './pictures.ts';

export interface ZipEntry {
  name: string;
  data?: string | Buffer;
  deflate?: boolean;
  /** Sizes the header claims instead of the true ones. */
  claimed?: number;
  /** Leaves the sizes to a data descriptor behind the data. */
  streamed?: boolean;
}

/** The local part of a ZIP archive, without a directory. */
export function zip(...entries: ZipEntry[]): Buffer {
  return Buffer.concat(entries.map(zipEntry));
}

function zipEntry({ name, data = '', deflate = false, claimed, streamed = false }: ZipEntry): Buffer {
  const plain = Buffer.from(data);
  const stored = deflate ? deflateRawSync(plain) : plain;
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50, 0);
  header.writeUInt16LE(20, 4);
  header.writeUInt16LE(streamed ? 8 : 0, 6);
  header.writeUInt16LE(deflate ? 8 : 0, 8);
  header.writeUInt32LE(crc32(plain), 14);
  header.writeUInt32LE(streamed ? 0 : (claimed ?? stored.length), 18);
  header.writeUInt32LE(streamed ? 0 : (claimed ?? plain.length), 22);
  header.writeUInt16LE(Buffer.byteLength(name), 26);
  return Buffer.concat([header, Buffer.from(name), stored]);
}

function office(part: string): Buffer {
  const type = `application/vnd.openxmlformats-officedocument.${part}.main+xml`;
  const xml = `<?xml version="1.0"?><Types><Override PartName="/x.xml" ContentType="${type}"/></Types>`;
  return zip({ name: '[Content_Types].xml', data: xml, deflate: true }, { name: 'x.xml', data: '<x/>' });
}

function openDocument(part: string): Buffer {
  return zip(
    { name: 'mimetype', data: `application/vnd.oasis.opendocument.${part}` },
    { name: 'content.xml', data: '<x/>' },
  );
}

function compound(stream: string): Buffer {
  const header = Buffer.alloc(1_024);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(header);
  return Buffer.concat([header, Buffer.from(stream, 'utf16le'), Buffer.alloc(256)]);
}

function ogg(codec: string): Buffer {
  return Buffer.concat([Buffer.from('OggS'), Buffer.alloc(24), Buffer.from(codec, 'latin1'), Buffer.alloc(16)]);
}

/** A picture of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
export const [JPEG, WEBP, GIF, AVIF] = (await Promise.all(
  (['jpeg', 'webp', 'gif', 'avif'] as const).map((format) => drawPlain(1, 1, format)),
)) as [Buffer, Buffer, Buffer, Buffer];

const WAV = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(16)]);
const BMP = Buffer.concat([Buffer.from('BM'), Buffer.alloc(12), Buffer.from([40]), Buffer.alloc(64)]);
/** An EBML header that names the type of the document. */
const WEBM = Buffer.concat([Buffer.from('1a45dfa387428284', 'hex'), Buffer.from('webm'), Buffer.alloc(32)]);

/** A file of each accepted kind, with its MIME type. */
export const TAKEN: readonly (readonly [name: string, bytes: Buffer, mime: string, kind: string, extension: string])[] =
  [
    ['JPEG', JPEG, 'image/jpeg', 'image', 'jpg'],
    ['PNG', PNG, 'image/png', 'image', 'png'],
    ['WebP', WEBP, 'image/webp', 'image', 'webp'],
    ['AVIF', AVIF, 'image/avif', 'image', 'avif'],
    ['GIF', GIF, 'image/gif', 'image', 'gif'],
    ['MP4', film({ brand: 'isom' }), 'video/mp4', 'video', 'mp4'],
    ['M4V', film({ brand: 'M4V ' }), 'video/mp4', 'video', 'mp4'],
    ['MOV', film({ brand: 'qt  ' }), 'video/quicktime', 'video', 'mov'],
    ['3GP', film({ brand: '3gp5' }), 'video/3gpp', 'video', '3gp'],
    ['M4A', film({ brand: 'M4A ' }), 'audio/mp4', 'audio', 'm4a'],
    ['MP3', Buffer.from('fffb9064000000000000000000', 'hex'), 'audio/mpeg', 'audio', 'mp3'],
    [
      'MP3 with ID3',
      Buffer.from('494433030000000000 0afffb9064'.replace(' ', ''), 'hex'),
      'audio/mpeg',
      'audio',
      'mp3',
    ],
    ['AAC', Buffer.from('fff15080000000000000', 'hex'), 'audio/aac', 'audio', 'aac'],
    ['WAV', WAV, 'audio/wav', 'audio', 'wav'],
    ['Opus', ogg('OpusHead'), 'audio/ogg; codecs=opus', 'audio', 'ogg'],
    ['Vorbis', ogg('\x01vorbis'), 'audio/ogg', 'audio', 'ogg'],
    ['other OGG', ogg('something'), 'audio/ogg', 'audio', 'ogg'],
    ['WebM', WEBM, 'video/webm', 'document', 'webm'],
    ['BMP', BMP, 'image/bmp', 'document', 'bmp'],
    ['VCF', Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\r\n'), 'text/vcard', 'document', 'vcf'],
    ['PDF', Buffer.from('%PDF-1.7\n%%EOF\n'), 'application/pdf', 'document', 'pdf'],
    [
      'DOCX',
      office('wordprocessingml.document'),
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
      'document',
      'docx',
    ],
    [
      'XLSX',
      office('spreadsheetml.sheet'),
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
      'document',
      'xlsx',
    ],
    [
      'PPTX',
      office('presentationml.presentation'),
      'application/vnd.openxmlformats-officedocument.presentationml.presentation',
      'document',
      'pptx',
    ],
    ['ODT', openDocument('text'), 'application/vnd.oasis.opendocument.text', 'document', 'odt'],
    ['ODS', openDocument('spreadsheet'), 'application/vnd.oasis.opendocument.spreadsheet', 'document', 'ods'],
    ['ODP', openDocument('presentation'), 'application/vnd.oasis.opendocument.presentation', 'document', 'odp'],
    ['DOC', compound('WordDocument'), 'application/msword', 'document', 'doc'],
    ['XLS', compound('Workbook'), 'application/vnd.ms-excel', 'document', 'xls'],
    ['PPT', compound('PowerPoint Document'), 'application/vnd.ms-powerpoint', 'document', 'ppt'],
    ['other compound file', compound('x'), 'application/x-cfb', 'document', 'cfb'],
    ['ZIP', zip({ name: 'a.txt', data: 'a' }), 'application/zip', 'document', 'zip'],
    [
      'empty ZIP',
      Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]),
      'application/zip',
      'document',
      'zip',
    ],
    ['JAR', zip({ name: 'META-INF/MANIFEST.MF', data: 'a' }), 'application/zip', 'document', 'zip'],
  ];

/** Files that are rejected. */
export const REFUSED: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['XML', Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['text', Buffer.from('hello')],
  ['one byte', Buffer.from('x')],
  ['PNG signature alone', PNG.subarray(0, 8)],
  ['PNG behind a byte order mark', Buffer.concat([Buffer.from('efbbbf', 'hex'), PNG])],
  ['PNG behind an ID3 tag', Buffer.concat([Buffer.from('49443303000000000000', 'hex'), PNG])],
  ['BMP without a header', Buffer.concat([Buffer.from('BM'), Buffer.alloc(64)])],
  ['Matroska', Buffer.concat([Buffer.from('1a45dfa38b4282886d6174726f736b61', 'hex'), Buffer.alloc(32)])],
  ['TIFF', Buffer.from('49492a0008000000000000000000', 'hex')],
  ['GZIP', Buffer.from('1f8b0800000000000003', 'hex')],
  ['EXE', Buffer.concat([Buffer.from('MZ'), Buffer.alloc(64)])],
  ['zeros', Buffer.alloc(1_024)],
];

/** Prepared for the web, it has a trailer of its first page, too. */
const LONG_PDF = Buffer.concat([
  Buffer.from('%PDF-1.7\nstartxref\n0\n%%EOF\n'),
  Buffer.alloc(9_000, '1 0 obj '),
  Buffer.from('%%EOF\n'),
]);

/** Takes a box on the first level out of a film. */
function without(bytes: Buffer, type: string): Buffer {
  const at = bytes.indexOf(type) - 4;
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + bytes.readUInt32BE(at))]);
}

/** Films that are whole, made of other boxes than usual. */
export const WHOLE_FILMS: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['with its description before its pictures', film({ isAtEnd: false, chunks: [900, 999] })],
  ['with long positions', film({ chunks: [48, 900], isLong: true })],
  [
    'with other boxes between',
    Buffer.concat([film(), box('free', Buffer.alloc(9)), box('uuid', Buffer.alloc(40)), box('skip')]),
  ],
  [
    'in fragments',
    Buffer.concat([without(film(), 'mdat'), box('moof', box('mfhd', Buffer.alloc(8))), box('mdat', Buffer.alloc(99))]),
  ],
  [
    'of QuickTime with a compressed description',
    Buffer.concat([
      box('ftyp', Buffer.from('qt  \0\0\x02\0qt  ', 'latin1')),
      box('wide'),
      box('mdat', Buffer.alloc(99)),
      box('moov', box('cmov', Buffer.alloc(40))),
    ]),
  ],
];

/** Files of which an end is missing. */
export const CUT_OFF: readonly (readonly [name: string, bytes: Buffer, code: string])[] = [
  ['an MP4 without its description', film().subarray(0, 500), 'unreadable_file'],
  ['an MP4 within its pictures', film({ isAtEnd: false }).subarray(0, 900), 'unreadable_file'],
  ['a MOV within its description', film({ brand: 'qt  ' }).subarray(0, 990), 'unreadable_file'],
  ['an M4A', film({ brand: 'M4A ' }).subarray(0, 500), 'unreadable_file'],
  ['an MP4 without pictures', without(film(), 'mdat'), 'unreadable_file'],
  [
    'a MOV with an empty description',
    Buffer.concat([without(film({ brand: 'qt  ' }), 'moov'), box('moov')]),
    'unreadable_file',
  ],
  ['an MP4 whose description tells of more', film({ chunks: [48, 1_200] }), 'unreadable_file'],
  ['an MP4 whose description tells of much more', film({ chunks: [2 ** 40, 48], isLong: true }), 'unreadable_file'],
  ['an MP4 with empty pictures', Buffer.concat([without(film(), 'mdat'), box('mdat')]), 'unreadable_file'],
  [
    'an MP4 whose description has its header alone',
    Buffer.concat([without(film(), 'moov'), box('moov', box('mvhd', Buffer.alloc(100)))]),
    'unreadable_file',
  ],
  ['an M4A without sounds', without(film({ brand: 'M4A ' }), 'mdat'), 'unreadable_file'],
  ['a PDF', LONG_PDF.subarray(0, 8_000), 'unreadable_file'],
  ['a HEIC', HEIC.subarray(0, 500), 'unreadable_picture'],
];
