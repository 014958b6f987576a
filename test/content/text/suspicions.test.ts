/** Warnings of what an author surely did not mean: each is given, and none to posts that mean what they say. */
import { describe, expect, test } from 'vitest';
import { convertHtml } from '../../../src/content/text/html-to-whatsapp.ts';
import { listLosses } from '../../../src/content/text/warnings.ts';
import { FOREIGN_HTML } from '../../support/inputs/foreign-html.ts';
import { PLAUSIBLE_POSTS, POSTS_ELSEWHERE } from '../../support/inputs/plausible-posts.ts';

const SUSPICIOUS: Readonly<Record<string, readonly string[]>> = {
  lines_joined: ['Dear all,\nwe meet on Friday.\nRosa', '<b>Dear all</b>,\r\nwe meet'],
  marks_typed: ['<p>*Attention* please</p>', '<p>was ~ten~, now _nine_.</p>', '<p>(*Spring fair!*)</p>'],
  line_break_spelled: [String.raw`<p>Dear all,\nwe meet:\n- tea</p>`],
  html_escaped: [
    '&lt;p&gt;Hello &lt;b&gt;all&lt;/b&gt;&lt;/p&gt;',
    '<p>a&lt;br/&gt;b</p>',
    '<p>Tom &amp;amp; Jerry</p>',
  ],
  placeholder_left: [
    '<p>Dear {{ first_name }}</p>',
    '<p>Dear *|FNAME|*</p>',
    '<p>Dear %name%,</p>',
    `<p>Dear \${name}</p>`,
    '<a href="https://example.org/{{id}}">programme</a>',
  ],
  value_missing: [
    '<p>Dear undefined,</p>',
    '<p>[object Object]</p>',
    '<p>Price: NaN €</p>',
    'null',
    '<p>Dear null,</p>',
    '<p>We meet at null in the hall</p>',
    '<p>Hallo null, wir treffen uns und feiern</p>',
  ],
  markdown_written: [
    '<p>We sell **cake** today</p>',
    '<p>see [the programme](https://example.org/a_b)</p>',
    '<p># Spring fair</p><p>Come</p>',
  ],
  filler_left: ['<p>Lorem ipsum dolor</p>', '<p>TODO: the date</p>', '<p>one</p><p>TODO</p>'],
  link_local: ['<a href="http://localhost:3000/x">here</a>', '<p>see http://192.168.1.5/x</p>'],
  link_personal: ['<a href="https://example.org/?a=b&amp;mc_eid=c">here</a>', '<p>https://example.org/?fbclid=d</p>'],
};
const CODES = new Set(Object.keys(SUSPICIOUS));

function suspicionsOf(html: string): string[] {
  return convertHtml(html, 'drop')
    .warnings.map(({ code }) => code)
    .filter((code) => CODES.has(code));
}

describe.each(Object.entries(SUSPICIOUS))('%s', (code, documents) => {
  test.each(documents)('is told of %j, and nothing else', (html) => {
    expect(suspicionsOf(html)).toEqual([code]);
    expect(listLosses(convertHtml(html).warnings)).not.toEqual([]);
  });
});

test('names the places, each once', () => {
  expect(convertHtml('<p>{{ a }} {{ b }} {{ a }}</p>').warnings).toEqual([
    {
      code: 'placeholder_left',
      message:
        'Members see placeholders: nothing fills them in, unless they are fields and with_fields is true: "{{ a }}", "{{ b }}"',
      params: { names: '"{{ a }}", "{{ b }}"' },
    },
  ]);
});

test('tells of nothing in 240 posts that mean what they say, and in HTML of other programs', () => {
  expect(new Set(PLAUSIBLE_POSTS).size).toBeGreaterThan(190);
  expect(POSTS_ELSEWHERE.length).toBeGreaterThanOrEqual(40);
  const alarms = [...PLAUSIBLE_POSTS, ...POSTS_ELSEWHERE, ...FOREIGN_HTML.map(({ html }) => html)].filter(
    (html) => suspicionsOf(html).length > 0,
  );
  expect(alarms).toEqual([]);
});
