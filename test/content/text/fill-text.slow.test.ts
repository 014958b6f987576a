/** Values are text: a filled text is read as its template, with each value in the place of its placeholder. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { cleanValue, compileText, encodeInAddress, readTyped } from '../../../src/content/text/fill-text.ts';
import type { TemplateText } from '../../../src/content/text/placeholders.ts';
import { convertHtml } from '../../../src/content/text/html-to-whatsapp.ts';
import { parseWhatsApp, type SeenLine } from '../../../src/content/text/parse-whatsapp.ts';
import { htmlOfTyped } from '../../../src/content/text/typed-text.ts';
import { withMentionAll } from '../../../src/content/text/mention-all.ts';
import { growsLinearly } from '../../support/cpu-time.ts';
import { runs } from '../../support/runs.ts';

/** What a reader of templates sees in the place of each placeholder: a boundary that is no mark and no space. */
const STAND_INS = ['§', '¶', '‡'];
const TOKENS = ['\ufdd0', '\ufdd1', '\ufdd2'];
const LINK = /(?<![A-Za-z0-9])(?:[Hh][Tt][Tt][Pp][Ss]?:\/\/|www\.)[^\s\u200b-\u200f<>"`]+/g;

const valuePieces = fc.constantFrom(
  '*',
  '_',
  '~',
  '`',
  '```',
  '*a*',
  '_x',
  'x_',
  '{{ first }}',
  '{{',
  '}}',
  '{',
  '|',
  '"',
  '<b>',
  '&amp;',
  '\\',
  'a',
  'Anna',
  'snake_case',
  '2*3',
  '7',
  '12. ',
  '1. x',
  '- ',
  '> ',
  '• ',
  '@all',
  '@',
  'all',
  '@al',
  'l',
  '.',
  ',',
  '(',
  ')',
  'https://evil.example/a_b',
  'http://',
  'https:',
  'ht',
  'tp://x',
  'www.',
  'www.x.y',
  '://',
  'ww',
  'w.x',
  '//',
  '\u200b',
  '\u200d',
  '\u034f',
  '\u202e',
  '\u2067',
  '\ufdd0',
  '\ufeff',
  'שלום',
  'مرحبا',
  'é',
  'e\u0301',
  '中',
  '😀',
  '*\ufe0f\u20e3',
  '\n',
  '\r\n',
  '\t',
  '\u2028',
  '\0',
  '\u0085',
  ' ',
  '  ',
  '\u00a0',
);
const values = fc
  .array(fc.oneof({ weight: 6, arbitrary: valuePieces }, fc.string({ unit: 'grapheme', maxLength: 6 })), {
    minLength: 1,
    maxLength: 6,
  })
  .map((pieces) => pieces.join('').toWellFormed())
  .filter((value) => cleanValue(value) !== '');
const links = fc.constantFrom(
  'https://example.org/a_b_c',
  'https://example.org/*x*/_y_',
  'http://x.y/~',
  'https://example.org/(a)?q=1#*',
);

const pieces = [
  '*',
  '_',
  '~',
  '`',
  '```',
  '(',
  ')',
  '.',
  ',',
  '-',
  '> ',
  '- ',
  '1',
  '1. ',
  '• ',
  ' ',
  ' ',
  ' ',
  'word',
  'ht',
  'www',
  '@',
  'all',
  '@a',
  'll',
  '😀',
  'é',
  'https://example.org/',
  ' www.example.org/a?b=',
  'https://',

  '{{ first }}',
  '{{ second }}',
  '{{ link }}',
  '{{first}}',
  '{{ first }}{{ second }}',
  'https://example.org/{{ first }}/x',
  '{{ second }}s',
];
const typed = fc
  .array(fc.constantFrom(...pieces, '\n'), { minLength: 1, maxLength: 12 })
  .map((all) => htmlOfTyped(all.join('')));
const html = fc
  .array(
    fc.constantFrom(
      ...pieces.map((piece) => piece.replaceAll('>', '&gt;')),
      '<b>',
      '</b>',
      '<i>',
      '</i>',
      '<br>',
      '<p>',
      '</p>',
      '<ul><li>',
      '</li></ul>',
      '<h2>',
      '</h2>',

      '<a href="{{ link }}">here</a>',
      '<a href="https://example.org/{{ first }}?q={{ second }}">{{ second }}</a>',
      '<a href="https://x.org">{{ first }}</a>',
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.join(''));

interface Sight {
  kind: string;
  number: number | undefined;
  /** Each with its styles. */
  characters: string[];
}

const isInvisible = (character: string) => /[\p{Cf}\p{Cc}\u034f]/u.test(character);

/** Returns what is seen of lines; `write` says what stands for a character. */
function sightsOf(
  lines: readonly SeenLine[],
  write: (character: string) => string = (character) => character,
): Sight[] {
  return lines.map(({ kind, number, runs: seen }) => ({
    kind,
    number,
    characters: seen.flatMap(({ text, styles }) =>
      Array.from(text, write).flatMap((written) =>
        Array.from(written)
          .filter((character) => !isInvisible(character))
          .map((character) => (/\s/.test(character) ? ' ' : `${character}${styles.toSorted().join()}`)),
      ),
    ),
  }));
}

function toStandIns(text: string): string {
  return TOKENS.reduce((left, token, index) => left.replaceAll(token, STAND_INS[index] ?? ''), text);
}

/** Returns which tokens of a template stand in which order, by their stand-ins, and the links in which they are. */
function readTemplate({ text, placeholders }: TemplateText, valueOf: (name: string) => string) {
  const shown = toStandIns(text);
  const nameOf = (standIn: string) => placeholders[STAND_INS.indexOf(standIn)]?.name ?? '';
  const inLinks = new Set<number>();
  const starts = new Map(Array.from(shown.matchAll(LINK), ({ index, 0: found }) => [index, found]));
  for (const [index, found] of starts) for (let at = index; at < index + found.length; at++) inLinks.add(at);
  const places: Array<{ text: string }> = [];
  const expectedLinks: string[] = [];
  for (let at = 0; at < shown.length; at++) {
    const character = shown.charAt(at);
    const link = starts.get(at);
    if (link)
      expectedLinks.push(
        Array.from(link, (one) => (STAND_INS.includes(one) ? encodeInAddress(valueOf(nameOf(one))) : one)).join(''),
      );
    if (!STAND_INS.includes(character)) continue;
    const value = valueOf(nameOf(character));
    const isLink = nameOf(character) === 'link' && !inLinks.has(at);
    const written = inLinks.has(at)
      ? encodeInAddress(value)
      : isLink
        ? value.replace(/[*_~]+$/, (marks) => encodeMarks(marks))
        : value;
    if (isLink) expectedLinks.push(written);
    places.push({ text: written });
  }
  return { shown, places, expectedLinks };
}

const encodeMarks = (marks: string) =>
  Array.from(marks, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`).join('');

/** Without the signs at their ends, which are no part of them, and without those that are nothing else. */
const linksOf = (found: readonly string[]) =>
  found
    .map((link) => link.replace(/[.,;:!?'")\]}*_~»”’…]+$/, ''))
    .filter((link) => !/^(?:https?(?::\/*)?|www)$/i.test(link));

function check(source: string, given: { first: string; second: string; link: string }): void {
  const { template, problems } = convertHtml(source, 'reject', true);
  fc.pre(problems.length === 0 && template !== undefined && template.text !== '');
  if (!template) return;
  const filled = compileText(template)(({ name }) => ({
    value: cleanValue(given[name as 'first']),
    isLink: name === 'link',
  }));
  const { shown, places, expectedLinks } = readTemplate(template, (name) => cleanValue(given[name as 'first']));
  // In an address nobody is mentioned.
  fc.pre(!/(?::\/\/|www\.)\S*@(?:all|[§¶‡])/i.test(shown));
  expect(filled.split('\n')).toHaveLength(shown.split('\n').length);
  let place = 0;
  const expected = sightsOf(parseWhatsApp(shown), (character) =>
    STAND_INS.includes(character) ? (places[place++]?.text ?? '') : character,
  );
  expect(sightsOf(parseWhatsApp(filled))).toEqual(expected);
  expect(linksOf(Array.from(filled.matchAll(LINK), ([found]) => found))).toEqual(linksOf(expectedLinks));
  // A value mentions nobody: the text has the mention that its template has.
  expect(withMentionAll(filled) === filled).toBe(withMentionAll(shown) === shown);
}

describe('a filled text is read as its template with the values', () => {
  const given = fc.record({ first: values, second: values, link: links });
  it('of html', () => {
    fc.assert(fc.property(html, given, check), { numRuns: runs(4_000) });
  });
  it('of a text as typed', () => {
    fc.assert(fc.property(typed, given, check), { numRuns: runs(4_000) });
  });
});

test.each([
  ['placeholders', 'a', (count: number) => '{{ a }} '.repeat(count)],
  ['placeholders in one address', 'a', (count: number) => `https://x.org/${'{{ a }}'.repeat(count)}`],
  ['addresses', 'a', (count: number) => 'https://x.org/{{ a }} '.repeat(count)],
  ['lines', 'a', (count: number) => '{{ a }}\n'.repeat(count)],
  ['empty values', '', (count: number) => '{{ a }}'.repeat(count)],
  ['empty fallbacks', '', (count: number) => '{{ a | "" }} '.repeat(count)],
  ['empty fallbacks in formatting', '', (count: number) => '*_{{ a | "" }}_* '.repeat(count)],
  ['empty fallbacks in addresses', '', (count: number) => 'https://x.org/{{ a | "" }} '.repeat(count)],
])('a text of many %s is filled in linear time', (_what, value, write) => {
  const fill = (count: number) => compileText(readTyped(write(count)))(() => ({ value, isLink: false }));
  expect(growsLinearly(fill, 40_000)).toBe(true);
});

test('a text that becomes too long ends behind the greatest length', () => {
  const value = 'x'.repeat(1_000);
  const filled = ['{{ a }}', '{{ a }}\n', 'https://x.org/{{ a }} ']
    .map((text) => text.repeat(5_000))
    .map((text) => compileText(readTyped(text))(() => ({ value, isLink: false })).length);
  for (const length of filled) {
    expect(length).toBeGreaterThan(65_536);
    expect(length).toBeLessThan(70_000);
  }
});

test('a value makes no address and no mention of what stands on both sides of it', () => {
  const fill = (text: string, value: string) => compileText(readTyped(text))(() => ({ value, isLink: false }));
  expect(fill('ht{{ a }}p://evil.example', 't')).not.toContain('http://');
  expect(fill('ww{{ a }}.evil.example', 'w')).not.toContain('www.');
  expect(fill('@a{{ a }}l', 'l')).not.toContain('@all');
});

test('a value ends an address with its last character', () => {
  const fill = (text: string, value: string) => compileText(readTyped(text))(() => ({ value, isLink: false }));
  expect(fill('https://x.org/*{{ a }}*', '.')).toBe('https://x.org/*%2E*');
  expect(fill('https://x.org/{{ a }}', 'Smith Jr.')).toBe('https://x.org/Smith%20Jr%2E');
  expect(fill('https://x.org/{{ a }}/b', 'v1.2_c')).toBe('https://x.org/v1.2_c/b');
});

/** Fills a text as groups get it that lack each of its values. */
const fillEmpty = (text: TemplateText) => compileText(text)(() => ({ value: '', isLink: false }));

describe('a placeholder that says nothing is as if it was not written', () => {
  /** What is seen, without white space: lines that say nothing do not count. */
  const seenIn = (text: string) =>
    sightsOf(parseWhatsApp(text))
      .map(({ kind, characters }) => ({ kind, characters: characters.filter((one) => one.trim() !== '') }))
      .filter(({ characters }) => characters.length > 0);
  // Beside a placeholder an address is not formatted, and brackets around nothing go, too.
  const filledPieces = pieces.filter((piece) => !/\{\{|[()]|ht|www|:\/\//.test(piece));
  const tags = '<b>,</b>,<i>,</i>,<s>,</s>,<br>,<p>,</p>,<h2>,</h2>,<a href="{{ e | \'\' }}">here</a>'.split(',');
  const sources = fc
    .array(
      fc.constantFrom(
        ...filledPieces.map((piece) => piece.replaceAll('>', '&gt;')),
        ...tags,
        ...Array.from({ length: 12 }, () => "{{ e | '' }}"),
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((all) => all.join(''));

  it('in html', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const { template, problems } = convertHtml(source, 'reject', true);
        fc.pre(problems.length === 0 && template !== undefined);
        if (!template) return;
        const without = convertHtml(
          source.replaceAll("{{ e | '' }}", '').replaceAll('<a href="">here</a>', 'here'),
          'reject',
          true,
        );
        expect(seenIn(fillEmpty(template))).toEqual(seenIn(without.text));
      }),
      { numRuns: runs(4_000) },
    );
  });
});

test.each([
  ['<p>Dear <b>{{ e | "" }}</b></p><p>Hello</p>', 'Dear\n\nHello'],
  ['Hello <b>{{ e | "" }}</b><i>{{ e | "" }}</i>!', 'Hello !'],
  ['<b><i>{{ e | "" }}</i></b> is late', 'is late'],
  ['<h2>{{ e | "" }}</h2><p>Text</p>', 'Text'],
  ['<p>A</p><p>{{ e | "" }}</p><p>B</p>', 'A\n\nB'],
  ['<ul><li>A</li><li>{{ e | "" }}</li><li>B</li></ul>', '- A\n- B'],
  ['<ul><li>A<ul><li>{{ e | "" }}</li></ul></li></ul>', '- A'],
  ['<a href="{{ e | \'\' }}">here</a>', 'here'],
  ['<i>* _{{ e | "" }}</i>', '_* _\u200b_'],
  ['Dear {{ e | "" }} Anna', 'Dear Anna'],
  ['2*{{ e | "" }}*3', '2*\u200b*3'],
  ['@{{ e | "" }}all', '@\u200ball'],
  ['{{ e | " " }}', ''],
])('%s without a value', (source, said) => {
  const { template } = convertHtml(source, 'reject', true);
  expect(template && fillEmpty(template)).toBe(said);
});
