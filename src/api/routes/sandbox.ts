import { isCaption } from '../../content/text/caption.ts';
import type { ArrivedMessage } from '../../content/post/arrived-message.ts';
import { listMessages, type ListMessagesDeps } from '../../sending/groups/list-messages.ts';
import { simulateIncident } from '../../sending/groups/simulate-incident.ts';
import type { GroupDeps } from '../../sending/groups/sync-groups.ts';
import type { sandbox } from '../contract/sandbox.ts';
import type { Handlers } from '../operation.ts';
import { describeBallot } from './ballot-fields.ts';
import { readCursor, writeCursor } from './cursor.ts';

export const sandboxHandlers: Handlers<typeof sandbox, ListMessagesDeps & GroupDeps> = {
  async listMessages(deps, { body, actor }) {
    const { groupMetadataId: groupId, cursor, limit, withChanges: withRecalled } = body;
    const page = await listMessages(deps, actor, { groupId, after: readCursor(cursor) ?? 0, limit, withRecalled });
    const messages = page.messages.map((message) => ({ ...(withRecalled && message), ...describeMessage(message) }));
    return { messages, nextCursor: writeCursor(page.next) };
  },

  simulateIncident: (deps, { body: { groupMetadataId: groupId, ...body }, actor }) =>
    simulateIncident(deps, actor, { ...body, groupId }),
};

function describeMessage({ messageId, text, media, files, ballot, card, sentAt }: ArrivedMessage) {
  const [first = null] = files ?? [];
  const caption = isCaption(text, first) ? text : '';
  return {
    messageId,
    text,
    media,
    files: files?.map((file, index) => ({ ...file, caption: file.caption ?? (index === 0 ? caption : '') })),
    ...(ballot && describeBallot(ballot)),
    linkPreview: card,
    sentAt,
  };
}
