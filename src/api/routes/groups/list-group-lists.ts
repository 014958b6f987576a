import type { Database } from '../../../platform/database/connect.ts';
import { listGroupLists } from '../../../sending/groups/list-group-lists.ts';
import { nothing } from '../../contract/fields.ts';
import { listGroupListsData } from '../../contract/group-lists.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listGroupListsOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-group-lists',
    access: 'bearer',
    scope: 'read',
    tag: 'Groups',
    summary: 'List your saved lists of groups',
    description: 'In order of their names. To see the groups of one, give its id to `list-groups`.',
    body: nothing,
    data: listGroupListsData,
    errors: [],
    async handle({ actor }) {
      const lists = await listGroupLists(deps, actor);
      return {
        group_lists: lists.map((list) => ({
          group_list_id: list.groupListId,
          name: list.name,
          group_count: list.groupCount,
        })),
      };
    },
  });
}
