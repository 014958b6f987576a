/** WhatsApp's formatting markers and line breaks in the editor, typed and pasted, checked by the resulting message. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { pasteMessage, writeMessage } from '../support/browser/dashboard-user.ts';
import { FOREIGN_HTML } from '../support/inputs/foreign-html.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

/** The shelf is long, and a paste takes a second: one of each kind of rule. */
const PASTED = new Set([
  'Quill 2, innerHTML',
  'Quill 2, numbers and bullets',
  'TipTap, a list to tick',
  'Google Docs, a list to tick',
  'CKEditor 5',
  'TinyMCE',
  'Word, desktop',
  'Word, tracked changes and a comment',
  'Word for the web',
  'Google Docs',
  'Gmail',
  'WhatsApp Web',
  'ChatGPT',
  'a builder of mails with tables',
  'a list that goes on',
  'Word, a filtered web page with levels',
  'Google Docs, squares',
  'Draft.js',
  'Lexical',
  'ChatGPT, a formula',
  'a page whose spans are blocks',
  'a builder of mails, a preheader that is tiny',
]);

const NOTE = /^Members see plain text instead/;

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let editor: Locator;
  /** What members would get, as the service has said last. */
  let text: string | undefined;
  let users = 0;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    text = undefined;
    page.on('response', (response) => {
      if (response.url().endsWith('/venom/preview-campaign'))
        void response.json().then((answer) => (text = (answer as { data?: { text: string } }).data?.text));
    });
    await enterAsNew(page, `writer${++users}`);
    await page.goto('/campaigns/new');
    editor = page.getByRole('textbox', { name: 'Message' });
    await editor.waitFor();
  });
  afterEach(() => visited.end());

  const clear = async () => {
    await editor.press('Control+A');
    await page.keyboard.press('Delete');
    await page.getByRole('complementary').getByText('Your message shows here').waitFor();
    text = undefined;
  };
  async function expectText(expected: string): Promise<void> {
    await expect.poll(() => text).toBe(expected);
  }

  test('formats bold and italic while typing markers', async () => {
    await writeMessage(page, 'The *spring fair* is _so_ near, *_really_*: 2*3*4, snake_case_name, * alone*');
    await expectText('The *spring fair* is _so_ near, *_really_*: 2*3*4, snake_case_name, * alone*');
    expect(await editor.locator('strong').allTextContents()).toEqual(['spring fair', 'really']);
    expect(await editor.locator('em').allTextContents()).toEqual(['so', 'really']);
  });

  test('keeps the marker after undoing its formatting', async () => {
    await writeMessage(page, 'a *b*');
    await page.keyboard.press('Backspace');
    await page.keyboard.type(' c');
    await expect.poll(() => editor.innerText()).toBe('a *b* c');
  });

  test('makes list items of the same lines as WhatsApp', async () => {
    await writeMessage(
      page,
      'Bring:',
      '- cake',
      'tea',
      '',
      '2. sing',
      'dance',
      '',
      '2026. a year',
      '# no heading',
      '+ none',
    );
    await expectText('Bring:\n- cake\n- tea\n2. sing\n3. dance\n2026. a year\n# no heading\n+ none');
  });

  test('reduces typed strikethrough, code and quotes to plain text, and says so', async () => {
    expect(await page.getByText(NOTE).count()).toBe(0);
    await writeMessage(page, 'Was ~ten~ nine');
    await page.getByText(NOTE).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type('`one` and ```two```');
    await page.keyboard.press('Enter');
    await page.keyboard.type('> three');
    await expectText('Was ten nine\none and two\nthree');
    expect(await findBarriers(page, { within: 'main' })).toEqual([]);
  });

  test('starts a line on Enter, and leaves an empty one on a second Enter', async () => {
    await writeMessage(page, 'one', 'two', '', 'four', '', '', 'seven');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('- eight');
    await expectText('one\ntwo\n\nfour\n\n\nseven\n- eight');
  });

  test('shows the same line spacing as members see', async () => {
    const lines = ['one', 'two', '', '- three', 'four', '', 'five', '', '1. six'];
    await pasteMessage(page, { text: lines.join('\n') });
    await expectText(lines.join('\n'));
    const tops = (where: Locator, names: string[]) =>
      Promise.all(names.map(async (name) => (await where.getByText(name, { exact: true }).boundingBox())?.y ?? 0));
    const names = ['one', 'two', 'three', 'four', 'five', 'six'];
    const inEditor = await tops(editor, names);
    const [first = 0, second = 0] = inEditor;
    const steps = (all: number[]) =>
      all.slice(1).map((y, index) => Math.round((y - (all[index] ?? 0)) / (second - first)));
    expect(steps(inEditor)).toEqual([1, 2, 1, 2, 2]);
  });

  test('keeps formatting and lines of pasted plain text', async () => {
    const post =
      '*Spring fair*\nWe open at _nine_.\n\n- cake\n• tea\n* juice\nBring friends:\n1. Anna\n2. Ben\n\n\nSee https://example.org/a_b_c 😀\nשלום *עולם*';
    await pasteMessage(page, { text: post.replaceAll('\n', '\r\n') });
    const sent =
      '*Spring fair*\nWe open at _nine_.\n\n- cake\n- tea\n- juice\nBring friends:\n1. Anna\n2. Ben\n\n\nSee https://example.org/a_b_c 😀\nשלום *עולם*';
    await expectText(sent);
    expect(await editor.locator('strong').allTextContents()).toEqual(['Spring fair', 'עולם']);
    await page.getByText('Draft saved').waitFor();
    text = undefined;
    await page.reload();
    await editor.getByText('Spring fair').waitFor();
    expect(await editor.locator('strong').allTextContents()).toEqual(['Spring fair', 'עולם']);
    await expectText(sent);
  });

  test('reduces pasted strikethrough, code and quotes to plain text, and says so', async () => {
    await pasteMessage(page, { text: '> said ~twice~\n```\nlet it = be\n```\nand `so`' });
    await page.getByText(NOTE).waitFor();
    await expectText('said twice\n\nlet it = be\n\nand so');
  });

  test('keeps five pasted lines, whatever their html', async () => {
    const five = 'one\ntwo\nthree\n\nfive';
    const pages = [
      '<div>one</div><div>two</div><div>three</div><div><br></div><div>five</div>',
      'one<br>two<br>three<br><br>five',
      '<p>one<br>two<br>three</p><p>five</p>',
      '<p style="margin-top:0pt;margin-bottom:0pt">one</p><p style="margin:0">two</p><p style="margin-top:0pt;margin-bottom:0pt">three</p><br><p style="margin-top:0pt;margin-bottom:0pt">five</p>',
      '<span style="white-space: pre-wrap">one\ntwo\nthree\n\nfive</span>',
      '<pre>one\ntwo\nthree\n\nfive</pre>',
      '<html><head><style><!-- p.MsoNormal {margin:0in; font-size:11pt} --></style></head><body><p class=MsoNormal>one<o:p></o:p></p><p class=MsoNormal>two<o:p></o:p></p><p class=MsoNormal>three<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><p class=MsoNormal>five<o:p></o:p></p></body></html>',
    ];
    for (const [index, html] of pages.entries()) {
      await clear();
      // What was asked of one text is not asked again.
      const numbered = (text: string) => text.replace('five', `five ${index}`);
      await pasteMessage(page, { html: numbered(html), text: 'not this' });
      await expectText(numbered(five));
    }
  });

  test('reads pasted html of other programs as the service does', async () => {
    const pasted = FOREIGN_HTML.filter(({ from }) => PASTED.has(from));
    expect(pasted).toHaveLength(PASTED.size);
    for (const { from, html, text: expected } of pasted) {
      await clear();
      await pasteMessage(page, { html, text: 'not this' });
      await expect.poll(() => `${from}: ${text}`).toBe(`${from}: ${expected}`);
    }
  });

  test('pastes unchanged what was copied in the editor', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const post = 'one\n*two*\n\n- three\n- four\nfive';
    await pasteMessage(page, { text: post });
    await expectText(post);
    await editor.press('Control+A');
    await page.keyboard.press('Control+C');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('one\ntwo\n\nthree\nfour\nfive');
    await page.keyboard.press('Control+X');
    text = undefined;
    await page.keyboard.press('Control+V');
    await page.keyboard.type('!');
    await expectText(`${post}!`);
  });

  test('converts pasted table rows to lines', async () => {
    await pasteMessage(page, {
      html: '<p>Programme</p><table><thead><tr><th>Time</th><th>What</th><th>Where</th></tr></thead><tbody><tr><td><p>9:00</p></td><td>Cake<br>and tea</td><td></td></tr><tr><td>10:00</td><td><b>Songs</b></td><td>Hall</td></tr></tbody></table><p>Welcome</p>',
      text: 'not this',
    });
    await expectText('Programme\n\nTime | What | Where\n9:00 | Cake and tea\n10:00 | *Songs* | Hall\n\nWelcome');
    await clear();
    await pasteMessage(page, { text: 'Mon\t9:00\tCake\nTue\t\tTea' });
    await expectText('Mon | 9:00 | Cake\nTue | Tea');
  });
});
