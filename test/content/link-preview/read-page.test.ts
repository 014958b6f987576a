/** What a page says about itself, as phones read it. */
import { describe, expect, test } from 'vitest';
import { readPage } from '../../../src/content/link-preview/read-page.ts';

const read = (
  html: string | Buffer,
  contentType: string | undefined = 'text/html',
  url = 'https://example.com/a/page',
) => readPage({ url, bytes: Buffer.from(html), contentType });

describe('the title, the description and the picture', () => {
  test('are those of Open Graph, before Twitter and plain HTML', () => {
    const page = read(`<title>Plain</title><meta name=description content="plain">
      <meta name="twitter:title" content="Twitter"><meta name="twitter:description" content="twitter"><meta name="twitter:image" content="/t.png">
      <meta property="og:title" content="Graph"><meta property="og:description" content="graph"><meta property="og:image" content="/g.png">`);
    expect(page).toEqual({
      title: 'Graph',
      description: 'graph',
      imageUrl: 'https://example.com/g.png',
    });
  });

  test('are those of Twitter where there is no Open Graph, also by `property`', () => {
    expect(
      read(
        `<meta property="twitter:title" content="T &amp; t"><meta name=twitter:image:src content=//cdn.example.com/t.png>`,
      ),
    ).toMatchObject({
      title: 'T & t',
      imageUrl: 'https://cdn.example.com/t.png',
    });
  });

  test('are those of plain HTML where there is nothing else', () => {
    const html = `<html><svg><title>icon</title></svg><title> Spring\n fair </title><meta name=Description content=" At\tnine ">
      <link rel="shortcut image_src" href="fair.jpg"><title>Second</title>`;
    expect(read(html)).toMatchObject({
      title: 'Spring fair',
      description: 'At nine',
      imageUrl: 'https://example.com/a/fair.jpg',
    });
  });

  test('are the first of each name that is not blank, also in the body of broken HTML', () => {
    const html = `<meta property="og:title" content=" "></head><body><p <div></table><meta property='og:title' content='One'
      <meta property="og:title" content="Two">`;
    expect(read(html).title).toBe('One');
  });

  test('are none in scripts, comments and attributes', () => {
    const html = `<!-- <title>comment</title> --><script>"<title>script</title>"</script><p title="<title>attribute</title>">`;
    expect(read(html)).toMatchObject({ title: '', description: '', imageUrl: undefined });
  });

  test('have no line breaks, no signs that turn text around, and a limited length', () => {
    const title = `one\u202Etwo\u2028three\u0007 ${'x'.repeat(400)}`;
    const found = read(`<meta property="og:title" content="${title}">`).title;
    expect(found).toHaveLength(300);
    expect(found.slice(0, 16)).toBe('one two three xx');
    expect(found.endsWith('…')).toBe(true);
  });

  test('keep emoji whole where they are cut', () => {
    const found = read(`<title>${'x'.repeat(298)}🎉🎉</title>`).title;
    expect(found).toBe(`${'x'.repeat(298)}…`);
  });
});

test('addresses are relative to the page or its base, and only http and https', () => {
  expect(read('<base href="/b/"><meta property=og:image content=c.png>').imageUrl).toBe('https://example.com/b/c.png');
  for (const image of ['data:image/png;base64,x', 'file:///etc/passwd', 'javascript:1', 'http://['])
    expect(read(`<meta property=og:image content="${image}">`).imageUrl).toBeUndefined();
});

describe('the encoding', () => {
  const encoded = (bytes: number[], before = '', after = '') =>
    Buffer.concat([Buffer.from(`${before}<title>`), Buffer.from(bytes), Buffer.from(`</title>${after}`)]);
  test.each([
    ['of the server', encoded([0x93, 0xfa, 0x96, 0x7b]), 'text/html; charset=Shift_JIS', '日本'],
    ['of the page', encoded([0xd0, 0xd2, 0xc9, 0xd7], '<meta charset=koi8-r>'), 'text/html', 'прив'],
    [
      'of an old page',
      encoded([0xbb, 0xb6], '<meta http-equiv=Content-Type content="text/html; charset=gb2312">'),
      'text/html',
      '欢',
    ],
    ['of XML', encoded([0xb1], '<?xml version="1.0" encoding="iso-8859-2"?>'), 'application/xhtml+xml', 'ą'],
    ['that nobody names is UTF-8', encoded([0xc3, 0xa9]), undefined, 'é'],
    ['that nobody names, of Western Europe', encoded([0xe9]), undefined, 'é'],
    ['of a byte order mark', Buffer.from('\ufeff<title>é</title>', 'utf16le'), 'text/html; charset=utf-8', 'é'],
    ['that the server has wrong', encoded([0xc3, 0xa9]), 'text/html; charset=iso-8859-1', 'é'],
    ['that the page has wrong', encoded([0xe9], '<meta charset=utf-8>'), 'text/html', 'é'],
    ['that does not exist', encoded([0xc3, 0xa9]), 'text/html; charset=x-made-up', 'é'],
    ['that could not name itself', encoded([0xc3, 0xa9], '<meta charset=utf-16>'), 'text/html', 'é'],
  ])('%s', (_name, html, contentType, title) => {
    expect(readPage({ url: 'https://example.com', bytes: html, contentType }).title).toBe(title);
  });

  test('is found in a page that is cut off within a character', () => {
    const html = Buffer.concat([Buffer.from('<title>日本</title>'), Buffer.from([0xe6, 0x97])]);
    expect(readPage({ url: 'https://example.com', bytes: html, contentType: undefined }).title).toBe('日本');
  });
});
