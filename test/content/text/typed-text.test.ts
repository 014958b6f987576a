/** A text as typed on a phone: text → html → document → text is the same, and members see what a phone shows. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HTML_LIMIT, TEXT_LIMIT } from '../../../src/content/text/document.ts';
import { convertHtml, readDocument } from '../../../src/content/text/html-to-whatsapp.ts';
import { parseWhatsApp } from '../../../src/content/text/parse-whatsapp.ts';
import { htmlOfTyped } from '../../../src/content/text/typed-text.ts';
import { render } from '../../../src/content/text/writing/render.ts';
import { documents, tidyHtmlTexts } from '../../support/inputs/generate-text.ts';
import { seen, visible } from '../../support/browser/visible.ts';
import { runs } from '../../support/runs.ts';

const PIECES = [
  'a',
  'b',
  '1',
  ' ',
  '  ',
  '*',
  '_',
  '~',
  '`',
  '```',
  '> ',
  '- ',
  '* ',
  '1. ',
  '\n',
  '\n\n',
  '&',
  '<b>',
  '&amp;',
];
const UNITS = [...PIECES, '😀', 'ש', '\u00a0', '\u200b', '.', '"', 'https://example.org/a_b', '</p>', '@all'];
const texts = fc.array(fc.constantFrom(...UNITS), { maxLength: 40 }).map((units) => units.join(''));

/** What a message cannot have: space at the ends of lines, and empty lines at its ends. */
function settled(text: string): string {
  const isSeen = (line: string) => /[^\s\u200b]/.test(line);
  const lines = text.split('\n').map((line) => (isSeen(line) ? line.trimEnd() : ''));
  const first = lines.findIndex((line) => line !== '');
  return first < 0 ? '' : lines.slice(first, lines.findLastIndex((line) => line !== '') + 1).join('\n');
}

describe('a text as typed', () => {
  test('is the same text and within the limit of html, however many of its signs are escaped', () => {
    const signs = fc.constantFrom('&', '<', '>', '&a', '&#1', '<b', '</', '<!', '<?', '&lt;', 'a', ';', ' ');
    const unit = fc.array(signs, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(unit, (piece) => {
        const text = `.${piece.repeat(TEXT_LIMIT).slice(0, TEXT_LIMIT - 2)}.`;
        const html = htmlOfTyped(text);
        expect(html.length).toBeLessThanOrEqual(HTML_LIMIT);
        expect(convertHtml(html).text === text).toBe(true);
      }),
      { numRuns: runs(30) },
    );
  });

  test('is the same text after it was html and a document', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { text: sent, problems } = convertHtml(htmlOfTyped(text));
        expect(problems).toEqual([]);
        expect(sent).toBe(settled(text));
      }),
      {
        numRuns: runs(3_000),
        examples: [
          '*Fair* ~12 €~ _10 €_\n> quoted\n- `code`\n1. one\n```\nmono *x*\n```',
          '  leading',
          '***',
          '<b>',
        ].map((text): [string] => [text]),
      },
    );
  });

  test('keeps the law of formatting beside html', () => {
    fc.assert(
      fc.property(texts, tidyHtmlTexts, (text, html) => {
        // A row of three backticks without its end reads on into what follows, as on a phone.
        fc.pre(!text.includes('```'));
        const { document } = readDocument(`${html}${htmlOfTyped(text)}${html}`);
        fc.pre(document.length > 0);
        const expected = document.flatMap((line) =>
          line.isTyped && line.head === undefined
            ? seen(parseWhatsApp(line.runs.map((run) => run.text).join('')))
            : visible([line]),
        );
        expect(seen(parseWhatsApp(render(document)))).toEqual(expected);
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('leaves a document without it as it was', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(render(document.map((line) => ({ ...line })))).toBe(render(document));
      }),
      { numRuns: runs(300) },
    );
  });

  test('keeps code of several lines, and no row of backticks in html ends it', () => {
    const code = '```\na\n\n```';
    expect(convertHtml(htmlOfTyped(code)).text).toBe(code);
    const { text } = convertHtml(`<p>\`\`\`</p>${htmlOfTyped('```a```')}`);
    expect(seen(parseWhatsApp(text)).map((line) => line.text)).toEqual(['```', '', 'a']);
  });

  test('breaks lines where a message does', () => {
    expect(convertHtml(htmlOfTyped('a\r\nb\rc\u2028d\u0085e\u0000f\u2029g')).text).toBe('a\nb\nc\nd\nef\ng');
  });

  test('is warned of what members see, and not of its marks', () => {
    const codes = (text: string) => convertHtml(htmlOfTyped(text)).warnings.map(({ code }) => code);
    expect(codes('*Attention* _please_ ~now~\ntwo lines')).toEqual([]);
    expect(codes('Dear {{ name }}')).toEqual(['placeholder_left']);
    expect(codes('**cake** and [tea](https://example.org)')).toEqual(['markdown_written']);
    expect(codes('a <b>bold</b> word')).toEqual(['html_escaped']);
    expect(codes('a<b>c, and x<p>y')).toEqual([]);
  });

  test('counts in an item, and only by its text', () => {
    expect(convertHtml('<ul><li><p data-format="whatsapp">~old~ <b>new</b></p></li></ul>').text).toBe('- ~old~ new');
    expect(convertHtml('<p data-format="other">~x~</p>').text).toBe('\u034f~x~');
    expect(convertHtml('<span data-format="whatsapp">~x~</span>').text).toBe('\u034f~x~');
  });
});
