import { expect, test } from 'vitest';
import { isCaption } from '../../../src/content/text/caption.ts';
import { readerOfBytes } from '../../../src/content/media/boxes.ts';
import { kindOf } from '../../../src/content/media/sniff.ts';
import { splitPost } from '../../../src/messengers/whatsapp/send/split-post.ts';
import type { PostMedia } from '../../../src/messengers/messenger.ts';
import { TAKEN } from '../../support/inputs/sample-files.ts';

const about = (mime: string, caption?: string): PostMedia => ({
  mime,
  caption,
  size: 1,
  sha256: Buffer.alloc(32),
  fileName: 'file',
  load: () => Promise.resolve(Buffer.alloc(1)),
  pieces: () => {
    throw new Error('not read');
  },
  read: readerOfBytes(Buffer.alloc(1)),
});

// The dashboard shows posts by the same function.
test.each([
  ['Hello', 'image/jpeg', undefined, true],
  ['Hello', 'application/pdf', undefined, true],
  ['Hello', 'audio/mpeg', undefined, false],
  ['Hello', 'image/jpeg', 'Its own', false],
  ['', 'image/jpeg', undefined, false],
  ['a'.repeat(1_024), 'video/mp4', undefined, true],
  ['a'.repeat(1_025), 'video/mp4', undefined, false],
])('%j with a file of the type %s and the caption %j is a caption: %s', (text, mime, caption, expected) => {
  expect(isCaption(text, about(mime, caption))).toBe(expected);
  const parts = splitPost({ text, media: about(mime, caption) }, '3EB0123456789012345678');
  const follows = text !== '' && !expected;
  expect(parts.map((part) => part.text)).toEqual([caption ?? (expected ? text : ''), ...(follows ? [text] : [])]);
});

test('the types of sounds are those that begin with audio/', () => {
  for (const [name, , mime] of TAKEN) expect(mime.startsWith('audio/'), name).toBe(kindOf(mime) === 'audio');
});
