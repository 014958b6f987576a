import { createCommunity } from '../../../sending/groups/create-community.ts';
import type { GroupDeps } from '../../../sending/groups/sync-groups.ts';
import { createCommunityBody, createdGroupData } from '../../contract/groups.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function createCommunityOperation(deps: GroupDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/create-community',
    access: 'bearer',
    scope: 'send',
    tag: 'Groups',
    summary: 'Create a community',
    description: 'A campaign sent to a community goes to its announcement group.',
    body: createCommunityBody,
    data: createdGroupData,
    errors: [409, 503],
    idempotent: true,
    async handle({ body, actor, idempotencyKey }) {
      const community = { name: body.community_name, description: body.description };
      const { name, groupId } = await createCommunity(deps, actor, community, idempotencyKey);
      return { group_name: name, group_metadata_id: groupId };
    },
  });
}
