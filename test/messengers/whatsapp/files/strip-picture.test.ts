/** Metadata of a picture is removed, and its pixels are not changed. */
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { stripPicture } from '../../../../src/messengers/whatsapp/files/strip-picture.ts';
import { drawNoise } from '../../../support/inputs/pictures.ts';

const SECRET = 'taken at 52.5163 N 13.3777 E by Ann';
const XMP = `<?xpacket begin="" id="x"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${SECRET}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

const mimeOf = (format: string) => `image/${format}`;
const strip = (bytes: Buffer, format: string, orientation?: number) =>
  stripPicture(bytes, mimeOf(format), orientation) ?? Buffer.alloc(0);

/** A noise picture with all kinds of metadata: location, author, orientation, colour profile. */
async function taken(format: 'jpeg' | 'png', { orientation = 6, progressive = false, chroma = '4:2:0' } = {}) {
  const image = sharp(await drawNoise(61, 37))
    .withExif({ IFD0: { ImageDescription: SECRET }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 58/1' } })
    .withXmp(XMP)
    .withIccProfile('p3')
    .withMetadata({ orientation });
  return format === 'jpeg'
    ? image.jpeg({ progressive, chromaSubsampling: chroma }).toBuffer()
    : image.png({ progressive }).toBuffer();
}

const pixelsOf = (bytes: Buffer) => sharp(bytes).raw().toBuffer();

describe.each(['jpeg', 'png'] as const)('a %s', (format) => {
  test.each([
    { progressive: false, chroma: '4:2:0' },
    { progressive: true, chroma: '4:4:4' },
  ])('looks the same without its metadata (%o)', async (how) => {
    const picture = await taken(format, how);
    const before = await sharp(picture).metadata();
    expect([before.exif, before.xmp, before.icc, before.orientation]).not.toContain(undefined);
    const stripped = strip(picture, format, before.orientation);
    const after = await sharp(stripped).metadata();
    expect(after).toMatchObject({ width: 61, height: 37, orientation: 6, icc: before.icc });
    expect(after.xmp).toBeUndefined();
    expect(after.exif?.length).toBeLessThan(40);
    expect(stripped.includes(SECRET)).toBe(false);
    expect(await pixelsOf(stripped)).toEqual(await pixelsOf(picture));
    expect(strip(stripped, format, 6)).toEqual(stripped);
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('keeps its orientation %i', async (orientation) => {
    const stripped = strip(await taken(format, { orientation }), format, orientation);
    expect((await sharp(stripped).metadata()).orientation ?? 1).toBe(orientation);
  });

  test('has nothing behind its end, such as an embedded film', async () => {
    const picture = await taken(format);
    const more = Buffer.concat([picture, await taken(format), Buffer.from(SECRET)]);
    expect(strip(more, format, 6)).toEqual(strip(picture, format, 6));
  });

  test('without metadata stays unchanged', async () => {
    const plain = await sharp(await drawNoise(20, 20))
      .toFormat(format)
      .toBuffer();
    expect(strip(plain, format)).toEqual(plain);
  });

  test('shows as much as before when it is truncated', async () => {
    const picture = strip(await taken(format), format);
    const short = picture.subarray(0, picture.length - 300);
    expect(strip(short, format)).toEqual(short);
  });

  test('is stripped or rejected when it is damaged anywhere', async () => {
    const picture = await taken(format);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(picture.length - 1), fc.nat(255)), { maxLength: 8 }),
        fc.nat(picture.length),
        fc.integer({ min: 1, max: 8 }),
        (changes, length, orientation) => {
          const damaged = Buffer.from(picture);
          for (const [at, byte] of changes) damaged[at] = byte;
          const stripped = stripPicture(damaged.subarray(0, length), mimeOf(format), orientation);
          expect(stripped?.length ?? 0).toBeLessThanOrEqual(length + 40);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

test('rejects a file that is no picture', () => {
  const anything = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
  fc.assert(
    fc.property(anything, fc.constantFrom('jpeg', 'png'), (bytes, format) => {
      const head = format === 'png' ? Buffer.from('\x89PNG\r\n\x1a\n', 'latin1') : Buffer.from([0xff, 0xd8, 0xff]);
      const stripped = stripPicture(Buffer.concat([head, bytes]), mimeOf(format), undefined);
      expect(stripped?.length ?? 0).toBeLessThanOrEqual(head.length + bytes.length);
    }),
    { numRuns: 5_000 },
  );
});

test('denial of service: rejects a file of very many parts', () => {
  const jpeg = Buffer.alloc(16 * 1024 * 1024, Buffer.from([0xff, 0xfe, 0, 2]));
  expect(stripPicture(Buffer.concat([Buffer.from([0xff, 0xd8]), jpeg]), 'image/jpeg', undefined)).toBeUndefined();
  const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0IHDR\0\0\0\0', 'latin1');
  const chunks = Buffer.alloc(12 * 1_000_000, Buffer.from('\0\0\0\0IDAT\0\0\0\0', 'latin1'));
  expect(stripPicture(Buffer.concat([head, chunks]), 'image/png', undefined)).toBeUndefined();
});

test('removes metadata of any kind and position, and keeps the colour profile', async () => {
  const plain = await sharp(await drawNoise(24, 16))
    .jpeg()
    .toBuffer();
  const segment = (marker: number, content: Buffer) => {
    const head = Buffer.from([0xff, 0xff, 0xff, marker, 0, 0]);
    head.writeUInt16BE(content.length + 2, 4);
    return Buffer.concat([head, content]);
  };
  const note = fc.record({
    marker: fc.constantFrom(0xe1, 0xe2, 0xe3, 0xea, 0xed, 0xef, 0xfe),
    content: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.concat([Buffer.from(SECRET), bytes])),
  });
  const segments = segmentStarts(plain);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(segments.length - 1), note), { minLength: 1, maxLength: 5 }),
      async (notes) => {
        let noted = plain;
        for (const [index, { marker, content }] of notes.toSorted(([one], [other]) => other - one)) {
          const at = segments[index] ?? 2;
          noted = Buffer.concat([noted.subarray(0, at), segment(marker, content), noted.subarray(at)]);
        }
        expect(strip(noted, 'jpeg')).toEqual(plain);
      },
    ),
  );
});

/** The offsets of the segments of a JPEG, up to its pixels. */
function segmentStarts(bytes: Buffer): number[] {
  const starts: number[] = [];
  let at = 2;
  for (; bytes[at + 1] !== 0xda; at += 2 + bytes.readUInt16BE(at + 2)) starts.push(at);
  return [...starts, at];
}
