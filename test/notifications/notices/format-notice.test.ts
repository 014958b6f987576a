/** The text and the page of notices about accounts. */
import { expect, test } from 'vitest';
import { formatNotice, pageOf } from '../../../src/notifications/notices/format-notice.ts';
import type { AccountId, WorkspaceId } from '../../../src/platform/database/schema.ts';
import { LANGUAGES, type Language } from '../../../src/platform/i18n/languages.ts';

const reader = { language: 'en', timeZone: 'UTC' };
const waiting = { account_id: 7 as AccountId, name: 'Backup', down_since: '2030-01-01T09:00:00.000Z' };

test('names the account that posts wait for, and says since when', () => {
  expect(formatNotice('account_waiting', 1, waiting, reader)).toBe(
    'Backup cannot send, and posts are waiting for it. It has not been able to send since 1 Jan 2030, 09:00:00 UTC.',
  );
  expect(formatNotice('account_waiting', 1, { ...waiting, waits_for: 'offline' }, reader)).toMatch(
    /waiting for it\. This service cannot reach WhatsApp right now\. It keeps trying by itself\. It has not/,
  );
  expect(formatNotice('account_waiting', 1, { ...waiting, name: null }, reader)).toMatch(/^Your main account cannot/);
  expect(formatNotice('account_waiting', 2, waiting, reader)).toBe(
    '2 times, an account could not send and posts are waiting. The Account page shows which.',
  );
});

test.each([
  ['approved', 'Fair is no longer waiting for approval. It was approved.'],
  ['rejected', 'Fair is no longer waiting for approval. It was rejected.'],
  [
    'time_passed',
    'Fair is no longer waiting for approval. Its time passed before it was approved, and nothing was sent. Choose another time, then ask again.',
  ],
] as const)('says what became of a post that waited: %s', (decision, expected) => {
  expect(formatNotice('campaign_decided', 1, { name: 'Fair', decision }, reader)).toBe(expected);
});

test('says how many posts other accounts send', () => {
  const of = (handed_over: number) =>
    formatNotice('account_handed_over', 1, { account_id: 7 as AccountId, name: 'Backup', handed_over }, reader);
  expect(of(1)).toBe('1 post of Backup is sent by other accounts, because it cannot send.');
  expect(of(1200)).toBe('1,200 posts of Backup are sent by other accounts, because it cannot send.');
  expect(
    formatNotice('account_handed_over', 3, { account_id: 7 as AccountId, name: 'Backup', handed_over: 1 }, reader),
  ).toBe('Other accounts took over posts 3 times.');
});

test('names the account and its time, or its number of posts, in every language', () => {
  for (const language of Object.keys(LANGUAGES) as Language[]) {
    const local = { language, timeZone: 'UTC' };
    const asked = formatNotice('account_waiting', 1, waiting, local);
    expect(asked, language).toContain('Backup');
    expect(asked, language).toContain('2030');
    expect(
      formatNotice('account_handed_over', 1, { account_id: 7 as AccountId, name: 'Backup', handed_over: 43 }, local),
    ).toMatch(/43.*Backup|Backup.*43/);
  }
});

test('names the account of an unlinked one in a sentence of its own', () => {
  expect(formatNotice('account_unlinked', 1, { account_id: 7 as AccountId, name: 'Backup' }, reader)).toMatch(
    /Account: Backup\.$/,
  );
  expect(formatNotice('account_unlinked', 1, { account_id: 7 as AccountId, name: null }, reader)).not.toMatch(
    /Account:/,
  );
});

test('leads to the account, in the workspace of the event', () => {
  const workspace = 3 as WorkspaceId;
  expect(pageOf('account_waiting', 1, waiting, null)).toBe('/account?account=7');
  expect(pageOf('account_waiting', 1, waiting, workspace)).toBe('/account?account=7&workspace=3');
  expect(pageOf('account_waiting', 2, waiting, workspace)).toBe('/account?workspace=3');
  expect(pageOf('account_unlinked', 1, {}, null)).toBe('/account');
});
