import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readerOfBytes } from '../../../src/content/media/boxes.ts';
import { readMovie } from '../../../src/content/media/read-movie.ts';
import { film } from '../../support/inputs/films.ts';

const of = async (bytes: Buffer) => (await readMovie(readerOfBytes(bytes), bytes.length)).movie;

describe('a film', () => {
  test.each([true, false])('tells its length and size, with its description at the end: %s', async (isAtEnd) => {
    const bytes = film({ seconds: 61.2, width: 1_280, height: 720, isAtEnd });
    expect(await of(bytes)).toEqual({ width: 1_280, height: 720, seconds: 62 });
  });

  test('that was taken upright is higher than wide', async () => {
    expect(await of(film({ width: 1_920, height: 1_080, isTurned: true }))).toMatchObject({
      width: 1_080,
      height: 1_920,
    });
  });

  test('without a length tells its size', async () => {
    expect(await of(film({ seconds: 0, width: 640, height: 480 }))).toEqual({ width: 640, height: 480 });
  });

  test('that is cut anywhere, or damaged, is read to an end', async () => {
    const bytes = film({ bytes: 700 });
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length),
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 8 }),
        async (end, damage) => {
          const damaged = Buffer.from(bytes);
          for (const [at, value] of damage) damaged[at] = value;
          const found = await of(damaged.subarray(0, end));
          expect(found === undefined || (found.width > 0 && found.height > 0)).toBe(true);
        },
      ),
    );
  });
});
