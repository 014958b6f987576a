import fc from 'fast-check';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { DocumentWriter } from '../../../src/content/text/reading/document-writer.ts';
import { convertHtml, readDocument } from '../../../src/content/text/html-to-whatsapp.ts';
import { parseWhatsApp } from '../../../src/content/text/parse-whatsapp.ts';
import { render } from '../../../src/content/text/writing/render.ts';
import {
  attributeHtmlTexts,
  documents,
  htmlTexts,
  misnestedHtmlTexts,
  reopenedHtmlTexts,
  tidyHtmlTexts,
} from '../../support/inputs/generate-text.ts';
import { readAsBrowser } from '../../support/inputs/read-as-browser.ts';
import { runs } from '../../support/runs.ts';
import { seen, visible } from '../../support/browser/visible.ts';

const RUNS = { numRuns: runs(2_000) };
const anyHtml = fc.oneof(htmlTexts, tidyHtmlTexts);

const LINKS_WITHIN_LINKS = [
  '<a href="https://x.org/">x<a href="https://y.org/">y</a></a>z',
  '<a href="https://x.org/">x<b>y<a href="https://y.org/">z</b>x</a>y',
  '<a href="https://x.org/"><ul><li>x<a href="https://y.org/">y</a></li><li>z</a>x</ul>y',
  // More blocks between two links than browsers repair: the outer link stays open.
  '<a href="https://x.org/"><ul><ol><ul><li><ol><ol><ul><p><a><a><ul>x',
  '<p><a href="https://x.org/">y</p>z<ul><ol><ul><li><ol><ol><ul><ol><ul><ol><h1><p><a>x',
];

function textOf(node: DefaultTreeAdapterTypes.Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

function bare(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\p{Cf}\u034f]/gu, '');
}

/** As it is written behind the text of a link. A link over several paragraphs stands in the last one, which may say its target already. */
const TARGET = / \((?:https?:\/\/|[^\s()@]*@|\+?\d)[^\s()]*\)/g;

describe('the text that members see', () => {
  it('equals the document, for any document', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(seen(parseWhatsApp(render(document)))).toEqual(visible(document));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('equals the document, for any HTML', () => {
    fc.assert(
      fc.property(anyHtml, (html) => {
        const { document } = readDocument(html);
        expect(seen(parseWhatsApp(render(document)))).toEqual(
          document.length === 0 ? seen(parseWhatsApp('')) : visible(document),
        );
      }),
      RUNS,
    );
  });

  it('contains every letter of the HTML, in order', () => {
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

  it('begins and ends with a line that has text, without needless spaces', () => {
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
    attributeHtmlTexts,
  );

  it('produce the same document as in a browser', () => {
    fc.assert(
      fc.property(misnested, (html) => {
        const browser = new DocumentWriter();
        readAsBrowser(html, browser);
        const { document, problems, warnings } = readDocument(html);
        fc.pre(problems.length === 0 && warnings.every(({ code }) => code !== 'link_not_linkable'));
        expect(document).toEqual(browser.finish().document);
      }),
      { numRuns: runs(6_000), examples: LINKS_WITHIN_LINKS.map((html) => [html]) },
    );
  });
});

describe('the converter', () => {
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.string({ unit: fc.constantFrom(...'<>/"\'=&;#!- \0\ud800abpsvgtdx1'), maxLength: 60 }),
  );

  it('leaves html that says the same without the tags that it takes out', () => {
    fc.assert(
      fc.property(anything, (html) => {
        const { text, html: left, problems } = convertHtml(`<div>${html}</div>`, 'drop');
        fc.pre(problems.length === 0);
        expect(convertHtml(left)).toMatchObject({ text, problems: [] });
      }),
      RUNS,
    );
  });

  it('reads the same words of HTML of the specification, whether or not it is taken for that of another program', () => {
    fc.assert(
      fc.property(htmlTexts, (html) => {
        const { text, problems } = convertHtml(html);
        fc.pre(problems.length === 0);
        // A heading in a link may lose its marks, which are no words.
        const words = (said: string) => bare(said.replaceAll(TARGET, '')).replaceAll(/[*_~`]/g, '');
        expect(words(convertHtml(`<article>${html}</article>`, 'drop').text)).toBe(words(text));
      }),
      RUNS,
    );
  });

  it('never throws, and returns no text with a problem', () => {
    fc.assert(
      fc.property(anything, (html) => {
        for (const unknownTags of ['reject', 'drop'] as const) {
          const { text, problems } = convertHtml(html, unknownTags);
          expect(problems.length > 0 && text !== '').toBe(false);
        }
      }),
      RUNS,
    );
  });
});
