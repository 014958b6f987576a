import { readValue, type Connection, type Database } from '../../platform/database/statements.ts';
import { accountNotFoundError, lockOwnLedger } from '../accounts/store.ts';
import { noSuchGroupList } from '../groups/group-lists.ts';
import { requireGroups } from '../groups/require-groups.ts';
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { readAccounts, replaceRules, type FormerRule } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export interface SendersInput {
  /** As they were sent; a repeated id counts once. */
  groupIds: readonly number[];
  /** Null: the rule is about no list. Without groups either, it is about the workspace. */
  groupListId: number | null;
  /** The preferred account first, then its stand-ins; a repeated id counts once. Empty: removes the rule. */
  accountIds: readonly AccountId[];
  reason: string | null;
}

/**
 * Sets which accounts send to groups, to the groups of a list, or to all groups of the workspace (contract §4, set-senders). The rule before
 * becomes history. Runs that have begun keep their senders. Throws 404 for a group, a list or an account that is not the workspace's.
 */
export async function setSenders({ db }: { db: Database }, actor: Actor, input: SendersInput): Promise<void> {
  const { workspaceId } = actor;
  const { groupListId, reason } = input;
  const [groupIds, accountIds] = [[...new Set(input.groupIds)], [...new Set(input.accountIds)]];
  await db.transaction().execute(async (trx) => {
    // Two at once would both replace the same rule, and an account could be removed.
    await lockOwnLedger(trx, workspaceId);
    await requireGroups(trx, workspaceId, input.groupIds);
    // The list is not removed before the transaction ends.
    const list =
      groupListId === null
        ? null
        : await readValue<string>(trx)`
            select name from group_lists
            where group_list_id = ${groupListId} and workspace_id = ${workspaceId} for key share`;
    if (list === undefined) throw noSuchGroupList();
    await requireAccounts(trx, actor, input.accountIds);
    const isWorkspace = groupIds.length === 0 && groupListId === null;
    const rule = { accountIds, reason: accountIds.length === 0 ? null : reason };
    const former = await replaceRules(trx, actor, { groupIds, groupListId, isWorkspace }, rule);
    if (former.length > 0) await recordChange(trx, actor, { list, isWorkspace, former, ...rule });
  });
}

async function requireAccounts(trx: Connection, { workspaceId }: Actor, given: readonly AccountId[]): Promise<void> {
  const own = await readAccounts(trx, workspaceId, given);
  const foreign = given.flatMap((accountId, index) =>
    own.get(accountId)?.isRemoved === false ? [] : [`account_ids.${index}`],
  );
  if (foreign.length > 0) throw accountNotFoundError(...foreign);
}

interface RuleChange {
  /** The name of the list; null: the rule is about none. */
  list: string | null;
  isWorkspace: boolean;
  former: readonly FormerRule[];
  accountIds: readonly AccountId[];
  reason: string | null;
}

async function recordChange(
  trx: Connection,
  actor: Actor,
  { list, isWorkspace, former, accountIds, reason }: RuleChange,
): Promise<void> {
  const mentioned = new Set([accountIds, ...former.map((one) => one.accountIds ?? [])].flat());
  const names = await readAccounts(trx, actor.workspaceId, [...mentioned]);
  const describe = (ids: readonly AccountId[] | null) =>
    (ids ?? []).map((id) => withId(names.get(id)?.name, id)).join(', ');
  const groups = former.flatMap(({ groupId, groupName }) => (groupId === null ? [] : [withId(groupName, groupId)]));
  const [first] = groups;
  const changes = diffValues(
    {
      account_ids: joinDistinct(former.map((one) => describe(one.accountIds))),
      reason: joinDistinct(former.map((one) => one.reason ?? '')),
    },
    // As a text: the order of the accounts counts.
    { groups: groups.length > 1 || list !== null ? groups : undefined, account_ids: describe(accountIds), reason },
  );
  const ofGroups = first !== undefined && groups.length > 1 ? `${first}, +${groups.length - 1}` : first;
  const subject = isWorkspace ? 'workspace' : (list ?? ofGroups ?? '');
  await recordAudit(trx, { ...actor, action: 'senders.set', subject, changes });
}

function withId(name: string | null | undefined, id: number): string {
  return name ? `${name} (${id})` : String(id);
}

function joinDistinct(texts: readonly string[]): string {
  return [...new Set(texts)].filter(Boolean).join(' | ');
}
