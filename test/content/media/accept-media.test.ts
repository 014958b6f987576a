import { createHash } from 'node:crypto';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/platform/errors/errors.ts';
import { acceptMedia } from '../../../src/content/media/accept-media.ts';
import { addProfile } from '../../../src/content/media/add-profile.ts';
import { decodeBase64, MEDIA_LIMIT } from '../../../src/content/media/decode-base64.ts';
import { fileNameOf, plainFileName } from '../../../src/content/media/file-name.ts';
import { sniff } from '../../../src/content/media/sniff.ts';
import { drawNoise, drawPlain } from '../../support/inputs/pictures.ts';
import { box, film } from '../../support/inputs/films.ts';
import { HEIC } from '../../support/inputs/heic.ts';
import { CUT_OFF, GIF, JPEG, PNG, REFUSED, TAKEN, WEBP, WHOLE_FILMS, zip } from '../../support/inputs/sample-files.ts';

const PDF = Buffer.from('%PDF-1.7\n1 0 obj\nstartxref\n9\n%%EOF\n');

/** Returns the `AppError` of a call, or undefined if it succeeds. Rethrows any other error. */
async function refusalOf(call: () => unknown): Promise<AppError | undefined> {
  try {
    await call();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** Returns whether sniffing found a kind of file or rejected the bytes. Rejects with any other error. */
const outcomeOf = async (bytes: Uint8Array): Promise<'told' | 'invalid' | undefined> => {
  const refusal = await refusalOf(() => sniff('image', bytes));
  return refusal === undefined ? 'told' : refusal.kind === 'invalid' ? 'invalid' : undefined;
};

/** Returns the issue of the field `image` with which a call is rejected. */
async function issueOf(call: () => unknown): Promise<string> {
  const refusal = await refusalOf(call);
  expect(refusal).toMatchObject({ kind: 'invalid', details: [{ field: 'image' }] });
  return refusal?.details[0]?.issue ?? '';
}

describe('base64', () => {
  it.each([
    ['aGk=', undefined],
    ['data:image/png;base64,aGk=', 'image/png'],
    ['DATA:Image/PNG;charset=utf-8;BASE64,aGk=', 'image/png'],
    ['data:;base64,aGk=', undefined],
    [' aG\r\nk\t=\f\n', undefined],
    ['aGk', undefined],
    ['data:image/png;base64,aG\r\nk', 'image/png'],
    [' \r\n data:image/png;base64,aGk=', 'image/png'],
    ['data:image/png;name=Fest, Samstag.png;base64,aGk=', 'image/png'],
    ['data:image/png;name=a%2Cb.png; base64 ,aGk=', 'image/png'],
    [`data:image/png;name=${'%E2%80%99'.repeat(300)};base64,aGk=`, 'image/png'],
  ])('accepts %j', (text, declared) => {
    const decoded = decodeBase64('image', text);
    expect(decoded.declared).toBe(declared);
    expect(decoded.bytes.toString()).toBe('hi');
  });

  it.each([
    '',
    ' ',
    'aGl=',
    'aGl',
    'aGkx5',
    '+_==',
    'aGk==',
    'aGk=aGk=',
    'aGk=\u00a0',
    'aG\u200bk=',
    'aG\0k=',
    '\ud800',
    'hello!',
    'data:image/png;base64,',
    'data:image/png,aGk=',
    'data:base64,aGk=',
    'data:image/png;base64aGk=',
    'data:<b>;base64,aGk=',
    `data:image/png;${'x'.repeat(10_000)};base64,aGk=`,
    'https://example.org/a.png',
  ])('rejects %j', async (text) => {
    expect(await issueOf(() => decodeBase64('image', text))).toMatch(/^(is |must begin like |takes the file itself)/);
  });

  it('decodes any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
        expect(decodeBase64('image', Buffer.from(bytes).toString('base64')).bytes).toEqual(Buffer.from(bytes));
      }),
    );
  });

  it('accepts the URL-safe alphabet', () => {
    const bytes = Buffer.from('fbefbeff', 'hex');
    for (const text of ['----_w==', '----_w', '--\r\n--_w']) expect(decodeBase64('image', text).bytes).toEqual(bytes);
  });

  it('rejects any text that is not the canonical encoding of its bytes, in one alphabet, with all, some or no padding', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'AQgw+/=-_\n') }), async (text) => {
        const bare = text.replaceAll('\n', '');
        const isMixed = /[-_]/.test(bare) && /[+/]/.test(bare);
        const standard = bare.replaceAll('-', '+').replaceAll('_', '/');
        const written = Buffer.from(bare, 'base64').toString('base64');
        const isCanonical = written.startsWith(standard) && /^=*$/.test(written.slice(standard.length));
        const refused = (await refusalOf(() => decodeBase64('image', text))) !== undefined;
        expect(refused).toBe(bare === '' || isMixed || !isCanonical);
      }),
      { numRuns: 1_000 },
    );
  });

  it('decodes to the same bytes, or to nothing, when each + has become a space', () => {
    let decoded = 0;
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 30, maxLength: 3_000 }), fc.constantFrom('', '\r\n'), (bytes, end) => {
        const sent = Buffer.from(bytes).toString('base64').replaceAll(/.{76}/g, `$&${end}`).replaceAll('+', ' ');
        try {
          expect(decodeBase64('image', sent).bytes).toEqual(Buffer.from(bytes));
          decoded++;
        } catch (error) {
          if (!(error instanceof AppError)) throw error;
        }
      }),
      { numRuns: 1_000 },
    );
    expect(decoded).toBeGreaterThan(600);
  });

  it('takes spaces between groups of characters for white space', () => {
    expect(decodeBase64('image', 'aGk/ aGk+').bytes.toString('latin1')).toBe('hi?hi>');
    expect(decodeBase64('image', 'aGlo aGlo').bytes.toString()).toBe('hihhih');
  });

  it('says of a URL how to take a file from one', async () => {
    expect(await issueOf(() => decodeBase64('image', ' https://example.org/a.png'))).toContain('media/import');
  });

  it('accepts 16 MiB, broken into lines or not, and not one byte more', async () => {
    const most = Buffer.alloc(MEDIA_LIMIT).toString('base64');
    expect(decodeBase64('image', most).bytes).toHaveLength(MEDIA_LIMIT);
    expect(decodeBase64('image', most.replaceAll(/.{76}/g, '$&\r\n')).bytes).toHaveLength(MEDIA_LIMIT);
    for (const size of [MEDIA_LIMIT + 1, MEDIA_LIMIT + 2, MEDIA_LIMIT + 3]) {
      const text = Buffer.alloc(size).toString('base64');
      expect(await issueOf(() => decodeBase64('image', text))).toBe('is larger than 16 MiB');
    }
  });
});

describe('sniffing', () => {
  it.each(TAKEN)('recognises %s', async (_name, bytes, mime, kind, extension) => {
    expect(await sniff('image', bytes)).toEqual({ mime, kind, extension });
  });

  it.each(REFUSED)('rejects %s', async (_name, bytes) => {
    expect(await issueOf(() => sniff('image', bytes))).toMatch(/^is not a JPEG, PNG, .* ZIP$/);
  });

  it.each([
    ['heic', 'image/heic'],
    ['heim', 'image/heic'],
    ['mif1', 'image/heic'],
    ['mif1\0\0\0\0avif', 'image/avif'],
  ])('takes a file of the brands %j for %s', async (brands, mime) => {
    const head = Buffer.from(`\0\0\0\0ftyp${brands}\0\0\0\0`);
    head.writeUInt32BE(head.length);
    expect((await sniff('image', Buffer.concat([head, Buffer.alloc(16)]))).mime).toBe(mime);
  });

  it.each([
    ['text/plain', 'Grüße, 東京\n\tab', 'text/plain', 'txt'],
    ['text/csv', 'BM;name\r\n1;\xe4', 'text/csv', 'csv'],
    ['text/x-vcard', 'BEGIN:VCARD\nFN:Ann\n', 'text/vcard', 'vcf'],
    ['text/plain', 'begin:vcard\r\nFN:Ann\r\n', 'text/vcard', 'vcf'],
    ['text/plain', '\ufeffa', 'text/plain', 'txt'],
  ])('takes a text that a data URL declares as %s: %j', async (declared, text, mime, extension) => {
    for (const bytes of [Buffer.from(text), Buffer.from(`\ufeff${text}`, 'utf16le')])
      expect(await sniff('image', bytes, declared)).toMatchObject({ kind: 'document' });
    expect(await sniff('image', Buffer.from(text), declared)).toEqual({ mime, kind: 'document', extension });
  });

  it.each([
    ['text/plain', Buffer.from('a\0b')],
    ['text/csv', Buffer.from('1f8b0800000000000003', 'hex')],
    ['text/html', Buffer.from('<p>a')],
    [undefined, Buffer.from('a;b\n')],
  ])('takes nothing else for a text: %j', async (declared, bytes) => {
    expect(await issueOf(() => sniff('image', bytes, declared))).toMatch(/^is not a JPEG/);
  });

  it('takes a PDF that is declared as text for a PDF', async () => {
    expect((await sniff('image', Buffer.from('%PDF-1.7\n%%EOF\n'), 'text/plain')).mime).toBe('application/pdf');
  });

  it('rejects truncated and corrupted files without any other exception', async () => {
    const samples = [...TAKEN, ...REFUSED].map(([, bytes]) => bytes);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
        fc.nat(),
        async (sample, changes, cut) => {
          const bytes = Buffer.from(sample.subarray(0, 1 + (cut % (2 * sample.length))));
          for (const [at, byte] of changes) bytes[at % bytes.length] = byte;
          expect(await outcomeOf(bytes)).toBeDefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it.each([
    [
      'entries of huge claimed sizes',
      () => zip({ name: 'mimetype', claimed: 0xffffffff }, { name: '[Content_Types].xml', claimed: 0xfffffffe }),
    ],
    ['two hundred thousand entries', () => Buffer.concat(Array<Buffer>(200_000).fill(zip({ name: 'a' })))],
    [
      'a type list that unpacks to far more than it claims',
      () => zip({ name: '[Content_Types].xml', data: Buffer.alloc(2 ** 26), deflate: true, claimed: 100 }),
    ],
    [
      'an endless streamed entry',
      () => Buffer.concat([zip({ name: 'a', streamed: true, deflate: true }), Buffer.alloc(MEDIA_LIMIT - 1_000)]),
    ],
    [
      'many streamed entries',
      () => Buffer.concat(Array<Buffer>(100_000).fill(zip({ name: 'mimetype', streamed: true, data: 'PK' }))),
    ],
    ['a very long name', () => zip({ name: 'a'.repeat(65_535) })],
  ])('is fast for a ZIP with %s', async (_name, make) => {
    const bytes = make().subarray(0, MEDIA_LIMIT);
    expect(await outcomeOf(bytes)).toBeDefined();
  });

  it.each([
    ['PNG', () => Buffer.concat([PNG.subarray(0, 33), Buffer.alloc(MEDIA_LIMIT - 100)])],
    ['ID3', () => Buffer.concat(Array<Buffer>(100_000).fill(Buffer.from('49443303000000000000', 'hex')))],
    [
      'compound file',
      () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(MEDIA_LIMIT - 8, 'W\0')]),
    ],
  ])('is fast for a large corrupt %s', async (_name, make) => {
    const bytes = make();
    expect(await outcomeOf(bytes)).toBeDefined();
  });
});

describe('accepting media', () => {
  it('returns type, size, digest and bytes', async () => {
    expect(await acceptMedia('image', PNG.toString('base64'))).toEqual({
      mime: 'image/png',
      kind: 'image',
      size: PNG.length,
      sha256: createHash('sha256').update(PNG).digest(),
      bytes: PNG,
    });
  });

  const damages: readonly [string, (bytes: Buffer) => Buffer][] = [
    ['cut off', (bytes) => bytes.subarray(0, bytes.length >> 1)],
    ['with zeros in its middle', (bytes) => Buffer.from(bytes).fill(0, bytes.length >> 1, (bytes.length >> 1) + 400)],
    ['of twelve bytes', (bytes) => bytes.subarray(0, 12)],
  ];
  // Some wrong pixels of a JPEG are pixels to each decoder.
  const damaged = (['jpeg', 'png', 'gif'] as const)
    .flatMap((format) => damages.map(([how, damage]) => ({ format, how, damage })))
    .filter(({ format, how }) => format !== 'jpeg' || how !== 'with zeros in its middle');
  it.each(damaged)('rejects a $format $how', async ({ format, damage }) => {
    const picture = await sharp(await drawNoise(200, 200))
      .toFormat(format)
      .toBuffer();
    expect((await acceptMedia('image', picture.toString('base64'))).kind).toBe('image');
    const refusal = await refusalOf(() => acceptMedia('image', damage(picture).toString('base64')));
    expect(refusal?.details[0]?.code).toMatch(/^(unreadable_picture|file_type)$/);
  });

  it.each(['webp', 'avif'] as const)('rejects a %s that is cut off', async (format) => {
    const picture = await sharp(await drawNoise(100, 100))
      .toFormat(format)
      .toBuffer();
    const refusal = await refusalOf(() =>
      acceptMedia('image', picture.subarray(0, picture.length >> 1).toString('base64')),
    );
    expect(refusal?.details[0]?.code).toBe('unreadable_picture');
  });

  it.each(CUT_OFF)('rejects %s that is cut off', async (_name, bytes, code) => {
    expect((await sniff('image', bytes)).kind).not.toBe('text');
    const refusal = await refusalOf(() => acceptMedia('image', bytes.toString('base64')));
    expect(refusal?.details).toMatchObject([{ field: 'image', code }]);
  });

  it.each(WHOLE_FILMS)('accepts a film %s', async (_name, bytes) => {
    expect((await acceptMedia('image', bytes.toString('base64'))).bytes).toEqual(bytes);
  });

  it.each([
    ['a film with something behind its end', Buffer.concat([film(), Buffer.from('moredatabehind')])],
    ['a film that ends where the file does', withoutLength(film({ isAtEnd: false }))],
    ['a PDF with something behind its end', Buffer.concat([PDF, Buffer.alloc(1_000, '\n')])],
    ['a PDF without its last line', PDF.subarray(0, PDF.length - 6)],
  ])('accepts %s', async (_name, bytes) => {
    expect((await acceptMedia('image', bytes.toString('base64'))).bytes).toEqual(bytes);
  });

  it('accepts a picture with more behind its end, and one with more pixels than are decoded', async () => {
    const photo = await drawPlain(40, 30, 'jpeg');
    const withMore = Buffer.concat([photo, Buffer.alloc(5_000, 'more')]);
    expect((await acceptMedia('image', withMore.toString('base64'))).kind).toBe('image');
    const large = await drawPlain(6_000, 5_000, 'png');
    expect((await acceptMedia('image', large.toString('base64'))).kind).toBe('image');
  });

  it('goes by the bytes, whatever the data URL claims', async () => {
    expect((await acceptMedia('image', `data:text/html;base64,${JPEG.toString('base64')}`)).mime).toBe('image/jpeg');
  });

  it('accepts only pictures where only they are allowed', async () => {
    expect((await acceptMedia('image', GIF.toString('base64'), { only: 'image' })).kind).toBe('image');
    const pdf = Buffer.from('%PDF-1.7\n%%EOF\n').toString('base64');
    expect(await issueOf(() => acceptMedia('image', pdf, { only: 'image' }))).toBe('is not a picture');
  });

  it.each([JPEG, PNG, WEBP, GIF])('accepts a data URL of any picture for that of a channel', async (bytes) => {
    const { kind } = await acceptMedia('image', `data:image/png;base64,${bytes.toString('base64')}`, {
      channelPicture: true,
    });
    expect(kind).toBe('image');
  });

  it.each([
    ['bare base64', PNG.toString('base64')],
    ['a data URL without a type', `data:;base64,${PNG.toString('base64')}`],
    ['a data URL of something else', `data:text/plain;base64,${PNG.toString('base64')}`],
    ['a file that is none', `data:image/gif;base64,${PDF.toString('base64')}`],
  ])('rejects %s for the picture of a channel', async (_name, text) => {
    expect(await issueOf(() => acceptMedia('image', text, { channelPicture: true }))).toMatch(
      /^(is not a picture|must be a data URL)/,
    );
  });
});

describe('a HEIC photo', () => {
  const rgbAt = async (bytes: Buffer, x: number) =>
    Array.from(await sharp(bytes).extract({ left: x, top: 20, width: 1, height: 1 }).raw().toBuffer());

  it('becomes a JPEG of the same size and colours, in each place that takes a picture', async () => {
    for (const options of [{}, { only: 'image' as const }, { channelPicture: true }]) {
      const { mime, bytes, size } = await acceptMedia(
        'image',
        `data:image/heic;base64,${HEIC.toString('base64')}`,
        options,
      );
      expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 64, height: 48 });
      expect([mime, size]).toEqual(['image/jpeg', bytes.length]);
      const [left, right] = [await rgbAt(bytes, 8), await rgbAt(bytes, 56)];
      expect([left[0], right[2]].every((value) => Math.abs((value ?? 0) - 220) < 12)).toBe(true);
      expect([left[1], left[2], right[0], right[1]].every((value) => (value ?? 255) < 24)).toBe(true);
    }
  });

  it('of the same bytes becomes the same file', async () => {
    const [one, other] = [
      await acceptMedia('image', HEIC.toString('base64')),
      await acceptMedia('image', HEIC.toString('base64')),
    ];
    expect(one.sha256).toEqual(other.sha256);
  });

  it('keeps its colour profile, of any length', async () => {
    const [{ icc } = { icc: undefined }] = [
      await sharp(await sharp(PNG).withIccProfile('p3').png().toBuffer()).metadata(),
    ];
    if (!icc) throw new Error('no profile was written');
    const { bytes } = await acceptMedia('image', withProfile(HEIC, icc).toString('base64'));
    expect((await sharp(bytes).metadata()).icc).toEqual(icc);
    const long = Buffer.concat([icc, Buffer.alloc(150_000, 7)]);
    expect((await sharp(addProfile(await drawPlain(9, 9, 'jpeg'), long)).metadata()).icc).toEqual(long);
  });

  it('of more pixels than are decoded is refused with the limit', async () => {
    const large = Buffer.from(HEIC);
    const at = large.lastIndexOf('ispe') + 8;
    large.writeUInt32BE(9_000, at);
    large.writeUInt32BE(9_000, at + 4);
    const refusal = await refusalOf(() => acceptMedia('image', large.toString('base64')));
    expect(refusal?.details).toMatchObject([{ code: 'too_many_pixels', params: { limit: 25 } }]);
  });

  it('that is damaged anywhere is taken or unreadable, and the next one is taken', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 28, max: HEIC.length - 1 }), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        async (damage) => {
          const damaged = Buffer.from(HEIC);
          for (const [at, byte] of damage) damaged[at] = byte;
          const refusal = await refusalOf(() => acceptMedia('image', damaged.toString('base64')));
          expect(refusal?.details[0]?.code ?? 'unreadable_picture').toMatch(/^(unreadable_picture|too_many_pixels)$/);
        },
      ),
      { numRuns: 60 },
    );
    expect((await acceptMedia('image', HEIC.toString('base64'))).mime).toBe('image/jpeg');
  });
});

/** Gives the last box of a film no length: it goes on to the end of the file. */
function withoutLength(bytes: Buffer): Buffer {
  const ended = Buffer.from(bytes);
  ended.writeUInt32BE(0, ended.lastIndexOf('mdat') - 4);
  return ended;
}

/** Adds a colour profile to a HEIC photo. The positions of its pixels move by as much. */
function withProfile(photo: Buffer, icc: Buffer): Buffer {
  const colr = box('colr', Buffer.from('prof'), icc);
  // Behind the properties that are counted.
  const at = photo.indexOf('ipma') - 4;
  const longer = Buffer.concat([photo.subarray(0, at), colr, photo.subarray(at)]);
  const pixels = Buffer.alloc(4);
  pixels.writeUInt32BE(photo.indexOf('mdat') + 4);
  longer.writeUInt32BE(photo.indexOf('mdat') + 4 + colr.length, longer.indexOf(pixels));
  for (const type of ['meta', 'iprp', 'ipco']) {
    const length = longer.indexOf(type) - 4;
    longer.writeUInt32BE(longer.readUInt32BE(length) + colr.length, length);
  }
  return longer;
}

describe('file names', () => {
  it.each([
    ['Preisliste & Konditionen (neu).pdf', 'Preisliste & Konditionen (neu).pdf'],
    ['L’été à Paris #1', 'L’été à Paris #1.pdf'],
    ['Protokoll v1.2', 'Protokoll v1.2.pdf'],
    ['Protokoll v1.2.PDF', 'Protokoll v1.2.pdf'],
    ['Rechnung.docx', 'Rechnung.pdf'],
    ['Grüße 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿.pdf', 'Grüße 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿.pdf'],
    ['a/b\\c:d*e?f"g<h>i|j.pdf', 'a b c d e f g h i j.pdf'],
    ['../../etc/passwd', 'etc passwd.pdf'],
    ['invoice\u202efdp.exe', 'invoice fdp.pdf'],
    ['tab\tand\nline.pdf', 'tab and line.pdf'],
    ['...', 'file.pdf'],
    ['', 'file.pdf'],
  ])('%j arrives as %j', (given, expected) => {
    expect(fileNameOf(plainFileName(given), 'pdf')).toBe(expected);
  });
});
