/** Caches the groups of each list, and invalidates a group when WhatsApp reports a change. */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { allChildrenOf } from '../client/node.ts';
import type { ChatCache } from './chat-cache.ts';

/** Changes that affect neither posts nor pins. */
const IRRELEVANT_CHANGES: ReadonlySet<string> = new Set([
  'subject',
  'description',
  'invite',
  'member_add_mode',
  'membership_approval_mode',
  'created_membership_requests',
  'revoked_membership_requests',
]);

/** Listens to one connection, from before its opening to its end. */
export function followGroups(
  client: Pick<Client, 'onStanza' | 'onGroups'>,
  chats: Pick<ChatCache, 'cacheGroup' | 'invalidateGroup'>,
): void {
  const changed = new Set<string>();
  // The library emits a list some time after its arrival. A group in it may have changed meanwhile.
  client.onStanza({ tag: 'iq', child: 'groups' }, () => changed.clear());
  client.onStanza({ tag: 'notification', type: 'w:gp2' }, (stanza) => {
    const chatId = stanza.attrs['from'] ?? '';
    const changes = allChildrenOf(stanza);
    if (changes.length > 0 && changes.every(({ tag }) => IRRELEVANT_CHANGES.has(tag))) return;
    changed.add(chatId);
    chats.invalidateGroup(chatId);
  });
  client.onGroups((groups) => {
    for (const group of groups) if (isComplete(group) && !changed.has(group.id)) chats.cacheGroup(group);
  });
}

/** Lists have complete groups, except for the members of some large ones. A reported change has no members. */
function isComplete(group: Partial<Group>): group is Group {
  const { participants = [], size = 0 } = group;
  return participants.length > 0 && participants.length >= size;
}
