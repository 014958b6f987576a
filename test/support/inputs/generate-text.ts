/** Documents and HTML for property tests, rich in text that looks like markup. */
import fc from 'fast-check';
import type { Document, Head, Line, Run } from '../../../src/content/text/document.ts';

const ODD_PIECES = [
  ['*', '_', '~', '`', '``', '```', '**', '__', '*_', '_*', '(*', '*)', '*,'],
  ['a', 'b', 'word', 'snake_case', '2*3*4', 'é', 'ß', '中', '文', 'ع', 'ر', 'न', '7', '12'],
  ['.', ',', '-', '>', '•', '(', ')', '!', '’', '1.', '123.'],
  ['😀', '❤️', '*️⃣', '👩‍👩‍👧', '🇩🇪', '👍🏽', '€', '∗'],
  ['\u200b', '\u034f', '\u00a0', '\u200d', '\u3000', '\u2066', '\u0301', '\u00ad'],
].flat();
const ADDRESSES = [
  'https://example.org/a_b_c',
  'https://example.org/*x*/_y_?q=*1*#_z_',
  'http://x.y',
  'www.example.org/~me~/a_b',
];

const oddWord = fc
  .array(fc.constantFrom(...ODD_PIECES), { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.join(''));
const style = fc.constantFrom(0, 0, 1, 2, 3);
const address = fc.constantFrom(...ADDRESSES).map((text) => [{ text: ` ${text} `, style: 0 }]);
const word = fc
  .tuple(oddWord, style, fc.constantFrom('', '', ' '))
  .map(([text, style, space]) => [{ text: text + space, style }]);
const words = fc.array(fc.oneof({ weight: 12, arbitrary: word }, { weight: 1, arbitrary: address }), { maxLength: 9 });

const head = fc.oneof(fc.constant(undefined), fc.constant('bullet' as const), fc.integer({ min: -1, max: 120 }));

/** A document as `document.ts` promises them: single spaces, none at the ends of a line, neighbours that differ in style. */
export const documents: fc.Arbitrary<Document> = fc.array(fc.tuple(head, words).map(toLine), {
  minLength: 1,
  maxLength: 5,
});

function toLine([head, words]: [Head | undefined, Run[][]]): Line {
  const runs: Run[] = [];
  for (const { text, style } of words.flat()) {
    const last = runs.at(-1);
    const fresh = text.startsWith(' ') && (last === undefined || last.text.endsWith(' ')) ? text.slice(1) : text;
    if (last?.style === style) last.text += fresh;
    else if (fresh !== '') runs.push({ text: fresh, style });
  }
  const last = runs.at(-1);
  if (last?.text.endsWith(' ')) last.text = last.text.slice(0, -1);
  if (last?.text === '') runs.pop();
  return { head: runs.length === 0 ? undefined : head, runs };
}

const HTML_PIECES = [
  [
    '<b>',
    '</b>',
    '<i>',
    '</i>',
    '<em>',
    '</em>',
    '<strong>',
    '</strong>',
    '<span>',
    '</span>',
    '<br>',
    '<br/>',
    '</br>',
  ],
  [
    '<p>',
    '</p>',
    '<h1>',
    '</h1>',
    '<h3>',
    '</h3>',
    '<ul>',
    '</ul>',
    '<ol>',
    '<ol start="98">',
    '</ol>',
    '<li>',
    '</li>',
  ],
  ['<a href="https://x.org/a_b*c*">', '<a href="mailto:a_b@x.org">', '<a href="tel:+4930">', '<a>', '</a>'],
  [
    '<!-- * -->',
    '&amp;',
    '&lt;',
    '&nbsp;',
    '&#42;',
    '&#x1F600;',
    '&#8217;',
    '&#150;',
    '&#0;',
    '&#xFFFF;',
    '&#;',
    '&#x110000;',
    '&hellip;',
    '&;',
    '&lt',
    '&copy',
    '& ',
    '\n',
    '  ',
    ' ',
    '\t',
    '<B>',
    '</P >',
    '<p class="x">',
  ],
  ['https://x.org/a_b', 'www.x.org', 'x.org', 'https://x.org/a_b*c*', '+49 30', 'a_b@x.org'],
].flat();

/** HTML of allowed tags, well formed or not. */
export const htmlTexts: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...HTML_PIECES, ...ODD_PIECES, 'x', 'y ', ' z'), { maxLength: 24 })
  .map((pieces) => pieces.join(''));

const TAGS = ['b', 'i', 'em', 'strong', 'span', 'a', 'p', 'h1', 'h2', 'ul', 'ol', 'li'];
const tag = fc.constantFrom(
  ...TAGS.flatMap((name) => [`<${name}>`, `</${name}>`]),
  ...['b', 'i', 'a', 'p', 'strong'].flatMap((name) => [`<${name}>`, `</${name}>`]),
  '<a href="https://x.org/">',
  '<a href="https://y.org/">',
  '<br>',
);

/** Tags in any order, so that most of them are closed by others or not at all. */
export const misnestedHtmlTexts: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 5, arbitrary: tag }, { weight: 2, arbitrary: fc.constantFrom('x', 'y ', 'z') }), {
    maxLength: 60,
    size: 'max',
  })
  .map((pieces) => pieces.join(''));

const MARKS = ['b', 'i', 'em', 'strong', 'span', 'a', 'a href="https://x.org/"', 'a href="https://y.org/"'];
const beginningOfMark = fc.constantFrom(...MARKS).map((mark) => `<${mark}>`);
const endOfMark = fc.constantFrom('</b>', '</i>', '</em>', '</strong>', '</span>', '</a>');
const bitOfBlock = fc.constantFrom(
  '<p>',
  '<p>x',
  '<p>y ',
  '</p>',
  '<li>z',
  '<ul>',
  '</ul>',
  '<h1>',
  '</h1>',
  'x',
  '<br>',
);

/** Blocks in marks that were left open: they open again in one after another, and only now and then a tag has to do with one. */
export const reopenedHtmlTexts: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(beginningOfMark, { minLength: 2, maxLength: 14 }),
    fc.array(
      fc.oneof(
        { weight: 6, arbitrary: bitOfBlock },
        { weight: 1, arbitrary: beginningOfMark },
        { weight: 1, arbitrary: endOfMark },
      ),
      { maxLength: 60, size: 'max' },
    ),
  )
  .map(([marks, rest]) => `<p>${marks.join('')}${rest.join('')}`);

const beginningOfTag = fc.constantFrom(
  '<b',
  '<A',
  '<a',
  '<a ',
  '<ol',
  '<ol ',
  '</a',
  '</P',
  '<span',
  '<br',
  '<strong',
  '<c',
);
const bitOfTag = fc.constantFrom(
  ...[
    [
      'href',
      'HREF',
      'start',
      'x',
      'x-y',
      'ſ',
      ' href="http://z.y"',
      ' href=tel:2',
      '=',
      '=',
      ' = ',
      ' ',
      '\n',
      '\t',
      '\f',
      '\r\n',
      '/',
      '"',
      "'",
      '<',
    ],
    ['http://x.y', '"http://x.y/"', "'mailto:a@x.y'", '"tel:1"', '7', "'8'", '"&amp;"', '&lt;', '&lt', '>', '`', 'é'],
  ].flat(),
);

/** Tags with attributes of all kinds, well formed or not, and comments. */
export const attributeHtmlTexts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      {
        weight: 8,
        arbitrary: fc
          .tuple(beginningOfTag, fc.array(bitOfTag, { maxLength: 7 }), fc.constantFrom('>', '>', '/>', 'x>y'))
          .map(([beginning, bits, end]) => beginning + bits.join('') + end),
      },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.constantFrom('-', '-', '!', '>', '<', 'x'), { maxLength: 8 })
          .map((bits) => `<!--${bits.join('')}-->`),
      },
    ),
    { maxLength: 4 },
  )
  .map((tags) => tags.join(''));

const inline = fc.constantFrom('b', 'i', 'em', 'strong', 'span', 'a href="https://x.org/a_b"');
const block = fc.constantFrom('p', 'h1', 'h2', 'ul', 'ol', 'ol start="7"', 'li', 'p style="color:red"');
const leaf = fc.constantFrom('x', ' y', 'z ', '*', '_a_', '<br>', '&amp;', '&#42;', '&#xe9;', '\n', 'x &lt; y', ' ');

/** HTML in which every tag is closed, as editors write it. */
export const tidyHtmlTexts: fc.Arbitrary<string> = fc.letrec<{ node: string; nodes: string }>((tie) => ({
  nodes: fc.array(tie('node'), { maxLength: 4 }).map((nodes) => nodes.join('')),
  node: fc.oneof(
    { maxDepth: 5 },
    leaf,
    fc.tuple(fc.oneof(inline, block), tie('nodes')).map(([tag, inner]) => `<${tag}>${inner}</${tag.split(' ')[0]}>`),
  ),
})).nodes;
