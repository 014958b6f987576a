/** Round trip of messages through the editor's parser and serializer, in a real browser, compared with the converter. */
import { join } from 'node:path';
import fc from 'fast-check';
import type { Browser, Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { beforeAll, describe, expect, test } from 'vitest';
import { convertHtml } from '../../src/content/text/html-to-whatsapp.ts';
import { parseWhatsApp } from '../../src/content/text/parse-whatsapp.ts';
import { launchBrowser } from '../support/browser/browser.ts';
import { runs } from '../support/runs.ts';
import { seen, type Sight } from '../support/browser/visible.ts';

const browser = await launchBrowser();

const RUNS = { numRuns: runs(600) };
/** A line with nothing to see is an empty line, whether a break ends it or its block. */
const BLANK_LINES = [
  '<p>\u00a0</p>',
  '<p>\u00a0<br></p>',
  '<p>\u00a0<br><br></p>',
  '<p><br>\u00a0</p>',
  '<p>\u200b</p>',
  '<h2>\u00a0</h2>',
  '\u00a0',
  '<ul><li>\u00a0</li></ul>',
];

const ENTRY_ID = join(import.meta.dirname, '../../web/compose/entry-of-a-test.ts');
const compose = join(import.meta.dirname, '../../web/compose');

const ENTRY = `
import { messageSchema as schema, parseMessage, serializeMessage } from ${JSON.stringify(join(compose, 'message-schema.ts'))};
import { parsePlainText } from ${JSON.stringify(join(compose, 'formatting-markers.ts'))};
globalThis.throughEditor = (html) => serializeMessage(schema.nodeFromJSON(parseMessage(html)));
globalThis.pasted = (text) => serializeMessage(schema.node('doc', null, parsePlainText(text, schema, () => {})));
`;

/** The editor's reading and writing as a script, without the editor. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    plugins: [
      {
        name: 'entry',
        enforce: 'pre',
        resolveId: (id) => (id === ENTRY_ID ? id : undefined),
        load: (id) => (id === ENTRY_ID ? ENTRY : undefined),
      },
    ],
    build: { write: false, minify: false, lib: { entry: ENTRY_ID, formats: ['iife'], name: 'lines' } },
  });
  const [{ output }] = built as Rolldown.RolldownOutput[] as [Rolldown.RolldownOutput];
  return output[0].code;
}

/** Text with nothing that HTML would take off, and marks here and there. */
const words = fc
  .array(
    fc.tuple(
      fc.constantFrom('', 'b', 'i', 'strong'),
      fc.string({
        unit: fc.constantFrom('a', 'b', ' ', '*', '_', '-', '1', '.', '😀', 'ש', '\u00a0'),
        minLength: 1,
        maxLength: 5,
      }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((pieces) => pieces.map(([tag, text]) => (tag === '' ? text : `<${tag}>${text}</${tag}>`)).join(''));
const inline = fc
  .array(fc.oneof({ weight: 3, arbitrary: words }, { weight: 2, arbitrary: fc.constant('<br>') }), { maxLength: 5 })
  .map((parts) => parts.join(''));
const item = fc.oneof(
  words.map((text) => `<li>${text}</li>`),
  fc.tuple(words, words).map(([first, second]) => `<li>${first}<br>${second}<br></li>`),
  fc.tuple(words, words).map(([first, second]) => `<li><p>${first}</p><p>${second}</p></li>`),
  fc.tuple(words, words).map(([outer, inner]) => `<li>x${outer}<ul><li>${inner}</li></ul></li>`),
);
const list = fc
  .tuple(
    fc.constantFrom('ul', 'ol', 'ol start="3"'),
    // Lines among the items are how the editor says that no empty line is there.
    fc.array(fc.oneof({ weight: 3, arbitrary: item }, { weight: 1, arbitrary: inline }), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([tag, items]) => `<${tag}>${items.join('')}</${tag.split(' ')[0]}>`);
/** A text as typed, which the editor keeps with its signs and spaces. */
const typed = fc
  .array(fc.constantFrom('a', ' ', '  ', '*', '~', '`', '> ', '- ', '\n', '&amp;', '&lt;', '\u00a0'), { maxLength: 12 })
  .map((units) => `<p data-format="whatsapp">${units.join('')}</p>`);
const html = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: inline.map((text) => `<p>${text}</p>`) },
      inline,
      words.map((text) => `<h2>${text}</h2>`),
      { weight: 2, arbitrary: list },
      typed,
    ),
    { maxLength: 6 },
  )
  .map((blocks) => blocks.join(''));

/** A post as people write it in WhatsApp. Its lists are of one kind: html parts two kinds by an empty line. */
const post = fc
  .tuple(
    fc.constantFrom('- ', '• ', '* ', '1. '),
    fc.array(
      fc.tuple(
        fc.boolean(),
        fc.string({ unit: fc.constantFrom('a', 'b', ' ', '*', '_', ')', '.', '😀', 'ש'), maxLength: 12 }),
      ),
      { minLength: 1, maxLength: 7 },
    ),
  )
  .map(([sign, lines]) => {
    let number = 1;
    const head = (text: string) => (text.trim() === '' ? '' : sign.replace('1', () => String(number++)));
    // A line of the text that would be an item, too, is another kind's.
    const plain = (text: string) => text.replace(/^([*] )+/, '');
    return lines.map(([isItem, text]) => (isItem ? `${head(text)}${text.trim()}` : plain(text))).join('\n');
  });

/** What members see, but for what no message has: space at the ends of lines or twice, and empty lines at its ends. */
function sightsOf(text: string): Sight[] {
  const single = (line: string) => line.replaceAll(/ +/g, ' ').trim();
  const sights = seen(parseWhatsApp(text)).map((sight) => ({
    ...sight,
    text: single(sight.text),
    styles: single(sight.styles),
  }));
  const first = sights.findIndex((sight) => sight.text !== '');
  return first < 0 ? [] : sights.slice(first, sights.findLastIndex((sight) => sight.text !== '') + 1);
}

describe.skipIf(!browser)('in a browser', () => {
  let page: Page;
  beforeAll(async () => {
    page = await (browser as Browser).newPage();
    await page.addScriptTag({ content: await bundle() });
  });
  const call = (name: string, given: string): Promise<string> =>
    page.evaluate(
      ([name, given]) =>
        (globalThis as never as Record<string, (given: string) => string>)[name as string]?.(given as string) ?? '',
      [name, given],
    );

  test('keeps a message unchanged through the editor', async () => {
    await fc.assert(
      fc.asyncProperty(html, async (given) => {
        expect(convertHtml(await call('throughEditor', given)).text).toBe(convertHtml(given).text);
      }),
      { ...RUNS, examples: BLANK_LINES.map((blank): [string] => [`<p>a</p>${blank}<ul><li>a</li></ul>`]) },
    );
  });

  test('shows pasted text as WhatsApp does', async () => {
    await fc.assert(
      fc.asyncProperty(post, async (given) => {
        expect(sightsOf(convertHtml(await call('pasted', given)).text)).toEqual(sightsOf(given));
      }),
      RUNS,
    );
  });
});
