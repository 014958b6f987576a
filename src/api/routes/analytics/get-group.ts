import { readGroup, type GroupPost } from '../../../sending/analytics/read-group.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { getGroupBody, getGroupData } from '../../contract/get-group.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toNid } from '../groups/nid.ts';
import { rate } from '../rate.ts';

export function getGroupOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/analytics/get-group',
    access: 'bearer',
    scope: 'read',
    tag: 'Analytics',
    summary: 'Get one group with its posts, what is planned for it, and how many were in it',
    body: getGroupBody,
    data: getGroupData,
    errors: [404],
    async handle({ body, actor }) {
      const { group_metadata_id: groupId, days } = body;
      const { group, groupLists, posts, planned, members } = await readGroup(deps, actor, { groupId, days });
      return {
        group: {
          group_metadata_id: group.groupId,
          group_name: group.name,
          kind: group.kind,
          nid: toNid(group.chatId),
          participants: group.participants,
          invite_link: group.inviteLink,
          can_send: group.canSend,
          removed_at: group.removedAt?.toISOString() ?? null,
        },
        group_lists: groupLists.map((list) => ({ group_list_id: list.groupListId, name: list.name })),
        totals: addUp(posts),
        posts: posts.map(({ campaignId, runId, at, ...post }) => ({
          campaign_id: campaignId,
          run_id: runId,
          at: at.toISOString(),
          ...post,
          read_rate: rate(post.read, post.recipients),
        })),
        planned: planned.map((run) => ({
          campaign_id: run.campaignId,
          name: run.name,
          campaign_status: run.campaignStatus,
          run_id: run.runId,
          due_at: run.dueAt.toISOString(),
        })),
        members,
      };
    },
  });
}

function addUp(posts: readonly GroupPost[]) {
  const add = (pick: (post: GroupPost) => number) => posts.reduce((sum, post) => sum + pick(post), 0);
  const [recipients, read] = [add((post) => post.recipients), add((post) => post.read)];
  return {
    posts: add((post) => post.sent),
    failed: add((post) => post.failed),
    recipients,
    read,
    read_rate: rate(read, recipients),
  };
}
