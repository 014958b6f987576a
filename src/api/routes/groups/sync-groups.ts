import { syncGroups, type GroupDeps } from '../../../sending/groups/sync-groups.ts';
import { nothing } from '../../contract/fields.ts';
import { syncGroupsData } from '../../contract/groups.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function syncGroupsOperation(deps: GroupDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/sync-groups',
    access: 'bearer',
    scope: 'send',
    tag: 'Groups',
    summary: 'Read your groups anew from the messaging application',
    body: nothing,
    data: syncGroupsData,
    errors: [409, 503],
    handle: ({ actor }) => syncGroups(deps, actor),
  });
}
