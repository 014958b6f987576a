import { runCommand } from '../accounts/commands.ts';
import { findOwnAccount } from '../accounts/store.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { requireLinked, type GroupDeps } from './sync-groups.ts';
import { findMember } from './read-ways.ts';
import { noSuchGroup, readGroupHead, writeInviteLink } from './store.ts';

/**
 * Returns the link to join a group (contract §4, get-invite-link): the known one, or what the messaging application answers, which is then
 * known. With `refresh` the application is asked in any case, by an account that is a member. Throws 404 for another account's group, 409 when the account is not linked
 * or the application gives no link, 503 when its session does not answer.
 */
export async function getInviteLink(
  deps: GroupDeps,
  { workspaceId }: Actor,
  { groupId, refresh }: { groupId: number; refresh: boolean },
): Promise<string> {
  const { db } = deps;
  const group = await readGroupHead(db, workspaceId, groupId);
  if (group.removedAt) throw noSuchGroup();
  if (group.inviteLink !== null && !refresh) return group.inviteLink;
  const member = await findOwnAccount(db, workspaceId, await findMember(db, groupId));
  requireLinked(member);
  const { inviteLink } = await runCommand(deps, member.accountId, 'get_invite_link', { chatId: group.chatId });
  if (inviteLink === null)
    throw new AppError('messenger_refused', 'The messaging application gives no link to this group');
  await writeInviteLink(db, workspaceId, { groupId, inviteLink });
  return inviteLink;
}
