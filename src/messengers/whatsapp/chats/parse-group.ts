import type { Group, GroupMember } from '../client/group.ts';
import { isGroup, toJid } from '../client/jid.ts';
import { childOf, childrenOf, type Node } from '../client/node.ts';

/** Returns the group that a node describes. People who could not be added to a new group are no members. Undefined if it has no id. */
export function parseGroup(group: Node): Group | undefined {
  const { jid, id = jid, subject = '', creation, size, addressing_mode: mode } = group.attrs;
  if (group.tag !== 'group' || id === undefined) return undefined;
  const participants = childrenOf(group, 'participant')
    .filter(({ attrs }) => attrs['error'] === undefined)
    .map(({ attrs }) => toMember(attrs));
  const { jid: linkedParent } = childOf(group, 'linked_parent')?.attrs ?? {};
  const { expiration } = childOf(group, 'ephemeral')?.attrs ?? {};
  return {
    id: isGroup(id) ? id : toJid(id, 'g.us'),
    subject,
    ...(creation !== undefined && { creation: Number(creation) }),
    ...(size !== undefined && { size: Number(size) }),
    participants,
    addressingMode: mode === 'lid' || mode === 'pn' ? mode : guessAddressing(participants),
    announce: childOf(group, 'announcement') !== undefined,
    restrict: childOf(group, 'locked') !== undefined,
    isCommunity: childOf(group, 'parent') !== undefined,
    isCommunityAnnounce: childOf(group, 'default_sub_group') !== undefined,
    ...(linkedParent !== undefined && { linkedParent }),
    ...(Number(expiration) > 0 && { ephemeralDuration: Number(expiration) }),
  };
}

/** Answers about old groups may not say it. */
function guessAddressing(members: readonly GroupMember[]): 'lid' | 'pn' {
  return members.length > 0 && members.every(({ id }) => !id.endsWith('@lid')) ? 'pn' : 'lid';
}

function toMember({ jid = '', lid, phone_number: phoneNumber, type }: Node['attrs']): GroupMember {
  return {
    id: jid,
    ...(lid !== undefined && { lid }),
    ...(phoneNumber !== undefined && { phoneNumber }),
    admin: type === 'admin' || type === 'superadmin' ? type : null,
  };
}
