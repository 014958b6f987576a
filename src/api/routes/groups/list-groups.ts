import { listGroups } from '../../../sending/groups/list-groups.ts';
import type { GroupActivity } from '../../../sending/groups/read-activity.ts';
import type { GroupDeps } from '../../../sending/groups/sync-groups.ts';
import { listGroupsBody, listGroupsData } from '../../contract/groups.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { rate } from '../rate.ts';
import { toNid } from './nid.ts';

const NOTHING_POSTED: GroupActivity = {
  posts: 0,
  lastPostedAt: null,
  silentDays: null,
  failed: 0,
  recipients: 0,
  read: 0,
};

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
      const { kind, search, limit, sort_by: by, descending } = body;
      const page = await listGroups(deps, actor, {
        kind,
        search,
        groupListId: body.group_list_id,
        minParticipants: body.min_participants,
        maxParticipants: body.max_participants,
        silentDays: body.silent_days,
        activeDays: body.active_days,
        hasFailed: body.has_failed,
        sort: by && { by, descending },
        limit,
        after: readCursor(body.cursor) ?? 0,
        withActivity: body.with_activity,
        withTotals: body.with_totals,
      });
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
        ...(page.totals && { totals: page.totals }),
        next_cursor: writeCursor(page.next),
      };
    },
  });
}

function toWireActivity({ posts, failed, lastPostedAt, recipients, read }: GroupActivity = NOTHING_POSTED) {
  return {
    posts,
    failed,
    last_posted_at: lastPostedAt?.toISOString() ?? null,
    recipients,
    read,
    read_rate: rate(read, recipients),
  };
}
