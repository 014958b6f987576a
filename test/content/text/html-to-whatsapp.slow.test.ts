import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { growsLinearly } from '../../support/cpu-time.ts';
import { runs } from '../../support/runs.ts';
import { WORST_HTML } from '../../support/inputs/worst-html.ts';
import { HTML_LIMIT } from '../../../src/api/contract/fields.ts';
import { convertHtml, TEXT_LIMIT } from '../../../src/content/text/html-to-whatsapp.ts';
import { CAPTION_LIMIT } from '../../../src/content/text/caption.ts';
import { captionWarning } from '../../../src/content/text/warnings.ts';

/** Text of allowed HTML, with the invisible characters spelled out. */
function textOf(html: string): string {
  const { text, problems } = convertHtml(html);
  expect(problems).toEqual([]);
  return text.replaceAll('\u200b', '{zwsp}').replaceAll('\u200d', '{zwj}').replaceAll('\u034f', '{cgj}');
}

function issuesOf(html: string): string[] {
  const { text, problems } = convertHtml(html);
  expect(text).toBe('');
  expect(problems.every(({ field }) => field === 'html')).toBe(true);
  return problems.map(({ issue }) => issue);
}

function nested(depth: number): string {
  return `${'<span>'.repeat(depth)}x${'</span>'.repeat(depth)}`;
}

function warningsOf(html: string): string[] {
  return convertHtml(html).warnings.map(({ code }) => code);
}

type Examples = [html: string, text: string][];

describe('blocks and lines', () => {
  it.each<Examples[number]>([
    ['<p>a</p><p>b</p>', 'a\n\nb'],
    ['<h1>Title</h1>text', '*Title*\n\ntext'],
    ['<h6>a <b>b</b> <i>c</i></h6>', '*a b _c_*'],
    ['a<br>b<br/>c<br />d</br>e', 'a\nb\nc\nd\ne'],
    ['<p>a<br></p><p>b</p>', 'a\n\nb'],
    ['a<br><br>b', 'a\n\nb'],
    ['<p>a</p><p><br></p><p>b</p>', 'a\n\n\nb'],
    ['<p></p><p>a</p><p> </p><p>b</p><br><br>', 'a\n\nb'],
    ['  <p>\n a\t b\r\n  c </p>\n', 'a b c'],
    ['<span> a </span> <span> b</span>', 'a b'],
    ['a&nbsp;&nbsp; b', 'a\u00a0\u00a0 b'],
    ['a\u2028b\u0085c', 'a b c'],
    ['a &#1; b', 'a b'],
    ['<p>a<p>b', 'a\n\nb'],
    ['<!-- c --><!doctype html><html><head></head><body class="x">a</body></html>', 'a'],
    ['&lt;b&gt; &amp; &quot;&#39; &copy; &#x1F600; &euro;5 &bogus; & &amp', '<b> & "\' © 😀 €5 &bogus; & &'],
    ['<P STYLE="color:red" onclick="x()">a</P >', 'a'],
  ])('%s', (html, text) => expect(textOf(html)).toBe(text));
});

describe('bold and italic', () => {
  it.each<Examples[number]>([
    ['(<b>x</b>)', '(*x*)'],
    ['<strong>a</strong>, <em>b</em>.', '*a*, _b_.'],
    ['foo<b>bar</b>', 'foo{zwsp}*bar*'],
    ['<b>foo</b>bar', '*foo*{zwsp}bar'],
    ['<b> x </b>y', '*x* y'],
    ['<b>a<br>b</b>', '*a*\n*b*'],
    ['<b><p>a</p><p>b</p></b>', '*a*\n\n*b*'],
    ['<b>x<i>y</i></b><i>z</i>', '*x{zwsp}_y_*_z_'],
    ['<b><i>x</i></b>', '*_x_*'],
    ['<i>a <b>b</b></i> <b>c</b>', '_a *b*_ *c*'],
    ['<b>a</b><b>b</b>', '*ab*'],
    ['<b>a </b><strong>b</strong>', '*a b*'],
    ['<b>a</b> <b>b</b>', '*a* *b*'],
    ['a<b></b><i> </i>b', 'a b'],
    ['<b>\u200b</b>a', '{zwsp}a'],
    ['<b>\u2800</b>a', '\u2800a'],
    ['<b><b>a</b></b>', '*a*'],
    ['<b>😀</b>x', '*😀*{zwsp}x'],
    ['😀<b>x</b>😀', '😀*x*😀'],
    ['中<b>文</b>字', '中{zwsp}*文*{zwsp}字'],
    ['العر<b>بية</b>', 'العر{zwj}*بية*'],
    ['<b>unclosed <i>mis</b>nested</i> end', '*unclosed _mis_*_nested_ end'],
    ['<p><b>a<p>b', '*a*\n\n*b*'],
    ['<b>e\u0301</b>t', '*e\u0301*{zwsp}t'],
    ['e<b>\u0301x</b> y', 'e{zwsp}*\u0301x* y'],
    ['<b>שלום</b> עולם', '*שלום* עולם'],
    ['של<b>ום</b>', 'של{zwsp}*ום*'],
    ['<b>a</b><i>b</i>', '*a*_b_'],
    ['<b>a</b>\u00a0<b>b</b>', '*a*\u00a0*b*'],
    ['<i>a<b>b</i>c</b>d', '_a{zwsp}*b*_*c*{zwsp}d'],
    ['<h1>a<h2>b</h2>', '*a*\n\n*b*'],
  ])('%s', (html, text) => expect(textOf(html)).toBe(text));
});

describe('markup characters in the text', () => {
  it.each<Examples[number]>([
    ['2*3*4', '2*3*4'],
    ['2 * 3 * 4', '2 * 3 * 4'],
    ['snake_case_name', 'snake_case_name'],
    ['* one star', '{zwsp}* one star'],
    ['5* and 3*', '5* and 3*'],
    ['*x*', '{cgj}*x*'],
    ['_x_ ~y~ `z`', '{cgj}_x_ {cgj}~y~ {cgj}`z`'],
    ['*x<br>y*', '*x\ny*'],
    ['<b>a *b* c</b>', '*a *b*{cgj} c*'],
    ['<b>x</b>_a_', '*x*{zwsp}{cgj}_a_'],
    ['- a<br>• b<br>1. c<br>12. d<br>&gt; e', '{zwsp}- a\n{zwsp}• b\n{zwsp}1. c\n{zwsp}12. d\n{zwsp}> e'],
    ['123. a<br>-b<br>1.5<br>a - b', '123. a\n-b\n1.5\na - b'],
    ['a```b```', 'a`{cgj}`{cgj}`b```'],
    ['<p>```</p><p>a</p><p>```</p>', '{cgj}`{cgj}`{cgj}`\n\na\n\n{cgj}`{cgj}`{cgj}`'],
    ['*️⃣ press *', '*️⃣ press *'],
  ])('%s', (html, text) => expect(textOf(html)).toBe(text));
});

describe('lists', () => {
  it.each<Examples[number]>([
    ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
    ['<p>x</p><ul><li>a</li></ul><p>y</p>', 'x\n\n- a\n\ny'],
    ['<ol><li>a</li><li>b</li></ol>', '1. a\n2. b'],
    ['<ol start=5><li>a<li>b</ol>', '5. a\n6. b'],
    ['<ol start="99"><li>a</li><li>b</li></ol>', '99. a\n100. b'],
    ['<ol start="-1"><li>a</li></ol>', '-1. a'],
    ['<ol start="x"><li>a</li></ol><ol start="99999999999"><li>b</li></ol>', '1. a\n\n1. b'],
    ['<ul><li><p>a</p><p>b</p></li><li>c</li></ul>', '- a\nb\n- c'],
    ['<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ul>', '- a\n- ◦ b\n- ▪ c\n- d'],
    ['<ol><li>a<ol><li>b</li></ol></li><li>c</li></ol>', '1. a\n- 1. b\n2. c'],
    ['<ul><li><ul><li>a</li></ul></li><li></li></ul>', '- ◦ a'],
    ['<ul><li><b>a</b>: b</li></ul>', '- *a*: b'],
    ['<ul><li>- a</li></ul>', '- - a'],
    ['<li>a</li>', '- a'],
    [
      '<ol><li>a</li><li class="ql-indent-1">b</li><li>c</li><li class="x ql-indent-1">d</li></ol>',
      '1. a\n- 1. b\n2. c\n- 1. d',
    ],
    ['<ol type="a" start="26"><li>a</li><li>b</li></ol><ol type="I"><li value="4">c</li></ol>', 'z. a\naa. b\n\nIV. c'],
    ['<p>x<ul><li>a</ul>y', 'x\n\n- a\n\ny'],
    ['<ul><li>a<p>b<br>c</p></li></ul>', '- a\nb\nc'],
    ['<ol start="3"><li><b>a</b></li><li><ul><li>b</li></ul></li><li>c</li></ol>', '3. *a*\n- ◦ b\n5. c'],
  ])('%s', (html, text) => expect(textOf(html)).toBe(text));

  it('numbers over a hundred items', () => {
    const lines = Array.from({ length: 120 }, (_, index) => `${index + 1}. item`);
    expect(textOf(`<ol>${'<li>item</li>'.repeat(120)}</ol>`)).toBe(lines.join('\n'));
  });

  it('warns that nested lists are flattened', () => {
    expect(warningsOf('<ul><li>a<ul><li>b</li></ul></li></ul>')).toEqual(['list_flattened']);
    expect(warningsOf('<ul><li>a</li></ul>')).toEqual([]);
  });
});

describe('links', () => {
  it.each<Examples[number]>([
    ['<a href="https://x.org/a">site</a>', 'site (https://x.org/a)'],
    ['<a href="https://x.org/a">https://x.org/a</a>', 'https://x.org/a'],
    ['<a href="https://www.x.org/">x.org</a>', 'https://www.x.org/'],
    ['<a href="HTTPS://x.org">x.org</a>', 'https://x.org'],
    ['<a href=" https://x.org/a b&#10;c ">s</a>', 's (https://x.org/a%20bc)'],
    ['<a href="https://x.org/?a=1&amp;b=2&c=3">s</a>', 's (https://x.org/?a=1&b=2&c=3)'],
    ['<a href="https://x.org/A_(b)">s</a>', 's (https://x.org/A_%28b%29)'],
    ['<a href="mailto:a@x.org">a@x.org</a>', 'a@x.org'],
    ['<a href="mailto:a@x.org">write</a>', 'write (a@x.org)'],
    ['<a href="tel:+4930123">+49 (30) 123</a>', '+49 (30) 123'],
    ['<a href="tel:+49-30">call</a>', 'call (+49-30)'],
    ['<a>s</a> <a name="x">t</a>', 's t'],
    ['<a href="www.x.org">www.x.org</a>', 'https://www.x.org'],
    ['<a href="WWW.x.org/a?b=c">s</a>', 's (https://WWW.x.org/a?b=c)'],
    ['<a href="x.org:8080/a">s</a>', 's (https://x.org:8080/a)'],
    ['<a href="//x.org">s</a>', 's (https://x.org)'],
    ['<a href=" bücher.example#a ">s</a>', 's (https://bücher.example#a)'],
    ['<a href="a@x.org">a@x.org</a>', 'a@x.org'],
    ['<a href="https://x.org">s </a>t', 's (https://x.org) t'],
    ['<a href="https://x.org">s</a>t', 's (https://x.org) t'],
    ['<a href="https://x.org">s</a>. t', 's (https://x.org). t'],
    ['see<a href="https://x.org">x.org</a>, t', 'see https://x.org, t'],
    ['<b><a href="https://x.org/a_b">s</a></b>', '*s* (https://x.org/a_b)'],
    ['<b>see https://x.org/a_b now</b>', '*see* https://x.org/a_b *now*'],
    ['<p><a href="https://x.org">a<p>b</a>', 'a (https://x.org)\n\nb (https://x.org)'],
    ['<a href="https://x.org/_a_/*b*/c_">s</a> *', 's (https://x.org/_a_/*b*/c_) *'],
    ['*a https://x.org/*b*_c_ d', '*a https://x.org/*b*_c_ d'],
    ['https://x.org/<b>b</b>', 'https://x.org/ *b*'],
    ['<a href="https://x.org/">x<a href="https://y.org/">y</a></a>z', 'x (https://x.org/) y (https://y.org/) z'],
    [
      '<a href="https://x.org/">x<b>y<a href="https://y.org/">z</b></a>',
      'x{zwsp}*y* (https://x.org/) *z* (https://y.org/)',
    ],
    [
      '<ul><li><a href="https://x.org/">x<li>y<a href="https://y.org/">z</a></ul>',
      '- x (https://x.org/)\n- y (https://x.org/) z (https://y.org/)',
    ],
    ['<a href="https://x.org/"><b>x</b> y <i>z</i></a>', '*x* y _z_ (https://x.org/)'],
    ['<a href="https://x.org/">x<br>y</a>', 'x\ny (https://x.org/)'],
  ])('%s', (html, text) => expect(textOf(html)).toBe(text));

  it.each([
    'javascript:alert(1)',
    'java&#10;script:x',
    'data:text/html,x',
    '/path',
    '#a',
    'page.html',
    'a/b.org',
    'localhost:3000',
    '//',
    '',
    'https:',
    'https://',
    'http:x',
    'mailto:',
    'tel:',
  ])('leaves "%s" out, and keeps its text with a warning', (href) => {
    const html = `<b>before <a href="${href}">the text</a></b>`;
    expect(textOf(html)).toBe('*before the text*');
    expect(warningsOf(html)).toEqual(['link_not_linkable']);
  });

  it('names those that are left out, five at most', () => {
    const html = Array.from({ length: 7 }, (_, index) => `<a href="/${index}">s</a>`).join('');
    expect(convertHtml(html).warnings).toEqual([
      {
        code: 'link_not_linkable',
        message:
          'Links need a complete http, https, mailto or tel address. The text of these stays without a link: "/0", "/1", "/2", "/3", "/4" and 2 more',
        params: { names: '"/0", "/1", "/2", "/3", "/4" and 2 more' },
      },
    ]);
  });

  it.each([
    ['<a href="https://evil.org/">https://bank.com/</a>', ['link_shows_other_target']],
    ['<a href="https://evil.org/">www.bank.com</a>', ['link_shows_other_target']],
    ['<a href="mailto:a@evil.org">a@bank.com</a>', ['link_shows_other_target']],
    ['<a href="https://www.bank.com/login">bank.com</a>', ['link_text_differs']],
    ['<a href="https://x.org/">read the report 1.5</a>', ['link_text_differs']],
    ['<a href="https://x.org/">x.org</a> <a href="tel:+49-30">+49 30</a>', []],
    ['<a href="mailto:a@x.org?subject=b">a@x.org</a>', ['link_details_dropped']],
    ['a<a href="https://x.org/"> </a>', ['link_without_text']],
    ['<a href="https://x.org/"><p>x.org</a>', []],
    ['<b>see https://x.org/a_b now</b>', ['mark_not_kept']],
    ['<i><a href="https://x.org/">x.org</a></i>', ['mark_not_kept']],
    ['<b>see</b> https://x.org/a_b <b> </b>', []],
  ])('warns of %s', (html, codes) => expect(warningsOf(html)).toEqual(codes));
});

describe('warnings', () => {
  const flattened = '<ul><li>a<ul><li>b</li></ul></li></ul>';
  const differs = '<p><a href="https://x.org/">s</a></p>';
  const unmarked = '<p><b>see www.x.org</b></p>';
  const other = '<p><a href="https://x.org/">www.y.org</a></p>';
  const empty = '<p>a<a href="https://x.org/"> </a></p>';
  const details = '<p><a href="mailto:a@x.org?subject=b">a@x.org</a></p>';
  const cause = fc.constantFrom(
    [flattened, 'list_flattened'] as const,
    [differs, 'link_text_differs'] as const,
    [unmarked, 'mark_not_kept'] as const,
    [other, 'link_shows_other_target'] as const,
    [empty, 'link_without_text'] as const,
    [details, 'link_details_dropped'] as const,
  );

  it('come in the order of the document, each once', () => {
    fc.assert(
      fc.property(fc.array(cause, { maxLength: 12 }), (causes) => {
        const html = causes.map(([piece]) => piece).join('');
        expect(warningsOf(html)).toEqual([...new Set(causes.map(([, code]) => code))]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('come in the order of the line, too', () => {
    const link = '<a href="https://x.org/">s</a>';
    expect(warningsOf(`<b>www.x.org</b> ${link}`)).toEqual(['mark_not_kept', 'link_text_differs']);
    expect(warningsOf(`${link} <b>www.x.org</b>`)).toEqual(['link_text_differs', 'mark_not_kept']);
    expect(warningsOf(`${link} <b>www.x.org</b> <b><a href="https://x.org">x.org</a></b>`)).toEqual([
      'link_text_differs',
      'mark_not_kept',
    ]);
    expect(warningsOf(`<ul><li><ul><li><i>www.x.org</i> ${link}</ul></ul>`)).toEqual([
      'list_flattened',
      'mark_not_kept',
      'link_text_differs',
    ]);
  });

  it('ignore an inner list without text', () => {
    expect(warningsOf('a<ul><li>b<ul><li></li></ul></li></ul>')).toEqual([]);
  });
});

describe('tags that are not allowed, taken out', () => {
  const dropped = (html: string) => convertHtml(html, 'drop');

  it.each<[html: string, text: string, left: string]>([
    ['<div>a</div><div>b</div>', 'a\nb', '<p>a<br>b</p>'],
    ['<div><div>a</div>b</div>c', 'a\nb\nc', '<p>a<br>b<br>c</p>'],
    ['<title>Page</title><style>p{}</style><script>"<u>"</script>a', 'a', '<p>a</p>'],
    ['a <u>b</u> <s>c</s><img src=x> d', 'a b c d', '<p>a b c d</p>'],
    ['a<hr>b', 'a\n\nb', '<p>a</p><p>b</p>'],
    ['<td>a<td>b', 'a b', '<p> a b</p>'],
    [
      '<a href="https://x.org"><div>a</div><div>b</div></a>',
      'a\nb (https://x.org)',
      '<p>a<br><a href="https://x.org">b</a></p>',
    ],
    ['<blockquote><b>a</b></blockquote>', '*a*', '<p><b>a</b></p>'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>', 'a | b\nc', '<p>a | b<br>c</p>'],
    ['<p class=x>a & <a href="www.x.org" target=y>b</a></p>', 'a & b (https://www.x.org)', ''],
    ['<ul><li><div>a</div></li></ul>', '- a', '<ul><li>a</li></ul>'],
    ['<ul><li><u>a</u></li><ul><li>b</li></ul></ul>', '- a\n- ◦ b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
  ])('%s', (html, text, left) => {
    const converted = dropped(html);
    expect(converted).toMatchObject({ text, problems: [] });
    // Html without such tags stays as it was sent.
    expect(converted.html).toBe(left || html);
    expect(dropped(converted.html)).toEqual({ ...converted, warnings: expect.any(Array) });
  });

  it('are named in a warning', () => {
    expect(dropped('<div>a<img></div><u>').warnings).toEqual([
      {
        code: 'tags_dropped',
        message: 'Tags that are not allowed were taken out: <div>, <img>, <u>',
        params: { names: '<div>, <img>, <u>' },
      },
    ]);
  });

  it('leave the other problems', () => {
    const { problems } = dropped(`<div>${'<span>'.repeat(101)}`);
    expect(problems).toMatchObject([{ field: 'html', issue: 'has tags nested over 100 deep' }]);
  });

  it('cannot make html too long to be sent again', () => {
    const { problems } = dropped(`<div>${'&'.repeat(HTML_LIMIT - 10)}</div>`);
    expect(problems).toMatchObject([{ issue: expect.stringContaining('without the tags') as string }]);
  });
});

describe('problems', () => {
  it('name every tag that is not allowed, also those a browser drops, except inside a script', () => {
    const html = '<td>a<tr><DIV>b</DIV><img src=x><svg><x-y></svg><script>"<u>"</script><title><s></title></nav>';
    expect(issuesOf(html)).toEqual([
      'has tags that are not allowed: <td>, <tr>, <div>, <img>, <svg>, <x-y>, <script>, <title>',
    ]);
  });

  it('are reported all at once', () => {
    const html = `<div><a href="ftp://x.org">a</a>${'<span>'.repeat(101)}<table><a href="x:y">`;
    expect(issuesOf(html)).toEqual(['has tags that are not allowed: <div>, <table>', 'has tags nested over 100 deep']);
  });

  it('list at most twenty tags, and cut long names', () => {
    const html = Array.from({ length: 30 }, (_, index) => `<t${index}${'x'.repeat(1_000)}>`).join('');
    expect(issuesOf(html)[0]).toMatch(/^has tags .*… and|and 10 more$/);
    expect(issuesOf(html)[0]?.length).toBeLessThan(2_000);
  });

  it.each(['', ' \n ', '<p></p>', '<br>', '&nbsp;', '<b>\u200b&#x2800;</b>', '<!-- a -->', '<ul><li></li></ul>'])(
    'are none of html without text, which is empty: %j',
    (html) => {
      expect(textOf(html)).toBe('');
    },
  );

  it('allow as many characters as a message holds, and not one more', () => {
    expect(textOf('x'.repeat(TEXT_LIMIT))).toHaveLength(TEXT_LIMIT);
    expect(issuesOf('x'.repeat(TEXT_LIMIT + 1))).toEqual([expect.stringContaining('longer than the 65536 characters')]);
    expect(issuesOf(`<b>${'x'.repeat(TEXT_LIMIT)}</b>`)).toEqual([
      expect.stringContaining('longer than the 65536 characters'),
    ]);
  });

  it('measure the length after links are written and spaces trimmed', () => {
    const link = '<a href="https://example.org">https://www.example.org/</a>';
    const text = `${'x'.repeat(TEXT_LIMIT - ' https://example.org'.length)} https://example.org`;
    expect(textOf(text.replace('https://example.org', `${link} <br> `))).toBe(text);
    expect(issuesOf(text.replace('https://example.org', `${link}.`))).toEqual([
      expect.stringContaining('longer than the 65536 characters'),
    ]);
  });

  it.each(['\u00a0', '\u200b', '<br>', '\u00a0<br>', '\u200b<p>'])(
    'report a text as too long, also when most of its characters are blank: %j',
    (piece) => {
      expect(issuesOf(`<p>x${piece.repeat(TEXT_LIMIT)}x</p>`)).toEqual([
        expect.stringContaining('longer than the 65536 characters'),
      ]);
    },
  );

  it.each(['\u00a0', '\u00a0<br>', '\u200b<p>'])('are none of lines without text before the first: %j', (piece) => {
    expect(textOf(`${piece.repeat(TEXT_LIMIT)}<p>x</p>`)).toBe('x');
  });

  it('name tags and links behind the length limit, too', () => {
    expect(issuesOf(`<p>${'x'.repeat(TEXT_LIMIT)}</p><p>x</p><td><a href="x:y">x</a>`)).toEqual([
      'has tags that are not allowed: <td>',
    ]);
  });

  it('report html as too tangled when reopened marks exceed 1,000 elements plus one for each character', () => {
    const open = '<b><b><b><i><i><i><em><em><em><strong><strong><strong>';
    expect(textOf(`<p>${open}x${'<p>x'.repeat(90)}`)).toBe(Array.from({ length: 91 }, () => '*_x_*').join('\n\n'));
    expect(issuesOf(`<p>${open}x${'<p>x'.repeat(200)}`)).toEqual(['is too tangled to be read']);
  });

  it('report a link as too long whose copies exceed a message', () => {
    const link = `<p><a href="https://x.org/${'x'.repeat(60_000)}">`;
    expect(issuesOf(link + '<p>x'.repeat(50_000))).toEqual([
      expect.stringContaining('longer than the 65536 characters'),
    ]);
  });

  it('allow tags nested 100 deep, and not one more', () => {
    expect(textOf(nested(100))).toBe('x');
    expect(issuesOf(nested(101))).toEqual(['has tags nested over 100 deep']);
  });

  it.each(['<b>', '<span>', '<ul><li>', '<i><b>', '<ol>', '<B x=1>'])('report 50,000 nested %s at once', (tag) => {
    expect(issuesOf(tag.repeat(50_000))).toEqual(['has tags nested over 100 deep']);
  });
});

describe('unusual input', () => {
  it.each(
    [
      [
        '*a ',
        '<b>x</b>y',
        '<b>*</b>_',
        '<b><p></b>',
        '<a href=http://x.y>q<p>',
        '<b>x<i>y</b>z</i>',
        '&',
        '&amp',
        '<',
        '<!--',
        '`',
        '```a\n',
      ],
      [
        'http://',
        'www.a*',
        '<b>http://a</b>',
        'http://a.',
        '\u00a0',
        ' ',
        '<br>',
        '<li>x',
        '_ _',
        '<h1><p><i>',
        '</p>',
        '<b><br>',
        '😀*',
        '<a href="',
      ],
    ].flat(),
  )('is read in linear time: %j repeated', (piece) => {
    const read = (length: number) => void convertHtml(`<b>x${piece.repeat(length / piece.length)}y`);
    expect(growsLinearly(read, HTML_LIMIT / 4)).toBe(true);
  });
});

describe('the worst HTML', () => {
  it.each(Object.entries(WORST_HTML))('is read in linear time: %s', (_name, shape) => {
    expect(growsLinearly((length) => void convertHtml(shape(length)), HTML_LIMIT / 4)).toBe(true);
  });
});

describe('captions', () => {
  it('warn of a text that is too long for a caption', () => {
    expect(captionWarning('x'.repeat(CAPTION_LIMIT))).toBeUndefined();
    expect(captionWarning('x'.repeat(CAPTION_LIMIT + 1))?.code).toBe('caption_too_long');
  });
});
