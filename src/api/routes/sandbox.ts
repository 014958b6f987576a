import type { ArrivedFile, ArrivedMessage } from '../../content/post/arrived-message.ts';
import { listMessages, type ListMessagesDeps } from '../../sending/groups/list-messages.ts';
import { simulateIncident } from '../../sending/groups/simulate-incident.ts';
import type { GroupDeps } from '../../sending/groups/sync-groups.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import type { sandbox } from '../contract/sandbox.ts';
import type { Handlers } from '../operation.ts';
import { toWireBallot } from './ballot-fields.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const sandboxHandlers: Handlers<typeof sandbox, ListMessagesDeps & GroupDeps> = {
  async listMessages(deps, { body, actor }) {
    const page = await listMessages(deps, actor, {
      groupId: body.group_metadata_id,
      after: readCursor(body.cursor) ?? 0,
      limit: body.limit,
      withRecalled: body.with_changes,
    });
    const toWire = body.with_changes ? toChangedMessage : toWireMessage;
    return { messages: page.messages.map(toWire), next_cursor: writeCursor(page.next) };
  },

  async simulateIncident(deps, { body, actor }) {
    const { account_id, action, group_metadata_id: groupId } = body;
    const wanted = { accountId: account_id as AccountId | undefined, action, groupId };
    const { accountId, status } = await simulateIncident(deps, actor, wanted);
    return { account_id: accountId, status };
  },
};

function toWireMessage(message: ArrivedMessage) {
  return {
    message_id: message.messageId,
    text: message.text,
    media: message.media,
    ...(message.files && { files: message.files.map((file, index) => toWireFile(file, index, message.text)) }),
    ...(message.ballot && toWireBallot(message.ballot)),
    link_preview: message.card,
    sent_at: message.sentAt.toISOString(),
  };
}

function toWireFile({ fileName, caption, ...file }: ArrivedFile, index: number, text: string) {
  return { ...file, file_name: fileName, caption: caption ?? (index === 0 ? text : '') };
}

function toChangedMessage(message: ArrivedMessage) {
  return {
    ...toWireMessage(message),
    mentions_all: message.mentionsAll,
    quoted_message_id: message.quotedMessageId,
    pinned_until: message.pinnedUntil?.toISOString() ?? null,
    recalled_at: message.recalledAt?.toISOString() ?? null,
    corrected_at: message.correctedAt?.toISOString() ?? null,
  };
}
