import type { Database } from '../../database/connect.ts';
import { deleteGroupList } from '../../groups/delete-group-list.ts';
import { listGroupLists } from '../../groups/list-group-lists.ts';
import { saveGroupList } from '../../groups/save-group-list.ts';
import { nothing } from '../contract/fields.ts';
import * as wire from '../contract/group-lists.ts';
import { nothingData } from '../contract/users.ts';
import { defineOperation, type Operation } from '../operation.ts';

export function groupListOperations(deps: { db: Database }): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/venom/save-group-list',
      access: 'bearer',
      scope: 'send',
      tag: 'Groups',
      summary: 'Save a list of groups under a name',
      description: 'With `group_list_id` it overwrites that list. Up to 500 lists are kept.',
      body: wire.saveGroupListBody,
      data: wire.saveGroupListData,
      errors: [404, 409],
      async handle({ body, actor }) {
        const list = {
          name: body.name,
          groupIds: body.group_metadata_ids,
          groupListId: body.group_list_id ?? null,
        };
        return { group_list_id: await saveGroupList(deps, actor, list) };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/list-group-lists',
      access: 'bearer',
      scope: 'read',
      tag: 'Groups',
      summary: 'List your saved lists of groups',
      description: 'In order of their names. To see the groups of one, give its id to `list-groups`.',
      body: nothing,
      data: wire.listGroupListsData,
      errors: [],
      async handle({ caller }) {
        const lists = await listGroupLists(deps, caller.userId);
        return {
          group_lists: lists.map((list) => ({
            group_list_id: list.groupListId,
            name: list.name,
            group_count: list.groupCount,
          })),
        };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/delete-group-list',
      access: 'bearer',
      scope: 'send',
      tag: 'Groups',
      summary: 'Delete a saved list of groups',
      description: 'The groups themselves stay.',
      body: wire.groupListBody,
      data: nothingData,
      errors: [404],
      async handle({ body, actor }) {
        await deleteGroupList(deps, actor, body.group_list_id);
        return {};
      },
    }),
  ];
}
