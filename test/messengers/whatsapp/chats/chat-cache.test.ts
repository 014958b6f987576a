import { expect, test } from 'vitest';
import { createGroupMemory } from '../../../../src/messengers/whatsapp/chats/group-cache.ts';
import type { Client } from '../../../../src/messengers/whatsapp/client/client.ts';
import type { Group } from '../../../../src/messengers/whatsapp/client/group.ts';
import { createChatCache, type KnownChats } from '../../../../src/messengers/whatsapp/chats/chat-cache.ts';

const CHAT = '1203630@g.us';

function describeGroup(subject: string): Group {
  return { id: CHAT, subject, participants: [{ id: '771@lid', admin: null }] };
}

/** Chats whose groups are read by `read`. */
function chatsWith(read: (chatId: string) => Promise<Group>, { most = 1_000 } = {}): KnownChats {
  return createChatCache({
    memory: createGroupMemory({ most }),
    channels: { read: () => Promise.reject(new Error('a channel was read')) },
    client: () => ({ fetchGroup: read }) as unknown as Client,
    onGroup: () => {},
  });
}

test('a group is read once for all callers that wait for it', async () => {
  let reads = 0;
  const chats = chatsWith(async () => describeGroup(`read ${++reads}`));
  const groups = await Promise.all([chats.group(CHAT), chats.group(CHAT)]);
  expect(groups.map(({ subject }) => subject)).toEqual(['read 1', 'read 1']);
});

test('a group that is learned while it is read stays as it was learned', async () => {
  const answer = Promise.withResolvers<Group>();
  const chats = chatsWith(() => answer.promise);
  const asked = chats.group(CHAT);
  chats.learnGroup(describeGroup('learned'));
  answer.resolve(describeGroup('read'));
  expect((await asked).subject).toBe('read');
  expect(chats.knownGroup(CHAT)?.subject).toBe('learned');
});

test('a group that is forgotten while it is read is read again', async () => {
  const answer = Promise.withResolvers<Group>();
  const chats = chatsWith(() => answer.promise);
  const asked = chats.group(CHAT);
  chats.forgetGroup(CHAT);
  answer.resolve(describeGroup('read'));
  expect((await asked).subject).toBe('read');
  expect(chats.knownGroup(CHAT)).toBeUndefined();
});

test('a read that fails is repeated by the next caller', async () => {
  let reads = 0;
  const chats = chatsWith(async () => {
    if (++reads === 1) throw new Error('broken');
    return describeGroup('read');
  });
  await expect(chats.group(CHAT)).rejects.toThrow('broken');
  expect((await chats.group(CHAT)).subject).toBe('read');
});

test('more groups than the memory holds can be read at the same time', async () => {
  const answer = Promise.withResolvers<Group>();
  const chats = chatsWith(() => answer.promise, { most: 40 });
  const asked = Array.from({ length: 60 }, (_, index) => chats.group(`${index}@g.us`));
  answer.resolve(describeGroup('read'));
  expect(new Set((await Promise.all(asked)).map(({ subject }) => subject))).toEqual(new Set(['read']));
});
