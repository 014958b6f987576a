import type { Database } from '../../../platform/database/connect.ts';
import { deleteGroupList } from '../../../sending/groups/delete-group-list.ts';
import { groupListBody } from '../../contract/group-lists.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function deleteGroupListOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/delete-group-list',
    access: 'bearer',
    scope: 'send',
    tag: 'Groups',
    summary: 'Delete a saved list of groups',
    description: 'The groups themselves stay.',
    body: groupListBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await deleteGroupList(deps, actor, body.group_list_id);
      return {};
    },
  });
}
