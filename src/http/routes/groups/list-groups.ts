import { listGroups } from '../../../groups/list-groups.ts';
import type { GroupActivity } from '../../../groups/read-activity.ts';
import type { GroupDeps } from '../../../groups/sync-groups.ts';
import { listGroupsBody, listGroupsData } from '../../contract/groups.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { toNid } from './nid.ts';

const NOTHING_POSTED: GroupActivity = { posts: 0, lastPostedAt: null, recipients: 0, read: 0 };

export function listGroupsOperation(deps: GroupDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-groups',
    access: 'bearer',
    scope: 'read',
    tag: 'Groups',
    summary: 'List your groups, communities and channels',
    body: listGroupsBody,
    data: listGroupsData,
    errors: [404, 503],
    async handle({ body, actor }) {
      const { kind, search, limit, group_list_id: groupListId, with_activity: withActivity } = body;
      const after = readCursor(body.cursor) ?? 0;
      const page = await listGroups(deps, actor, { kind, search, groupListId, limit, after, withActivity });
      return {
        groups: page.groups.map((group) => ({
          group_metadata_id: group.groupId,
          group_name: group.name,
          kind: group.kind,
          nid: toNid(group.chatId),
          participants: group.participants,
          invite_link: group.inviteLink,
          can_send: group.canSend,
          ...(page.activity && { activity: toWireActivity(page.activity.get(group.groupId)) }),
        })),
        next_cursor: writeCursor(page.next),
      };
    },
  });
}

function toWireActivity({ posts, lastPostedAt, recipients, read }: GroupActivity = NOTHING_POSTED) {
  return {
    posts,
    last_posted_at: lastPostedAt?.toISOString() ?? null,
    recipients,
    read,
    read_rate: recipients === 0 ? null : read / recipients,
  };
}
