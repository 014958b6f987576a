/** Spoofing: people choose the names in a mail, and mail programs make links of addresses. */
import { find } from 'linkifyjs';
import { describe, expect, test } from 'vitest';
import type { MailKind } from '../../../src/platform/database/schema.ts';
import { LANGUAGE_TAGS } from '../../../src/platform/i18n/languages.ts';
import { breakAddresses } from '../../../src/platform/mail/break-addresses.ts';
import { writeMail } from '../../../src/platform/mail/mail-templates.ts';

const EVIL =
  'https://evil.com/login HTTP://1.2.3.4 evil.com www.evil.com/?a=b me@evil.com x.evil。com x.evil\u2024com evil\ufe52com ｅｖｉｌ．com';
const HOME = 'https://campanile.example';

/** What people can write into a mail beside their user name. */
const DETAILS: Readonly<Record<MailKind, string>> = {
  verification: '',
  reset: '',
  invitation: '',
  workspace_invitation: `${EVIL}\n${EVIL}`,
  new_sign_in: '203.0.113.7',
  password_changed: '',
  factors_changed: '',
  notice: `${EVIL} has ended: all posts were sent.\n/campaigns/1`,
};

test.each(Object.entries(DETAILS))('a mail of the kind %s has no links but its own', (kind, detail) => {
  for (const language of LANGUAGE_TAGS) {
    const due = {
      kind: kind as MailKind,
      detail,
      language,
      userName: EVIL,
      mailId: '1',
      userId: null,
      recipient: 'a@b.c',
    };
    const { subject, text } = writeMail({ ...due, attempts: 0 }, 'CODE', HOME);
    const found = find(`${subject}\n${text}`).map(({ href }) => href);
    expect(
      found.filter((href) => !href.startsWith(`${HOME}/`)),
      language,
    ).toEqual([]);
    expect(found.length, language).toBeGreaterThan(0);
  }
});

describe('an address in a name', () => {
  test.each([
    ['evil.com', 'evil. com'],
    ['https://evil.com/a.b', 'https: //evil. com/a. b'],
    ['http://intranet/x', 'http: //intranet/x'],
    ['mailto:me@evil', 'mailto: me @evil'],
    ['me@evil.com', 'me @evil. com'],
    ['evil。com', 'evil。 com'],
    // One dot leader, small full stop, fullwidth full stop, halfwidth ideographic full stop.
    ['evil\u2024com', 'evil. com'],
    ['evil\ufe52com', 'evil. com'],
    ['evil\uff0ecom', 'evil. com'],
    ['evil\uff61com', 'evil。 com'],
    ['ｅｖｉｌ．ｃｏｍ', 'evil. com'],
    ['me\ufe6bevil', 'me @evil'],
    ['https\uff1a\uff0f\uff0fintranet', 'https: //intranet'],
    ['1\u20242\u20243\u20244', '1. 2. 3. 4'],
    ['1.2.3.4', '1. 2. 3. 4'],
    ['xn--e1aybc.xn--p1ai', 'xn--e1aybc. xn--p1ai'],
    ['(evil.com).', '(evil. com).'],
  ])('%s is broken by spaces', (name, broken) => {
    expect(breakAddresses(name)).toBe(broken);
    expect(find(broken)).toEqual([]);
  });

  test.each([
    'Fair',
    'St. Mary’s, vol. 2',
    'Market at 10.30',
    '28.11.2026, 16:21',
    '1.500 posts…',
    'Wait... what?',
    '@Anna',
    'Römische Straße 5',
    'A:B, 5/6',
    'Ｆａｉｒ №5 ½',
    'Wait…what?',
  ])('%s is none, and stays', (name) => {
    expect(breakAddresses(name)).toBe(name);
  });
});
