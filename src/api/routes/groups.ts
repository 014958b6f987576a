import { canonicalDigits, phoneDigits } from '../../platform/phone/phone-number.ts';
import { createChannel, haveCreated } from '../../sending/groups/create-groups.ts';
import { getInviteLink } from '../../sending/groups/get-invite-link.ts';
import { listGroups } from '../../sending/groups/list-groups.ts';
import type { GroupActivity } from '../../sending/groups/read-activity.ts';
import { updateGroup } from '../../sending/groups/update-group.ts';
import { syncGroups, type GroupDeps } from '../../sending/groups/sync-groups.ts';
import type { groups } from '../contract/groups.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { rate } from './rate.ts';

export const groupHandlers: Handlers<typeof groups, GroupDeps> = {
  async createChannel(deps, { body, actor, idempotencyKey }) {
    const { accountId, name, description, image = null } = body;
    const options = { accountId, key: idempotencyKey };
    const channel = await createChannel(deps, actor, { name, description, image }, options);
    return {
      resp: {
        title: channel.name,
        nid: toNid(channel.chatId),
        inviteLink: channel.inviteLink ?? '',
        createdAtTs: Math.floor(Date.parse(channel.createdAt) / 1_000),
      },
      groupMetadataId: channel.groupId,
    };
  },

  async createCommunity(deps, { body, actor, idempotencyKey }) {
    const { accountId, communityName: name, description, generalChat = false, membersMayAddGroups = false } = body;
    const community = { name, description, hasGeneralChat: generalChat, membersMayAddGroups };
    const options = { accountId, key: idempotencyKey };
    return nameGroup(await haveCreated(deps, actor, 'create_community', community, options));
  },

  async createGroup(deps, { body, actor, idempotencyKey }) {
    const { accountId, groupName: name, withNotAdded } = body;
    const numbers = body.participants.flatMap((number) => phoneDigits(number) ?? []);
    const participants = [...new Map(numbers.map((number) => [canonicalDigits(number), number])).values()];
    const options = { accountId, key: idempotencyKey };
    const group = await haveCreated(deps, actor, 'create_group', { name, participants }, options);
    const notAdded = group.notAdded.map(({ number, reason }) => ({ phoneNumber: `+${number}`, reason }));
    const added = { groupName: group.name, groupMetadataId: group.groupId };
    return withNotAdded ? { ...added, notAdded, inviteLink: group.inviteLink } : added;
  },

  async listGroups(deps, { body, actor }) {
    const { sortBy: by, descending, cursor } = body;
    const query = { ...body, sort: by && { by, descending }, after: readCursor(cursor) ?? 0 };
    const page = await listGroups(deps, actor, query);
    return {
      groups: page.groups.map((group) => ({
        ...describeGroup(group),
        metadata: body.withMetadata ? group.metadata : null,
        fields: page.fields?.get(group.groupId),
        activity: page.activity && describeActivity(page.activity.get(group.groupId)),
        accounts: page.ways && (page.ways.get(group.groupId) ?? []),
      })),
      totals: page.totals,
      nextCursor: writeCursor(page.next),
    };
  },

  updateGroup: (deps, { body: { groupMetadataId: groupId, ...own }, actor }) =>
    updateGroup(deps, actor, { groupId, ...own }),

  async getInviteLink(deps, { body, actor }) {
    const asked = { groupId: body.groupMetadataId, refresh: body.refresh ?? false };
    return { inviteLink: await getInviteLink(deps, actor, asked) };
  },

  syncGroups: (deps, { body, actor }) => syncGroups(deps, actor, body.accountId),
};

/** Returns a group under the names that the specification gives to its id and its name. */
export function nameGroup<Named extends { groupId: number; name: string }>(group: Named) {
  return { ...group, groupMetadataId: group.groupId, groupName: group.name };
}

/** A group as lists of groups have it. */
export function describeGroup<Listed extends { groupId: number; name: string; chatId: string }>(group: Listed) {
  return { ...nameGroup(group), nid: toNid(group.chatId) };
}

/** A chat's identifier, as the specification has it. */
function toNid(chatId: string) {
  const [user = '', server = ''] = chatId.split('@');
  return { server, user, _serialized: chatId };
}

const NO_ACTIVITY: GroupActivity = { posts: 0, lastPostedAt: null, failed: 0, recipients: 0, read: 0 };

function describeActivity(activity: GroupActivity = NO_ACTIVITY) {
  return { ...activity, readRate: rate(activity.read, activity.recipients) };
}
