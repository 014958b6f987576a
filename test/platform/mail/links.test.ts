import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMailLinks } from '../../../src/platform/mail/mail-links.ts';

const links = createMailLinks('the secret of the tests, long enough');

test('maps a code back to its mail', () => {
  const mailId = randomUUID();
  expect(links.mailIdOf(links.codeOf(mailId))).toBe(mailId);
});

test('accepts codes of both secrets during a rotation', () => {
  const mailId = randomUUID();
  const [before, now] = ['the secret of the tests, long enough', 'another secret of the tests, long enough'];
  const changing = createMailLinks(now, before);
  expect(changing.mailIdOf(createMailLinks(before).codeOf(mailId))).toBe(mailId);
  expect(changing.mailIdOf(changing.codeOf(mailId))).toBe(mailId);
  expect(createMailLinks(now).mailIdOf(changing.codeOf(mailId))).toBe(mailId);
  expect(createMailLinks(now).mailIdOf(createMailLinks(before).codeOf(mailId))).toBeUndefined();
});

test('rejects a code that is altered, truncated, or made with another secret', () => {
  const code = links.codeOf(randomUUID());
  const others = createMailLinks('another secret of the tests, long enough');
  const changed = [...code].map((letter, at) => code.slice(0, at) + (letter === 'A' ? 'B' : 'A') + code.slice(at + 1));
  const bad = [...changed, code.slice(0, -1), `${code}A`, '', 'x', others.codeOf(randomUUID())];
  expect(bad.filter((one) => links.mailIdOf(one) !== undefined)).toEqual([]);
});
