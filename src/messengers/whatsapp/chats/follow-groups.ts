/** Hears from WhatsApp how groups stand, and when that changes. */
import { getAllBinaryNodeChildren, type BinaryNode, type GroupMetadata, type WASocket } from 'baileys';
import type { KnownChats } from './chat-cache.ts';

/** What a notification may tell that changes nothing about who gets a post, and how. */
const OF_NO_MATTER: ReadonlySet<string> = new Set([
  'subject',
  'description',
  'invite',
  'locked',
  'unlocked',
  'member_add_mode',
  'membership_approval_mode',
  'created_membership_requests',
  'revoked_membership_requests',
]);

/** Listens to one connection, from before its opening to its end. */
export function followGroups(
  client: Pick<WASocket, 'ws' | 'ev'>,
  chats: Pick<KnownChats, 'learnGroup' | 'forgetGroup'>,
): void {
  const changed = new Set<string>();
  // A list is true as of its arrival. The client hands it on later, when a group in it may have changed already.
  client.ws.on('CB:iq,,groups', () => changed.clear());
  client.ws.on('CB:notification,type:w:gp2', (stanza: BinaryNode) => {
    const chatId = stanza.attrs['from'] ?? '';
    const told = getAllBinaryNodeChildren(stanza);
    if (told.length > 0 && told.every(({ tag }) => OF_NO_MATTER.has(tag))) return;
    changed.add(chatId);
    chats.forgetGroup(chatId);
  });
  client.ev.on('groups.update', (groups) => {
    for (const group of groups) if (isComplete(group) && !changed.has(group.id)) chats.learnGroup(group);
  });
}

/** As lists have them, whoever asked for one; a change comes without members. Of large groups not everybody is shown all. */
function isComplete(group: Partial<GroupMetadata>): group is GroupMetadata {
  const { participants = [], size = 0 } = group;
  return participants.length > 0 && participants.length >= size;
}
