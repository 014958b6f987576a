import { createChannel } from '../../groups/create-channel.ts';
import { createCommunity } from '../../groups/create-community.ts';
import { createGroup } from '../../groups/create-group.ts';
import { listGroups } from '../../groups/list-groups.ts';
import { listMessages, type ArrivedMessage, type ListMessagesDeps } from '../../groups/list-messages.ts';
import type { GroupActivity } from '../../groups/read-activity.ts';
import { syncGroups, type GroupDeps } from '../../groups/sync-groups.ts';
import { updateAccount } from '../../accounts/update-account.ts';
import { phoneDigits } from '../../users/phone-number.ts';
import { nothing } from '../contract/fields.ts';
import * as wire from '../contract/groups.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { defineOperation, type Operation } from '../operation.ts';

const NOTHING_POSTED: GroupActivity = { posts: 0, lastPostedAt: null, recipients: 0, read: 0 };
/** A picture of 16 MiB in base64, and the rest. */
const PICTURE_LIMIT_BYTES = 23 * 1024 * 1024;

export function groupOperations(deps: GroupDeps & ListMessagesDeps & { timeZone: string }): Operation[] {
  return [
    defineOperation({
      path: '/api/v1/venom/create-channel',
      access: 'bearer',
      scope: 'send',
      tag: 'Groups',
      summary: 'Create a channel',
      body: wire.createChannelBody,
      data: wire.createChannelData,
      bodyLimitBytes: PICTURE_LIMIT_BYTES,
      isHeavy: true,
      errors: [409, 503],
      idempotent: true,
      async handle({ body, actor, idempotencyKey }) {
        const { name, description, image = null } = body;
        const channel = await createChannel(deps, actor, { name, description, image }, idempotencyKey);
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
    }),
    defineOperation({
      path: '/api/v1/venom/create-community',
      access: 'bearer',
      scope: 'send',
      tag: 'Groups',
      summary: 'Create a community',
      description: 'A campaign sent to a community goes to its announcement group.',
      body: wire.createCommunityBody,
      data: wire.createdGroupData,
      errors: [409, 503],
      idempotent: true,
      async handle({ body, actor, idempotencyKey }) {
        const community = { name: body.community_name, description: body.description };
        const { name, groupId } = await createCommunity(deps, actor, community, idempotencyKey);
        return { group_name: name, group_metadata_id: groupId };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/create-group',
      access: 'bearer',
      scope: 'send',
      tag: 'Groups',
      summary: 'Create a group',
      body: wire.createGroupBody,
      data: wire.createdGroupData,
      errors: [409, 503],
      idempotent: true,
      async handle({ body, actor, idempotencyKey }) {
        const participants = body.participants.flatMap((number) => phoneDigits(number) ?? []);
        const { name, groupId } = await createGroup(
          deps,
          actor,
          { name: body.group_name, participants },
          idempotencyKey,
        );
        return { group_name: name, group_metadata_id: groupId };
      },
    }),
    defineOperation({
      path: '/api/v1/venom/list-groups',
      access: 'bearer',
      scope: 'read',
      tag: 'Groups',
      summary: 'List your groups, communities and channels',
      body: wire.listGroupsBody,
      data: wire.listGroupsData,
      errors: [404, 503],
      async handle({ body, caller }) {
        const { kind, search, limit, group_list_id: groupListId, with_activity: withActivity } = body;
        const after = readCursor(body.cursor) ?? 0;
        const page = await listGroups(deps, caller.userId, { kind, search, groupListId, limit, after, withActivity });
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
    }),
    defineOperation({
      path: '/api/v1/venom/sync-groups',
      access: 'bearer',
      scope: 'send',
      tag: 'Groups',
      summary: 'Read your groups anew from the messaging application',
      body: nothing,
      data: wire.syncGroupsData,
      errors: [409, 503],
      handle: ({ caller }) => syncGroups(deps, caller.userId),
    }),
    defineOperation({
      path: '/api/v1/venom/update-account',
      access: 'bearer',
      scope: 'send',
      tag: 'Account',
      summary: 'Set quiet hours and a daily cap',
      description:
        'Both are off unless set. What would be sent meanwhile waits, and nothing is lost by waiting but what the delivery rules give up anyway: what of a run has not been sent when the campaign’s next run falls due, and what of it could not be sent for 24 hours. With an empty body it answers what holds now.',
      body: wire.updateAccountBody,
      data: wire.updateAccountData,
      errors: [],
      async handle({ body, actor }) {
        const offOr = <Rule>(rule: Rule | 'none' | undefined) => (rule === 'none' ? null : rule);
        const change = { quietHours: offOr(body.quiet_hours), dailyCap: offOr(body.daily_cap) };
        const { quietHours, dailyCap, timeZone, sentToday, until } = await updateAccount(deps, actor, change);
        return {
          quiet_hours: quietHours,
          daily_cap: dailyCap,
          time_zone: timeZone,
          sent_today: sentToday,
          rests_until: until?.toString() ?? null,
        };
      },
    }),
    defineOperation({
      path: '/api/v1/sandbox/list-messages',
      access: 'bearer',
      scope: 'read',
      tag: 'Sandbox',
      summary: 'See what the members of a sandbox group see',
      description: 'Oldest first, and only posts of the account.',
      body: wire.listMessagesBody,
      data: wire.listMessagesData,
      errors: [404],
      async handle({ body, caller }) {
        const page = await listMessages(deps, caller.userId, {
          groupId: body.group_metadata_id,
          after: readCursor(body.cursor) ?? 0,
          limit: body.limit,
          withRecalled: body.with_changes,
        });
        const toWire = body.with_changes ? toChangedMessage : toWireMessage;
        return { messages: page.messages.map(toWire), next_cursor: writeCursor(page.next) };
      },
    }),
  ];
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

function toNid(chatId: string) {
  const [user = '', server = ''] = chatId.split('@');
  return { server, user, _serialized: chatId };
}

function toWireMessage(message: ArrivedMessage) {
  return {
    message_id: message.messageId,
    text: message.text,
    media: message.media,
    sent_at: message.sentAt.toISOString(),
  };
}

function toChangedMessage(message: ArrivedMessage) {
  return {
    ...toWireMessage(message),
    recalled_at: message.recalledAt?.toISOString() ?? null,
    corrected_at: message.correctedAt?.toISOString() ?? null,
  };
}
