import type { GroupDeps } from '../../sending/groups/sync-groups.ts';
import { handOverDeliveries } from '../../sending/senders/hand-over.ts';
import { listSenders, type SenderRule } from '../../sending/senders/store.ts';
import { setSenders } from '../../sending/senders/set-senders.ts';
import type { senders } from '../contract/senders.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const senderHandlers: Handlers<typeof senders, GroupDeps> = {
  async handOverDeliveries(deps, { body, actor }) {
    return { accountId: body.accountId, ...(await handOverDeliveries(deps, actor, body)) };
  },

  async setSenders(deps, { body, actor }) {
    const { groupMetadataIds: groupIds = [], groupListId = null, accountIds, reason } = body;
    await setSenders(deps, actor, { groupIds, groupListId, accountIds, reason: reason || null });
  },

  async listSenders(deps, { body, actor }) {
    const { rules, history, next } = await listSenders(deps, actor, {
      groupId: body.groupMetadataId ?? null,
      withHistory: body.withHistory ?? false,
      limit: body.limit,
      after: readCursor(body.cursor) ?? 0,
    });
    return { senders: rules.map(toRule), history: history?.map(toRule), nextCursor: writeCursor(next) };
  },
};

function toRule(rule: SenderRule) {
  const { groupId, groupListId } = rule;
  const scope = groupId !== null ? 'group' : groupListId !== null ? 'group_list' : 'workspace';
  return { ...rule, scope, groupMetadataId: groupId } as const;
}
