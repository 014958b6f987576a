/** Answers to posts, with what they say: a 👍, or a reply with a text. They decide on posts in a review group. */
import { REMARK_LIMIT, type MemberEvent } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { isGroup } from '../client/jid.ts';
import { unwrapMessage, type Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import { postIdsOf } from '../send/split-post.ts';
import { completeIds, identify, type Known } from './identify.ts';
import { isOwn, readIds } from './participants.ts';
import { findQuote, idsOf, instantOf, isMessageId } from './read-member-actions.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** In any skin tone, and with or without the selector for a picture. */
const THUMBS_UP = /^👍[\u{1F3FB}-\u{1F3FF}]?\uFE0F?$/u;

/**
 * Returns the answer in a message of a group; none for any other message. `message` is decrypted as far as it can be. Answers of the
 * account's own phone count too: it is often an approver's.
 */
export async function readAnswer(
  client: Client,
  { accountId, cachedGroup }: Pick<Known, 'cachedGroup'> & { accountId: AccountId },
  { attrs }: Node,
  message: Message,
): Promise<MemberEvent[]> {
  const { from: chatId = '', participant: sender, t } = attrs;
  const named = readIds(idsOf(sender, attrs));
  if (!isGroup(chatId) || !named) return [];
  const answer = findAnswer(message, chatId);
  if (!answer) return [];
  const { messageId, remark } = answer;
  const known = { client, cachedGroup };
  const { participant } = await identify(known, chatId, named);
  const own = isOwn(client, named) ? readIds([client.me?.id])?.number : undefined;
  const number = own ?? (await completeIds(known, chatId, named)).number;
  const messageIds = [messageId, ...postIdsOf(messageId)];
  return [{ kind: 'answered', accountId, messageIds, participant, number, remark, at: instantOf(t) }];
}

function findAnswer(message: Message, chatId: string): { messageId: string; remark: string | null } | undefined {
  const content = unwrapMessage(message);
  if (!content) return undefined;
  const { reactionMessage: reaction } = content;
  if (reaction) {
    const messageId = reaction.key?.id;
    return isMessageId(messageId) && THUMBS_UP.test(reaction.text ?? '') ? { messageId, remark: null } : undefined;
  }
  const quote = findQuote(content, chatId);
  // PostgreSQL takes neither NUL nor half of a surrogate pair.
  const remark = quote?.text.replaceAll('\0', '').trim().slice(0, REMARK_LIMIT).toWellFormed() ?? '';
  return quote && isMessageId(quote.messageId) && remark !== '' ? { messageId: quote.messageId, remark } : undefined;
}
