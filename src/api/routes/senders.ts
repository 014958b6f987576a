import type { GroupDeps } from '../../sending/groups/sync-groups.ts';
import { handOverDeliveries } from '../../sending/senders/hand-over.ts';
import { listSenders } from '../../sending/senders/list-senders.ts';
import { setSenders } from '../../sending/senders/set-senders.ts';
import type { SenderRule } from '../../sending/senders/store.ts';
import type { senders } from '../contract/senders.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export const senderHandlers: Handlers<typeof senders, GroupDeps> = {
  async handOverDeliveries(deps, { body, actor }) {
    const accountId = body.account_id as AccountId;
    const toAccountId = body.to_account_id as AccountId | undefined;
    const acceptDuplicates = body.accept_duplicates;
    const { handedOver, kept } = await handOverDeliveries(deps, actor, { accountId, toAccountId, acceptDuplicates });
    return { account_id: accountId, handed_over: handedOver, kept };
  },

  async setSenders(deps, { body, actor }) {
    await setSenders(deps, actor, {
      groupIds: body.group_metadata_ids ?? [],
      groupListId: body.group_list_id ?? null,
      accountIds: body.account_ids as AccountId[],
      reason: body.reason || null,
    });
    return {};
  },

  async listSenders(deps, { body, actor }) {
    const { rules, history, next } = await listSenders(deps, actor, {
      groupId: body.group_metadata_id ?? null,
      withHistory: body.with_history ?? false,
      limit: body.limit,
      after: readCursor(body.cursor) ?? 0,
    });
    return {
      senders: rules.map(toWireRule),
      ...(history && { history: history.map(toWireRule) }),
      next_cursor: writeCursor(next),
    };
  },
};

function toWireRule(rule: SenderRule) {
  const { groupId, groupListId } = rule;
  const scope = groupId !== null ? 'group' : groupListId !== null ? 'group_list' : 'workspace';
  return {
    scope,
    group_metadata_id: groupId,
    group_name: rule.groupName,
    group_list_id: groupListId,
    group_list_name: rule.groupListName,
    account_ids: rule.accountIds,
    reason: rule.reason,
    set_by: rule.setBy,
    set_at: rule.setAt.toISOString(),
    replaced_at: rule.replacedAt?.toISOString() ?? null,
  } as const;
}
