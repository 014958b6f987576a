import { readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { remakeListsOfSenders } from '../groups/group-lists.ts';
import { requireGroups } from '../groups/require-groups.ts';

/** Which accounts send to a group, to the groups of a list, or to all groups of a workspace. */
export interface SenderRule {
  /** Null: the rule is about a list or the workspace. */
  groupId: number | null;
  groupName: string | null;
  /** Null: the rule is about a group or the workspace. */
  groupListId: number | null;
  groupListName: string | null;
  /** The preferred account first, then its stand-ins. Empty: the rule before was removed. */
  accountIds: AccountId[];
  reason: string | null;
  /** The user name; null: the user was deleted. */
  setBy: string | null;
  setAt: Date;
  /** Null: the rule is in force. */
  replacedAt: Date | null;
}

export interface FormerRule extends Pick<SenderRule, 'groupId' | 'groupName' | 'reason'> {
  /** Null: there was none. */
  accountIds: AccountId[] | null;
}

/** What rules are about: these groups and this list, or the workspace. */
export interface RuleScope {
  groupIds: readonly number[];
  groupListId: number | null;
  isWorkspace: boolean;
}

/**
 * Sets the same rule for everything in a scope, one statement however much there is. Equal rules stay as they are. Returns what the others
 * replaced. A removal is an entry of the history, and no rule in force.
 */
export async function replaceRules(
  trx: Connection,
  { workspaceId, userId }: Pick<Actor, 'workspaceId' | 'userId'>,
  { groupIds, groupListId, isWorkspace }: RuleScope,
  { accountIds, reason }: { accountIds: readonly AccountId[]; reason: string | null },
): Promise<FormerRule[]> {
  const isRemoval = accountIds.length === 0;
  return readRows<FormerRule>(trx)`
    with scope as (
      select group_id, null::bigint as group_list_id from unnest(${[...groupIds]}::bigint[]) g (group_id)
      union all select null, ${groupListId}::bigint where ${groupListId !== null}::boolean
      union all select null, null where ${isWorkspace}::boolean
    ), changed as materialized (
      select c.group_id, c.group_list_id, s.sender_rule_id, s.account_ids, s.reason
      from scope c left join senders s
        on s.workspace_id = ${workspaceId} and s.replaced_at is null
        and coalesce(s.group_id, 0) = coalesce(c.group_id, 0) and coalesce(s.group_list_id, 0) = coalesce(c.group_list_id, 0)
      where coalesce(s.account_ids, '{}') <> ${[...accountIds]}::bigint[]
         or (not ${isRemoval}::boolean and s.reason is distinct from ${reason}::text)
    ), replaced as (
      update senders s set replaced_at = campanile_now() from changed c where s.sender_rule_id = c.sender_rule_id returning 1
    ), written as (
      insert into senders (workspace_id, group_id, group_list_id, account_ids, reason, set_by, replaced_at)
      select ${workspaceId}::bigint, c.group_id, c.group_list_id, ${[...accountIds]}::bigint[], ${reason}::text, ${userId}::bigint,
             case when ${isRemoval}::boolean then campanile_now() end
      from changed c
      -- The rules before are replaced first: one at a time is in force.
      where (select count(*) from replaced) >= 0
    )
    select c.group_id as "groupId", g.name as "groupName", c.account_ids as "accountIds", c.reason
    from changed c left join groups g on g.group_id = c.group_id order by c.group_id`;
}

/** An account as the audit log names it. */
export interface NamedAccount {
  /** Null: it has none. */
  name: string | null;
  isRemoved: boolean;
}

/** Returns the accounts of a workspace among these, by id, with those that were removed. */
export async function readAccounts(
  trx: Connection,
  workspaceId: WorkspaceId,
  accountIds: readonly AccountId[],
): Promise<Map<AccountId, NamedAccount>> {
  const rows = await readRows<NamedAccount & { accountId: AccountId }>(trx)`
    select account_id as "accountId", name, removed_at is not null as "isRemoved" from accounts
    where workspace_id = ${workspaceId} and account_id = any(${[...accountIds]}::bigint[])`;
  return new Map(rows.map(({ accountId, ...account }) => [accountId, account]));
}

export interface RuleFilter {
  /** Only rules that concern this group: its own, those of its lists, and that of the workspace. */
  groupId: number | null;
  /** `present`: in force, the narrowest last. `former`: replaced or removed, the newest first. */
  are: 'present' | 'former';
  limit: number;
  offset: number;
}

/** Returns rules of a workspace, `limit` at most. */
export async function selectRules(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupId, are, limit, offset }: RuleFilter,
): Promise<SenderRule[]> {
  const isPresent = are === 'present';
  return readRows<SenderRule>(db)`
    select s.group_id as "groupId", g.name as "groupName", s.group_list_id as "groupListId", l.name as "groupListName",
           s.account_ids as "accountIds", s.reason, u.user_name as "setBy", s.set_at as "setAt", s.replaced_at as "replacedAt"
    from senders s
    left join groups g on g.group_id = s.group_id
    left join group_lists l on l.group_list_id = s.group_list_id
    left join users u on u.user_id = s.set_by and u.deleted_at is null
    where s.workspace_id = ${workspaceId} and (s.replaced_at is null) = ${isPresent}::boolean
      and (${groupId}::bigint is null or coalesce(s.group_id, ${groupId}::bigint) = ${groupId}::bigint
                                         and (s.group_list_id is null or ${groupId}::bigint = any(l.group_ids)))
    order by case when ${isPresent}::boolean then case when s.group_id is not null then 2 when s.group_list_id is not null then 1 else 0 end end,
             case when ${isPresent}::boolean then lower(coalesce(l.name, g.name)) end,
             s.replaced_at desc, s.sender_rule_id desc
    limit ${limit} offset ${offset}`;
}

/** Entries of the history that are read. */
const HISTORY_LIMIT = 100;

export interface SendersQuery {
  /** Null: all rules. Else only those that concern this group. */
  groupId: number | null;
  withHistory: boolean;
  limit: number;
  /** `next` of the page before; 0: from the first on. */
  after: number;
}

export interface SendersPage {
  /** Rules in force: that of the workspace, those of lists, then those of groups. */
  rules: SenderRule[];
  /** Replaced and removed rules, the newest first; undefined unless asked for. */
  history: SenderRule[] | undefined;
  /** Where the next page of rules begins; null: this was the last. */
  next: number | null;
}

/** The workspace's rules on who sends (contract §4, list-senders). Throws 404 for a group that is not the workspace's. */
export async function listSenders(
  { db }: { db: Database },
  { workspaceId }: Actor,
  { groupId, withHistory, limit, after }: SendersQuery,
): Promise<SendersPage> {
  if (groupId !== null) await requireGroups(db, workspaceId, [groupId], 'group_metadata_id');
  if (groupId !== null) await remakeListsOfSenders(db, workspaceId);
  const found = await selectRules(db, workspaceId, { groupId, are: 'present', limit: limit + 1, offset: after });
  const history = withHistory
    ? await selectRules(db, workspaceId, { groupId, are: 'former', limit: HISTORY_LIMIT, offset: 0 })
    : undefined;
  return { rules: found.slice(0, limit), history, next: found.length > limit ? after + limit : null };
}
