/** HTML of other programs, as a client sends it: the shelf, and what is told of it. */
import { describe, expect, test } from 'vitest';
import { useTestApp } from '../../support/app.ts';
import { FOREIGN_HTML } from '../../support/inputs/foreign-html.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');

interface Preview {
  text: string;
  warnings: Array<{ code: string; message: string }>;
}

async function preview(html: string, isForeign: boolean): Promise<Preview> {
  const asked = isForeign ? { html, on_unknown_tags: 'drop' } : { html };
  const { status, body } = await alice.call<Preview>('venom/preview-campaign', asked);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.data;
}

describe('members see of HTML from', () => {
  test.each(FOREIGN_HTML)('$from', async ({ html, text }) => {
    expect((await preview(html, true)).text).toBe(text);
  });

  test.each(FOREIGN_HTML.filter(({ isPlain }) => isPlain))('$from, as HTML of the specification', async (one) => {
    expect((await preview(one.html, false)).text).toBe(one.text);
  });
});

const codesOf = ({ warnings }: Preview) => warnings.map(({ code }) => code);

describe('in HTML of the specification', () => {
  test.each([
    ['<p><span style="font-style:italic">soon</span></p>', 'soon'],
    ['<b style="font-weight:normal">all</b>', '*all*'],
    ['<p>a <span style="display:none">b</span></p>', 'a b'],
    ['<p hidden>a</p>', 'a'],
  ])('a style that would change it is ignored, with a warning: %s', async (html, text) => {
    const { text: got, warnings } = await preview(html, false);
    expect({ got, codes: warnings.map(({ code }) => code) }).toEqual({ got: text, codes: ['style_ignored'] });
  });

  test('a style that a message could not show anyway is none', async () => {
    const html = '<p style="color:red;margin:4px" class="x"><b style="font-weight:700">a</b></p>';
    expect(await preview(html, false)).toMatchObject({ text: '*a*', warnings: [] });
  });
});

test('text that readers of a page do not see is named', async () => {
  const found = await preview('<p>Hello <span style="display:none">internal note</span><del>you</del>all</p>', true);
  expect(found).toMatchObject({
    text: 'Hello all',
    warnings: [
      { code: 'tags_dropped', message: 'Tags that are not allowed were taken out: <del>' },
      {
        code: 'hidden_dropped',
        message: 'Text that readers of the page do not see was left out: "internal note", "you"',
      },
    ],
  });
});

test('a picture with a link is told as a link without text', async () => {
  expect(codesOf(await preview('<a href="https://example.org"><img src="x.png"></a><p>a</p>', true))).toEqual([
    'link_without_text',
    'tags_dropped',
  ]);
});

test.each([
  ['<p>one</p><p>&nbsp;</p><p>two</p>', '<p>one</p><p><br></p><p>two</p>'],
  ['<p>one</p><h2>\u200b</h2><p>two</p>', '<p>one</p><h2><br></h2><p>two</p>'],
  ['<ul><li>one</li><li> &nbsp; </li></ul>', '<ul><li>one</li><li></li></ul>'],
  ['&nbsp;<p>one</p>', '<p>one</p>'],
])('a block with nothing to see is blank: %s', async (html, same) => {
  expect((await preview(html, false)).text).toBe((await preview(same, false)).text);
});
