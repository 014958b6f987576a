import type { Group, GroupMember } from '../client/group.ts';
import { isGroup, toJid } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';

/** The group in the answer to its creation. People who were not added are no members. Undefined if it has no group. */
export function parseGroup(group: Node): Group | undefined {
  const { id, subject = '', creation, size, addressing_mode: mode } = group.attrs;
  if (group.tag !== 'group' || id === undefined) return undefined;
  return {
    id: isGroup(id) ? id : toJid(id, 'g.us'),
    subject,
    ...(creation !== undefined && { creation: Number(creation) }),
    ...(size !== undefined && { size: Number(size) }),
    participants: childrenOf(group, 'participant')
      .filter(({ attrs }) => attrs['error'] === undefined)
      .map(({ attrs }) => toMember(attrs)),
    addressingMode: mode === 'pn' ? 'pn' : 'lid',
    announce: childOf(group, 'announcement') !== undefined,
    restrict: childOf(group, 'locked') !== undefined,
    isCommunity: childOf(group, 'parent') !== undefined,
  };
}

function toMember({ jid = '', lid, phone_number: phoneNumber, type }: Node['attrs']): GroupMember {
  return {
    id: jid,
    ...(lid !== undefined && { lid }),
    ...(phoneNumber !== undefined && { phoneNumber }),
    admin: type === 'admin' || type === 'superadmin' ? type : null,
  };
}
