import { expect, test } from 'vitest';
import { createGroupCache } from '../../../../src/messengers/whatsapp/chats/group-cache.ts';
import type { Group } from '../../../../src/messengers/whatsapp/client/group.ts';
import { createChatCache, type ChatCache } from '../../../../src/messengers/whatsapp/chats/chat-cache.ts';

const CHAT = '1203630@g.us';

function describeGroup(subject: string): Group {
  return { id: CHAT, subject, participants: [{ id: '771@lid', admin: null }] };
}

/** Chats whose groups are read by `read`. */
function chatsWith(read: (chatId: string) => Promise<Group>, { most = 1_000 } = {}): ChatCache {
  return createChatCache({
    memory: createGroupCache({ most }),
    fetchGroup: read,
    onGroup: () => {},
  });
}

test('reads a group once for all callers that wait', async () => {
  let reads = 0;
  const chats = chatsWith(async () => describeGroup(`read ${++reads}`));
  const groups = await Promise.all([chats.group(CHAT), chats.group(CHAT)]);
  expect(groups.map(({ subject }) => subject)).toEqual(['read 1', 'read 1']);
});

test('keeps metadata that arrives while the group is read', async () => {
  const answer = Promise.withResolvers<Group>();
  const chats = chatsWith(() => answer.promise);
  const asked = chats.group(CHAT);
  chats.cacheGroup(describeGroup('learned'));
  answer.resolve(describeGroup('read'));
  expect((await asked).subject).toBe('read');
  expect(chats.cachedGroup(CHAT)?.subject).toBe('learned');
});

test('reads a group again that is invalidated while it is read', async () => {
  const answer = Promise.withResolvers<Group>();
  const chats = chatsWith(() => answer.promise);
  const asked = chats.group(CHAT);
  chats.invalidateGroup(CHAT);
  answer.resolve(describeGroup('read'));
  expect((await asked).subject).toBe('read');
  expect(chats.cachedGroup(CHAT)).toBeUndefined();
});

test('repeats a failed read for the next caller', async () => {
  let reads = 0;
  const chats = chatsWith(async () => {
    if (++reads === 1) throw new Error('broken');
    return describeGroup('read');
  });
  await expect(chats.group(CHAT)).rejects.toThrow('broken');
  expect((await chats.group(CHAT)).subject).toBe('read');
});

test('reads more groups at the same time than the cache holds', async () => {
  const answer = Promise.withResolvers<Group>();
  const chats = chatsWith(() => answer.promise, { most: 40 });
  const asked = Array.from({ length: 60 }, (_, index) => chats.group(`${index}@g.us`));
  answer.resolve(describeGroup('read'));
  expect(new Set((await Promise.all(asked)).map(({ subject }) => subject))).toEqual(new Set(['read']));
});
