/** Hears from WhatsApp how groups stand, and when that changes. */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { allChildrenOf } from '../client/node.ts';
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
  client: Pick<Client, 'onStanza' | 'onGroups'>,
  chats: Pick<KnownChats, 'learnGroup' | 'forgetGroup'>,
): void {
  const changed = new Set<string>();
  // A list is true as of its arrival. The client hands it on later, when a group in it may have changed already.
  client.onStanza({ tag: 'iq', child: 'groups' }, () => changed.clear());
  client.onStanza({ tag: 'notification', type: 'w:gp2' }, (stanza) => {
    const chatId = stanza.attrs['from'] ?? '';
    const told = allChildrenOf(stanza);
    if (told.length > 0 && told.every(({ tag }) => OF_NO_MATTER.has(tag))) return;
    changed.add(chatId);
    chats.forgetGroup(chatId);
  });
  client.onGroups((groups) => {
    for (const group of groups) if (isComplete(group) && !changed.has(group.id)) chats.learnGroup(group);
  });
}

/** As lists have them, whoever asked for one; a change comes without members. Of large groups not everybody is shown all. */
function isComplete(group: Partial<Group>): group is Group {
  const { participants = [], size = 0 } = group;
  return participants.length > 0 && participants.length >= size;
}
