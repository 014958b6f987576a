import { expect, test } from 'vitest';
import { readNames } from '../../web/compose/read-names.ts';

test.each([
  ['Choir 🎶\nBoard\n', ['Choir 🎶', 'Board']],
  ['Board\tRosa\t12\r\n  choir   🎶 \r\nBoard', ['Board', 'choir   🎶']],
  ['"The ""old"" town"', ['The "old" town']],
  ['"Choir\nof the town"\tRosa\nBoard', ['Choir\nof the town', 'Board']],
])('%j has a column of names, each once', (column, names) => {
  expect(readNames(column)).toEqual(names);
});
