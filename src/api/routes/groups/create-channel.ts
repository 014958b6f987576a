import { createChannel } from '../../../sending/groups/create-channel.ts';
import type { GroupDeps } from '../../../sending/groups/sync-groups.ts';
import { createChannelBody, createChannelData } from '../../contract/groups.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { toNid } from './nid.ts';

/** A picture of 16 MiB in base64, and the rest. */
const PICTURE_LIMIT_BYTES = 23 * 1024 * 1024;

export function createChannelOperation(deps: GroupDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/create-channel',
    access: 'bearer',
    scope: 'send',
    tag: 'Groups',
    summary: 'Create a channel',
    body: createChannelBody,
    data: createChannelData,
    bodyLimitBytes: PICTURE_LIMIT_BYTES,
    shedFirst: true,
    errors: [409, 503, 507],
    requiresDiskSpace: true,
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
  });
}
