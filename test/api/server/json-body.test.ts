/** Big JSON bodies, which threads parse: what `JSON.parse` makes of them is what handlers get. */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parseJsonBody } from '../../../src/api/server/json-body.ts';
import type { AppError } from '../../../src/platform/errors/errors.ts';
import { createBigBodyParser } from '../../../src/api/server/parse-big-body.ts';

const LONG = 1_100_000;
const FILE = 'data:image/png;base64,'.padEnd(LONG, 'Ab3+/');
const WIDE = { commas: 1e6, names: 1e6 };
const bodies = createBigBodyParser();
afterAll(() => bodies.close());
const parse = (text: string) => bodies.parse(Buffer.from(text), WIDE, ['person 1']);
/** A short body would be part of a larger buffer. */
const big = (text: string) => text.padEnd(100_000);
/** Of the calling thread, in milliseconds. */
function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(since);
  return (user + system) / 1_000;
}

describe('a long string', () => {
  test.each([
    ['as the value of a field', `{"name":"x","image":"${FILE}"}`],
    ['behind spaces and line breaks', `{ "image" :\r\n\t "${FILE}" , "name":"x" }`],
    ['in an object within', `{"link_preview":{"image":"${FILE}"},"media":[{"caption":"${FILE}"}]}`],
    ['in a list', `{"image":["${FILE}","x"]}`],
    ['as the name of a field', `{"${FILE}":1}`],
    ['as the whole body', `"${FILE}"`],
    ['beside the same field', `{"image":"${FILE}","image":"x","name":"${FILE}","name":"y"}`],
    ['with escapes in it', `{"image":"${FILE}\\n\\u00e9\\\\","name":"\\"${FILE}\\""}`],
    ['behind escaped quotes', String.raw`{"html":"<a href=\"x\">\\\\\"</a>\\","image":"${FILE}"}`],
    ['with letters beyond ASCII', `{"image":"${FILE}é"}`],
    ['with letters beyond Latin 1', `{"image":"${FILE}é😀","list":["${FILE}","${FILE}я"]}`],
    ['in a field __proto__', `{"__proto__":"${FILE}","a":{"__proto__":{"b":"${FILE}"}}}`],
    ['behind a hundred thousand short ones', `{"a":[${'"",'.repeat(100_000)}""],"image":"${FILE}"}`],
  ])('%s is read as JSON.parse reads it', async (_where, text) => {
    const expected: unknown = JSON.parse(text);
    expect(JSON.stringify(await parse(text)) === JSON.stringify(expected)).toBe(true);
  });

  test.each([
    ['with a line break in it', `{"image":"${FILE}\n${FILE}"}`],
    ['with a NUL in it', `{"image":"${FILE}\0${FILE}"}`],
    ['that does not end', `{"image":"${FILE}`],
    ['behind a backslash', `{"a":\\"${FILE}"}`],
    ['without a comma', `{"a":"${FILE}" "b":1}`],
    ['beside another', `{"a":"${FILE}""${FILE}"}`],
    ['of quotes', '"'.repeat(LONG)],
  ])('%s is no JSON', async (_where, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    await expect(parse(text)).rejects.toMatchObject({
      code: 'body_not_json',
      message: expect.stringMatching(/^The body is not JSON: /) as string,
    });
  });

  test('with an escaped NUL beside it is rejected by the name of the field', async () => {
    await expect(parse(`{"image":"${FILE}","note":"a\\u0000"}`)).rejects.toMatchObject({
      details: [{ field: 'note', code: 'nul_character' }],
    });
  });
});

test('rejects a big body that is no UTF-8, and one with too many parts, and reads spaces as no field', async () => {
  const latin = Buffer.from(`{"image":"${FILE}é"}`, 'latin1');
  await expect(bodies.parse(latin, WIDE, ['person 1'])).rejects.toThrow('The body is not UTF-8');
  const few = bodies.parse(Buffer.from(big('[1,2,3]')), { commas: 1, names: 9 }, ['person 1']);
  await expect(few).rejects.toMatchObject({ code: 'invalid_request' });
  expect(await parse(big(''))).toEqual({});
  // As deep as an operation with files lets a body be.
  const deep = '['.repeat(1_100) + ']'.repeat(1_100);
  expect(JSON.stringify(await parse(big(`{"x":${deep}}`)))).toBe(`{"x":${deep}}`);
});

test('the event loop has little to do with a big body of escapes, and none of its bytes', async () => {
  const text = `{"image":"${'\\n'.repeat(6_000_000)}"}`;
  const whole = cpuMs();
  parseJsonBody(Buffer.from(text), WIDE);
  const wholeMs = cpuMs() - whole;
  // The thread has started.
  await parse(big('{}'));
  // The least of several: garbage of what ran before is collected in some of them.
  const costs: number[] = [];
  for (let round = 0; round < 5; round++) {
    const body = Buffer.from(text);
    const before = cpuMs();
    const value = await bodies.parse(body, WIDE, ['person 1']);
    costs.push(cpuMs() - before);
    expect(body.length).toBe(0);
    expect(value).toEqual({ image: '\n'.repeat(6_000_000) });
  }
  expect(Math.min(...costs)).toBeLessThan(wholeMs / 2);
});

test('reads any value in a big body as JSON.parse reads it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 }), fc.string(), async (value, name) => {
      const text = JSON.stringify({ [name]: FILE, value, list: [value, { image: FILE }] });
      // `__proto__` is as good a name as any, which `toEqual` does not see.
      expect(JSON.stringify(await parse(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('reads a big body of bytes at random as JSON.parse reads it', async () => {
  const piece = fc.constantFrom('"', '\\', ':', ',', '{', '}', '[', ']', ' ', 'a', FILE, 'null', '1');
  const expectedOf = (text: string) => {
    try {
      return JSON.stringify(text.trim() === '' ? {} : JSON.parse(text));
    } catch {
      return 'no JSON';
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      const text = big(pieces.join(''));
      const read = await parse(text).then(JSON.stringify, ({ code }: AppError) =>
        code === 'body_not_json' ? 'no JSON' : code,
      );
      expect(read === expectedOf(text)).toBe(true);
    }),
    { numRuns: 200 },
  );
});
