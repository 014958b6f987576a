import { expect, test } from 'vitest';
import { compilePost } from '../../../src/content/post/fill-post.ts';

test('the preview of a link is as short with values as any other', () => {
  const template = { text: 'Hi', placeholders: [], fields: { place: { name: 'place', fieldId: 1 } } };
  const linkPreview = { url: 'https://example.org', title: '{{ place }}', description: '{{ place }}, {{ place }}' };
  const filled = compilePost(template, { extras: { linkPreview }, hasFile: false })({ place: 'x'.repeat(1_000) });
  expect(filled).toMatchObject({
    extras: { linkPreview: { title: 'x'.repeat(300), description: 'x'.repeat(1_000) } },
  });
});

test('a post without a text needs a file', () => {
  const template = {
    text: '*\ufdd0*',
    placeholders: [{ name: 'city', key: 'city', fallback: '' }],
    fields: { city: { name: 'city', fieldId: 1 } },
  };
  expect(compilePost(template, { extras: {}, hasFile: true })({ city: null })).toMatchObject({ text: '' });
  const failure = { code: 'nothing_visible' };
  expect(compilePost(template, { extras: {}, hasFile: false })({ city: null })).toMatchObject({ failure });
  expect(compilePost(template, { extras: {}, hasFile: false })({ city: 'Pune' })).toMatchObject({ text: '*Pune*' });
});
