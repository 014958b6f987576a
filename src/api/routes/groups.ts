import { phoneDigits } from '../../identity/phone-number.ts';
import { createChannel } from '../../sending/groups/create-channel.ts';
import { createCommunity } from '../../sending/groups/create-community.ts';
import { getInviteLink } from '../../sending/groups/get-invite-link.ts';
import { createGroup } from '../../sending/groups/create-group.ts';
import { listGroups } from '../../sending/groups/list-groups.ts';
import type { GroupActivity } from '../../sending/groups/read-activity.ts';
import type { Way } from '../../sending/groups/read-ways.ts';
import { syncGroups, type GroupDeps } from '../../sending/groups/sync-groups.ts';
import type { groups } from '../contract/groups.ts';
import type { Handlers } from '../operation.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { rate } from './rate.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export const groupHandlers: Handlers<typeof groups, GroupDeps> = {
  async createChannel(deps, { body, actor, idempotencyKey }) {
    const { name, description, image = null } = body;
    const options = { accountId: body.account_id as AccountId | undefined, key: idempotencyKey };
    const channel = await createChannel(deps, actor, { name, description, image }, options);
    return {
      resp: {
        title: channel.name,
        nid: toNid(channel.chatId),
        inviteLink: channel.inviteLink ?? '',
        createdAtTs: Math.floor(Date.parse(channel.createdAt) / 1_000),
      },
      group_metadata_id: channel.groupId,
    };
  },

  async createCommunity(deps, { body, actor, idempotencyKey }) {
    const community = {
      name: body.community_name,
      description: body.description,
      hasGeneralChat: body.general_chat ?? false,
      membersMayAddGroups: body.members_may_add_groups ?? false,
    };
    const options = { accountId: body.account_id as AccountId | undefined, key: idempotencyKey };
    const { name, groupId } = await createCommunity(deps, actor, community, options);
    return { group_name: name, group_metadata_id: groupId };
  },

  async createGroup(deps, { body, actor, idempotencyKey }) {
    const participants = body.participants.flatMap((number) => phoneDigits(number) ?? []);
    const options = { accountId: body.account_id as AccountId | undefined, key: idempotencyKey };
    const group = await createGroup(deps, actor, { name: body.group_name, participants }, options);
    return {
      group_name: group.name,
      group_metadata_id: group.groupId,
      ...(body.with_not_added && {
        not_added: group.notAdded.map(({ number, reason }) => ({ phone_number: `+${number}`, reason })),
        invite_link: group.inviteLink,
      }),
    };
  },

  async listGroups(deps, { body, actor }) {
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
      withAccounts: body.with_accounts,
    });
    return {
      groups: page.groups.map((group) => ({
        ...toWireGroup(group),
        ...(page.activity && { activity: toWireActivity(page.activity.get(group.groupId)) }),
        ...(page.ways && { accounts: (page.ways.get(group.groupId) ?? []).map(toWireAccount) }),
      })),
      ...(page.totals && { totals: page.totals }),
      next_cursor: writeCursor(page.next),
    };
  },

  async getInviteLink(deps, { body, actor }) {
    const asked = { groupId: body.group_metadata_id, refresh: body.refresh ?? false };
    return { invite_link: await getInviteLink(deps, actor, asked) };
  },

  async syncGroups(deps, { body, actor }) {
    const { accountId, ...counts } = await syncGroups(deps, actor, body.account_id as AccountId | undefined);
    return { account_id: accountId, ...counts };
  },
};

interface ListedGroup {
  groupId: number;
  name: string;
  kind: 'group' | 'community' | 'channel';
  chatId: string;
  participants: number;
  inviteLink: string | null;
  canSend: boolean;
}

/** A group as the wire has it. */
export function toWireGroup(group: ListedGroup) {
  return {
    group_metadata_id: group.groupId,
    group_name: group.name,
    kind: group.kind,
    nid: toNid(group.chatId),
    participants: group.participants,
    invite_link: group.inviteLink,
    can_send: group.canSend,
  };
}

/** A chat's identifier as the wire has it. */
function toNid(chatId: string) {
  const [user = '', server = ''] = chatId.split('@');
  return { server, user, _serialized: chatId };
}

function toWireAccount({ accountId, canSend, isAdmin, seenAt, isSender }: Way) {
  return {
    account_id: accountId,
    can_send: canSend,
    is_admin: isAdmin,
    seen_at: seenAt.toISOString(),
    is_sender: isSender,
  };
}

const NO_ACTIVITY: GroupActivity = {
  posts: 0,
  lastPostedAt: null,
  failed: 0,
  recipients: 0,
  read: 0,
};

function toWireActivity({ posts, failed, lastPostedAt, recipients, read }: GroupActivity = NO_ACTIVITY) {
  return {
    posts,
    failed,
    last_posted_at: lastPostedAt?.toISOString() ?? null,
    recipients,
    read,
    read_rate: rate(read, recipients),
  };
}
