import type { Database } from '../../platform/database/connect.ts';
import { deleteGroupList } from '../../sending/groups/delete-group-list.ts';
import { listGroupLists } from '../../sending/groups/list-group-lists.ts';
import { saveGroupList } from '../../sending/groups/save-group-list.ts';
import type { groupLists } from '../contract/group-lists.ts';
import type { Handlers } from '../operation.ts';

export const groupListHandlers: Handlers<typeof groupLists, { db: Database }> = {
  async saveGroupList(deps, { body, actor }) {
    const list = {
      name: body.name,
      groupIds: body.group_metadata_ids,
      groupListId: body.group_list_id ?? null,
    };
    return { group_list_id: await saveGroupList(deps, actor, list) };
  },

  async listGroupLists(deps, { actor }) {
    const lists = await listGroupLists(deps, actor);
    return {
      group_lists: lists.map((list) => ({
        group_list_id: list.groupListId,
        name: list.name,
        group_count: list.groupCount,
      })),
    };
  },

  async deleteGroupList(deps, { body, actor }) {
    await deleteGroupList(deps, actor, body.group_list_id);
    return {};
  },
};
