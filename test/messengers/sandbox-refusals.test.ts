import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/platform/log/log.ts';
import { createPostSender } from '../../src/messengers/sandbox/messages.ts';
import { TEXT_LIMIT } from '../../src/content/text/html-to-whatsapp.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const to = [{ chatId: '1@g.us', messageId: 'A1', uncertain: false, resend: false }];
const reasonOf = async (text: string) => {
  const [result] = await createPostSender({ db: database.db, log: createLog('error'), speed: 0 })({
    accountId: 1 as AccountId,
    post: { text, media: null },
    to,
    mayGoOn: () => true,
  });
  return result?.kind === 'refused' && result.final ? result.reason : undefined;
};

test.each(['', ' \n ', '\u200b', '- \u2800', '*\u034f*', '```\u200b```'])(
  'rejects an invisible text: %j',
  async (text) => {
    expect(await reasonOf(text)).toBe('Members would see nothing of the post');
  },
);

test('rejects a text that is too long for WhatsApp', async () => {
  expect(await reasonOf('x'.repeat(TEXT_LIMIT + 1))).toBe('The text is longer than 65536 characters');
});

test.each(['x', '*', '- a', '* *', '``` ```'])('accepts the text %j', async (text) => {
  // The text is valid; only the group is unknown.
  expect(await reasonOf(text)).toMatch(/^The group no longer exists/);
});
