/** Metadata of a film is overwritten, and its pictures and sounds are not changed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readerOfBytes } from '../../../../src/content/media/boxes.ts';
import { readMovie } from '../../../../src/content/media/read-movie.ts';
import { stripFilm } from '../../../../src/messengers/whatsapp/files/strip-film.ts';
import { addBoxes, box, film } from '../../../support/inputs/films.ts';

const PLACE = '+52.5163+013.3777+034.0/';
const secret = Buffer.from(PLACE);
const flags = Buffer.alloc(4);

/** Reads a film in pieces of `length` bytes. */
async function strip(bytes: Buffer, length = 7): Promise<Buffer> {
  async function* pieces() {
    for (let from = 0; from < bytes.length; from += length) yield bytes.subarray(from, from + length);
  }
  const before = Buffer.from(bytes);
  const stripped = await stripFilm({ pieces, read: readerOfBytes(bytes), size: bytes.length });
  const parts: Buffer[] = [];
  for await (const part of stripped.pieces()) parts.push(part);
  expect(stripped.size).toBe(bytes.length);
  expect(bytes).toEqual(before);
  return Buffer.concat(parts);
}

const QUICKTIME = box(
  'meta',
  box('hdlr', flags, flags, Buffer.from('mdta')),
  box('keys', Buffer.from('com.apple.quicktime.location.ISO6709')),
  box('ilst', secret),
);
const PLACES: ReadonlyArray<readonly [where: string, bytes: Buffer]> = [
  [
    'udta/©xyz of an Android phone',
    addBoxes(film(), 'moov', box('udta', box('\xa9xyz', Buffer.from([0, 24, 0x15, 0xc7]), secret))),
  ],
  ['udta/loci of 3GP', addBoxes(film({ brand: '3gp5' }), 'moov', box('udta', box('loci', flags, secret)))],
  ['moov/meta of an iPhone', addBoxes(film({ brand: 'qt  ' }), 'moov', QUICKTIME)],
  ['udta/meta', addBoxes(film(), 'moov', box('udta', QUICKTIME))],
  ['a box of its own at the end', Buffer.concat([film(), box('uuid', Buffer.alloc(16, 9), secret)])],
  ['unused space', Buffer.concat([film(), box('free', secret), box('skip', secret)])],
  [
    'a track',
    addBoxes(film(), 'moov', box('trak', box('tkhd', Buffer.alloc(84)), box('udta', secret), box('uuid', secret))),
  ],
  [
    'a film of fragments',
    Buffer.concat([
      film(),
      box('moof', box('mfhd', flags), box('traf', box('tfhd', flags), box('udta', secret)), box('meta', secret)),
    ]),
  ],
  ['a sound', addBoxes(film({ brand: 'M4A ' }), 'moov', box('udta', box('\xa9nam', secret)))],
];

describe('a place in', () => {
  test.each(PLACES)('%s is overwritten, and the size and all else stay', async (_where, bytes) => {
    expect(bytes.includes(PLACE)).toBe(true);
    const stripped = await strip(bytes);
    expect(stripped.includes(PLACE)).toBe(false);
    for (const gone of ['location', 'udta', 'uuid', 'skip']) expect(stripped.includes(gone)).toBe(false);
    expect(await readMovie(readerOfBytes(stripped), stripped.length)).toEqual(
      await readMovie(readerOfBytes(bytes), bytes.length),
    );
    // What is not overwritten is as it was.
    const changed = [...stripped.entries()].filter(([at, byte]) => byte !== bytes[at]).map(([at]) => at);
    expect(Math.min(...changed)).toBeGreaterThan(bytes.indexOf('mdat'));
    expect(await strip(stripped)).toEqual(stripped);
  });
});

test('a film without metadata stays as it is', async () => {
  for (const bytes of [film(), film({ isAtEnd: false, brand: 'qt  ', fill: 3 })])
    expect(await strip(bytes)).toEqual(bytes);
});

test('when a film was taken is overwritten, in headers of both lengths', async () => {
  const bytes = film();
  const [mvhd, tkhd] = [bytes.indexOf('mvhd') + 4, bytes.indexOf('tkhd') + 4];
  for (const at of [mvhd, tkhd]) bytes.fill(0xaa, at + 4, at + 12);
  bytes[tkhd] = 1;
  bytes.fill(0xaa, tkhd + 4, tkhd + 20);
  const stripped = await strip(bytes);
  expect(stripped.includes(0xaa)).toBe(false);
  expect(stripped.readUInt32BE(mvhd + 12)).toBe(600);
});

test('a track of what an action camera has recorded is no longer one, and the pictures stay', async () => {
  const hdlr = box('hdlr', flags, flags, Buffer.from('meta'));
  const recorded = box('trak', box('tkhd', Buffer.alloc(84)), box('mdia', hdlr, box('minf', secret)));
  const bytes = addBoxes(film(), 'moov', recorded);
  const stripped = await strip(bytes);
  expect(stripped.includes(PLACE)).toBe(false);
  const [from, to] = [bytes.indexOf('mdat'), bytes.indexOf('moov')];
  expect(stripped.subarray(from, to)).toEqual(bytes.subarray(from, to));
});

test('the pieces may have any length', async () => {
  const expected = await Promise.all(PLACES.map(([, bytes]) => strip(bytes, bytes.length)));
  for (const length of [1, 3, 16, 500])
    expect(await Promise.all(PLACES.map(([, bytes]) => strip(bytes, length)))).toEqual(expected);
});

test('a film that is damaged anywhere is read to an end, and keeps its size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PLACES.map(([, bytes]) => bytes)),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 8 }),
      fc.nat(),
      async (sample, damage, end) => {
        const bytes = Buffer.from(sample.subarray(0, 1 + (end % sample.length)));
        for (const [at, byte] of damage) bytes[at % bytes.length] = byte;
        expect((await strip(bytes, 64)).length).toBe(bytes.length);
      },
    ),
  );
});
