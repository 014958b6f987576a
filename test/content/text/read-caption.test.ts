import { expect, test } from 'vitest';
import { readCaption, warnOfCaption } from '../../../src/content/text/read-caption.ts';

test.each([
  ['<b>All</b> of us', '*All* of us'],
  ['<p>The hall</p><p>and <i>the yard</i></p>', 'The hall\n\nand _the yard_'],
  ['<div><b>All</b></div>', '*All*'],
  ['*All* of us, ~two~', '*All* of us, ~two~'],
  ['2 < 3 and\n<3', '2 < 3 and\n<3'],
  ['<b></b>', '<b></b>'],
  ['two\r\nlines\u2028and three', 'two\nlines\nand three'],
])('the caption %j reads %j', (caption, text) => {
  expect(readCaption(caption)).toBe(text);
});

test.each([
  ['Dear {{ name }}', ['placeholder_left']],
  ['see **all**', ['markdown_written']],
  ['*All* of us\nin the yard', []],
  ['2 < 3 & so on', []],
  ['a<b>c', []],
])('of the caption %j is warned of %j', (caption, codes) => {
  expect(warnOfCaption(caption).map(({ code }) => code)).toEqual(codes);
});
