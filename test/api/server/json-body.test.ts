/** JSON bodies, above all big ones: what `JSON.parse` makes of them is what handlers get. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJsonBody } from '../../../src/api/server/json-body.ts';

const LONG = 300_000;
const FILE = 'data:image/png;base64,'.padEnd(LONG, 'Ab3+/');
const WIDE = { commas: 1e6, names: 1e6 };
const parse = (text: string, bounds = WIDE) => parseJsonBody(Buffer.from(text), bounds);

/** Spaces that keep a body over the size at which long strings are taken out of it. */
const big = (text: string) => text.padEnd(LONG + 1);

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
    ['with letters beyond ASCII', `{"image":"${FILE}é😀"}`],
    ['in a field __proto__', `{"__proto__":"${FILE}","a":{"__proto__":{"b":"${FILE}"}}}`],
    ['behind a hundred thousand short ones', `{"a":[${'"",'.repeat(100_000)}""],"image":"${FILE}"}`],
  ])('%s is read as JSON.parse reads it', (_where, text) => {
    const expected: unknown = JSON.parse(text);
    expect(JSON.stringify(parse(text)) === JSON.stringify(expected)).toBe(true);
  });

  test.each([
    ['with a line break in it', `{"image":"${FILE}\n${FILE}"}`],
    ['with a NUL in it', `{"image":"${FILE}\0${FILE}"}`],
    ['that does not end', `{"image":"${FILE}`],
    ['behind a backslash', `{"a":\\"${FILE}"}`],
    ['without a comma', `{"a":"${FILE}" "b":1}`],
    ['beside another', `{"a":"${FILE}""${FILE}"}`],
    ['of quotes', '"'.repeat(LONG)],
  ])('%s is no JSON', (_where, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(() => parse(text)).toThrow('The body is not JSON');
  });

  test('with an escaped NUL beside it is rejected by the name of the field', () => {
    expect(() => parse(`{"image":"${FILE}","note":"a\\u0000"}`)).toThrow(
      expect.objectContaining({ details: [expect.objectContaining({ field: 'note' })] }),
    );
  });
});

test('reads any value in a big body as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'grapheme', maxDepth: 4 }), fc.string(), (value, name) => {
      const text = big(JSON.stringify({ [name]: FILE, value, list: [value, { image: FILE }] }));
      // `__proto__` is as good a name as any, which `toEqual` does not see.
      expect(JSON.stringify(parse(text)) === JSON.stringify(JSON.parse(text))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('reads a big body of bytes at random as JSON.parse reads it', () => {
  const piece = fc.constantFrom('"', '\\', ':', ',', '{', '}', '[', ']', ' ', 'a', FILE, 'null', '1');
  const outcome = (act: () => unknown) => {
    try {
      return JSON.stringify(act());
    } catch {
      return 'no JSON';
    }
  };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = big(pieces.join(''));
      const expected = text.trim() === '' ? '{}' : outcome(() => JSON.parse(text));
      expect(outcome(() => parse(text)) === expected).toBe(true);
    }),
    { numRuns: 500 },
  );
});
