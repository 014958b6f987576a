import { expect, test } from 'vitest';
import { selectGroups } from '../../../src/sending/groups/list-groups.ts';
import { replaceGroups } from '../../../src/sending/groups/store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner } from '../../support/ledger.ts';

const database = await useTestDatabase();

test('keeps a known invite link when the messaging application returns none', async () => {
  const { db } = database;
  const { accountId, workspaceId } = await createOwner(db, 0);
  const inviteLink = 'https://chat.example.com/abc';
  const id = '1@g.us';
  const kind = 'group';
  const group = {
    chatId: id,
    sendTo: id,
    kind,
    participants: 3,
    canSend: true,
    createdAt: '2031-01-01T00:00:00Z',
  } as const;
  await replaceGroups(
    db,
    { workspaceId, accountId },
    { chats: [{ ...group, name: 'Before', inviteLink }], areChannelsUnread: false },
  );
  const synced = await replaceGroups(
    db,
    { workspaceId, accountId },
    {
      chats: [{ ...group, name: 'After', inviteLink: null }],
      areChannelsUnread: false,
    },
  );
  expect(synced).toEqual({ added: 0, updated: 1, removed: 0 });
  const { groups } = await selectGroups(db, workspaceId, { limit: 2, after: 0 });
  expect(groups).toMatchObject([{ name: 'After', inviteLink }]);
});
