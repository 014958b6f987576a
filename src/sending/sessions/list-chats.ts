import type { MessengerGroup, MessengerSession } from '../../messengers/messenger.ts';
import type { StoredChatList } from '../accounts/commands.ts';

/** Returns the chats that the account of the session sees. Throws as `MessengerSession.listGroups` does. */
export async function listChats(session: MessengerSession, knownChannels: readonly string[]): Promise<StoredChatList> {
  const { chats, areChannelsUnread = false } = await session.listGroups(knownChannels);
  return { chats: chats.map(toStored), areChannelsUnread };
}

export function toStored<Group extends MessengerGroup>(group: Group): Omit<Group, 'createdAt'> & { createdAt: string } {
  return { ...group, createdAt: group.createdAt.toISOString() };
}
