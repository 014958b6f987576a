import { expect, test } from 'vitest';
import { compilePost } from '../../../src/content/post/fill-post.ts';

test('the preview of a link is as short with values as any other', () => {
  const template = { text: 'Hi', placeholders: [], fields: { place: { name: 'place', fieldId: 1 } } };
  const linkPreview = { url: 'https://example.org', title: '{{ place }}', description: '{{ place }}, {{ place }}' };
  const filled = compilePost(template, { linkPreview })({ place: 'x'.repeat(1_000) });
  expect(filled).toMatchObject({
    extras: { linkPreview: { title: 'x'.repeat(300), description: 'x'.repeat(1_000) } },
  });
});
