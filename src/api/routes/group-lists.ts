import type { Database } from '../../platform/database/statements.ts';
import { keepGroupsOfList } from '../../sending/approvals/keep-groups-of-list.ts';
import { deleteGroupList, listGroupLists, saveGroupList } from '../../sending/groups/group-lists.ts';
import type { groupLists } from '../contract/group-lists.ts';
import type { Handlers } from '../operation.ts';

export const groupListHandlers: Handlers<typeof groupLists, { db: Database }> = {
  async saveGroupList(deps, { body, actor }) {
    const { groupMetadataIds: groupIds, groupListId = null } = body;
    return { groupListId: await saveGroupList(deps, actor, { ...body, rule: body.rule, groupIds, groupListId }) };
  },

  async listGroupLists(deps, { body, actor }) {
    const lists = await listGroupLists(deps, actor, body);
    return { groupLists: lists.map((one) => ({ ...one, metadata: body.withMetadata ? one.metadata : null })) };
  },

  async deleteGroupList({ db }, { body: { groupListId }, actor }) {
    await keepGroupsOfList(db, actor.workspaceId, groupListId);
    await deleteGroupList({ db }, actor, groupListId);
  },
};
