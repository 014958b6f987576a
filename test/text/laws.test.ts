import fc from 'fast-check';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { DocumentWriter } from '../../src/text/document-writer.ts';
import { convertHtml, readDocument } from '../../src/text/html-to-whatsapp.ts';
import { parseWhatsApp } from '../../src/text/parse-whatsapp.ts';
import { OpenElements } from '../../src/text/open-elements.ts';
import { readHtml } from '../../src/text/read-html.ts';
import { render } from '../../src/text/render.ts';
import { scanHtml, type TagTaker } from '../../src/text/scan-html.ts';
import type { WrittenTag } from '../../src/text/tags.ts';
import { tokenizeHtml } from '../../src/text/tokenize-html.ts';
import {
  attributeHtmlTexts,
  documents,
  htmlTexts,
  misnestedHtmlTexts,
  reopenedHtmlTexts,
  tidyHtmlTexts,
} from '../support/generate-text.ts';
import { readAsBrowser } from '../support/read-as-browser.ts';
import { runs } from '../support/runs.ts';
import { seen, visible } from '../support/visible.ts';

const RUNS = { numRuns: runs(2_000) };
const anyHtml = fc.oneof(htmlTexts, tidyHtmlTexts);

const LINKS_WITHIN_LINKS = [
  '<a href="https://x.org/">x<a href="https://y.org/">y</a></a>z',
  '<a href="https://x.org/">x<b>y<a href="https://y.org/">z</b>x</a>y',
  '<a href="https://x.org/"><ul><li>x<a href="https://y.org/">y</a></li><li>z</a>x</ul>y',
  // More blocks between two links than browsers mend: the outer one stays open.
  '<a href="https://x.org/"><ul><ol><ul><li><ol><ol><ul><p><a><a><ul>x',
];

/** The document a browser's reading of the HTML makes, always by the whole parser. */
function readWhole(html: string) {
  const writer = new DocumentWriter();
  const open = new OpenElements(writer);
  const findings = tokenizeHtml(html, open);
  open.finish();
  return { ...writer.finish(), findings };
}

/** Takes tags and texts down. */
class Tokens implements TagTaker {
  readonly list: unknown[] = [];
  #text = '';

  start({ name, value }: WrittenTag): boolean {
    this.#push({ start: name, value });
    return true;
  }

  end({ name }: WrittenTag): void {
    this.#push({ end: name });
  }

  /** Readers may part a text in different ways. */
  text(text: string): void {
    this.#text += text.replaceAll(/\r\n?/g, '\n');
  }

  isFull(): boolean {
    return false;
  }

  finish(): unknown[] {
    this.#push();
    return this.list;
  }

  #push(...tokens: unknown[]): void {
    if (this.#text !== '') this.list.push(this.#text);
    this.#text = '';
    this.list.push(...tokens);
  }
}

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function bare(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\u034f]/gu, '');
}

describe('what members see', () => {
  it('is what the document says, for any document', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(seen(parseWhatsApp(render(document, Infinity) ?? ''))).toEqual(visible(document));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('is what the document says, for any HTML', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const { document } = readDocument(html);
        expect(seen(parseWhatsApp(render(document, Infinity) ?? ''))).toEqual(
          document.length === 0 ? seen(parseWhatsApp('')) : visible(document),
        );
      }),
      RUNS,
    );
  });

  it('holds every letter of the HTML, in order', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        // Links and markers of items add letters of their own.
        const plain = html.replaceAll(/<\/?(?:a|li)\b[^>]*>/g, '');
        const { document } = readDocument(plain);
        const lines = document.map((line) => line.runs.map(({ text }) => text).join(''));
        expect(bare(lines.join(''))).toBe(bare(textOf(parseFragment(plain))));
      }),
      RUNS,
    );
  });

  it('begins and ends with a line that has text, and has no needless space', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const { text } = convertHtml(html);
        expect(text).not.toMatch(/^\n|\n$|\n | \n| {2}/);
      }),
      RUNS,
    );
  });
});

describe('unclosed and misnested tags', () => {
  const misnested = fc.oneof(
    { weight: 4, arbitrary: misnestedHtmlTexts },
    { weight: 2, arbitrary: reopenedHtmlTexts },
    htmlTexts,
  );

  it('make the same document as in a browser', () => {
    fc.assert(
      fc.property(misnested, (html) => {
        const browser = new DocumentWriter();
        readAsBrowser(html, browser);
        const { document, findings } = readWhole(html);
        fc.pre(!findings.tooDeep);
        expect(document).toEqual(browser.finish().document);
      }),
      { numRuns: runs(6_000), examples: LINKS_WITHIN_LINKS.map((html) => [html]) },
    );
  });

  it('do so wherever in a long document the elements before are forgotten', () => {
    const lists = '<ol><ol><ol><ol><ol><h1><ul><ol><a><ol><li><ol><ul><ul><ol><h1><p><a></h1>';
    const html = `<a href=https://x.y>${lists}_y_word <ol><ol><ul><ol><ol><ul><ol><ul></ul><p><a href="http://x.y/1"></ul></ul></a>* </ul>x`;
    fc.assert(
      fc.property(fc.oneof(fc.constant(html), misnested), fc.integer({ min: 1_930, max: 2_048 }), (end, before) => {
        const whole = '<p>x</p>'.repeat(before) + end;
        const browser = new DocumentWriter();
        readAsBrowser(whole, browser);
        const { document, findings } = readWhole(whole);
        fc.pre(!findings.tooDeep);
        expect(document).toEqual(browser.finish().document);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('what is too long', () => {
  it('is found out early, and never wrongly', () => {
    let early = 0;
    fc.assert(
      fc.property(fc.oneof(anyHtml, misnestedHtmlTexts), fc.oneof(fc.constant(0), fc.nat(60)), (html, less) => {
        const whole = new DocumentWriter(Infinity);
        readHtml(html, whole);
        const { document } = whole.finish();
        const limit = (render(document, Infinity)?.length ?? 0) - less;
        const bounded = new DocumentWriter(limit);
        readHtml(html, bounded);
        const { document: same, isTooLong } = bounded.finish();
        if (isTooLong) early++;
        expect(isTooLong ? render(document, limit) : same).toEqual(isTooLong ? undefined : document);
      }),
      { numRuns: runs(4_000), examples: [['<p><b><a href="https://x.org">x.org</a></b><p>z', 0]] },
    );
    expect(early).toBeGreaterThan(500);
  });
});

describe('the quick reader', () => {
  const html = fc.oneof(tidyHtmlTexts, htmlTexts, misnestedHtmlTexts, reopenedHtmlTexts);

  it('and the whole tokenizer, where it stops, make the same document as the whole tokenizer alone', () => {
    let quick = 0;
    fc.assert(
      fc.property(html, (html) => {
        if (scanHtml(html, new Tokens()) === html.length) quick++;
        const whole = readWhole(html);
        const { tags, links, tooDeep } = whole.findings;
        const isFine = tags.size === 0 && links.size === 0 && !tooDeep;
        const fine = { ...whole, findings: undefined };
        const refused = { document: [], warnings: [], isTooLong: false, findings: whole.findings };
        expect(readDocument(html)).toEqual(isFine ? fine : refused);
      }),
      { numRuns: runs(4_000) },
    );
    expect(quick).toBeGreaterThan(1_000);
  });

  it('finds the same tags and texts as the whole tokenizer, as far as it comes', () => {
    let tags = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: attributeHtmlTexts }, htmlTexts), (html) => {
        const scanned = new Tokens();
        const end = scanHtml(html, scanned);
        const whole = new Tokens();
        const { tags: refused } = tokenizeHtml(html.slice(0, end), whole);
        expect(scanned.finish()).toEqual(whole.finish());
        expect(refused.size).toBe(0);
        tags += scanned.list.length;
      }),
      { numRuns: runs(6_000) },
    );
    expect(tags).toBeGreaterThan(4_000);
  });
});

describe('the converter', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'<>/"\'=&;#!- \0\ud800abpsvgtdx1'), maxLength: 60 }),
  );

  it('never throws, and always says why it refuses', () => {
    fc.assert(
      fc.property(anything, (html) => {
        const { text, problems } = convertHtml(html);
        expect(problems.length > 0).toBe(text === '');
      }),
      RUNS,
    );
  });
});
