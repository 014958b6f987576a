import type { Database } from '../../platform/database/statements.ts';
import { deleteGroupList, listGroupLists, saveGroupList } from '../../sending/groups/group-lists.ts';
import type { groupLists } from '../contract/group-lists.ts';
import type { Handlers } from '../operation.ts';

export const groupListHandlers: Handlers<typeof groupLists, { db: Database }> = {
  async saveGroupList(deps, { body, actor }) {
    const { name, groupMetadataIds: groupIds, groupListId = null } = body;
    return { groupListId: await saveGroupList(deps, actor, { name, groupIds, groupListId }) };
  },

  listGroupLists: async (deps, { actor }) => ({ groupLists: await listGroupLists(deps, actor) }),

  deleteGroupList: (deps, { body, actor }) => deleteGroupList(deps, actor, body.groupListId),
};
