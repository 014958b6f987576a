/** Caches the groups of each list, and invalidates a group when WhatsApp reports a change. */
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { allChildrenOf, childOf, childrenOf } from '../client/node.ts';
import type { ChatCache } from './chat-cache.ts';
import { parseGroup } from './parse-group.ts';

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

/** True if a change in a notification about a group affects posts or pins. */
export const changesGroup = (tag: string): boolean => !IRRELEVANT_CHANGES.has(tag);

/** Listens to one connection, from before its opening to its end. */
export function followGroups(
  client: Pick<Client, 'onStanza'>,
  chats: Pick<ChatCache, 'cacheGroup' | 'invalidateGroup'>,
): void {
  client.onStanza({ tag: 'iq', child: 'groups' }, (stanza) => {
    for (const node of childrenOf(childOf(stanza, 'groups'), 'group')) {
      const group = parseGroup(node);
      if (group && isComplete(group)) chats.cacheGroup(group);
    }
  });
  client.onStanza({ tag: 'notification', type: 'w:gp2' }, (stanza) => {
    const chatId = stanza.attrs['from'] ?? '';
    const changes = allChildrenOf(stanza);
    if (changes.length > 0 && !changes.some(({ tag }) => changesGroup(tag))) return;
    chats.invalidateGroup(chatId);
  });
}

/** Lists have complete groups, except for the members of some large ones. */
function isComplete({ participants, size = 0 }: Group): boolean {
  return participants.length > 0 && participants.length >= size;
}
