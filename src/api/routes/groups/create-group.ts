import { createGroup } from '../../../sending/groups/create-group.ts';
import type { GroupDeps } from '../../../sending/groups/sync-groups.ts';
import { phoneDigits } from '../../../identity/phone-number.ts';
import { createdGroupData, createGroupBody } from '../../contract/groups.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function createGroupOperation(deps: GroupDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/create-group',
    access: 'bearer',
    scope: 'send',
    tag: 'Groups',
    summary: 'Create a group',
    body: createGroupBody,
    data: createdGroupData,
    errors: [409, 503],
    idempotent: true,
    async handle({ body, actor, idempotencyKey }) {
      const participants = body.participants.flatMap((number) => phoneDigits(number) ?? []);
      const { name, groupId } = await createGroup(deps, actor, { name: body.group_name, participants }, idempotencyKey);
      return { group_name: name, group_metadata_id: groupId };
    },
  });
}
