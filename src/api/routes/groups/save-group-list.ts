import type { Database } from '../../../platform/database/connect.ts';
import { saveGroupList } from '../../../sending/groups/save-group-list.ts';
import { saveGroupListBody, saveGroupListData } from '../../contract/group-lists.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function saveGroupListOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/save-group-list',
    access: 'bearer',
    scope: 'send',
    tag: 'Groups',
    summary: 'Save a list of groups under a name',
    description: 'With `group_list_id` it overwrites that list. Up to 500 lists are kept.',
    body: saveGroupListBody,
    data: saveGroupListData,
    errors: [404, 409],
    async handle({ body, actor }) {
      const list = {
        name: body.name,
        groupIds: body.group_metadata_ids,
        groupListId: body.group_list_id ?? null,
      };
      return { group_list_id: await saveGroupList(deps, actor, list) };
    },
  });
}
