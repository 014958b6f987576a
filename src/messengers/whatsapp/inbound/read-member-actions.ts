/** Reads receipts, reactions, replies and comments out of stanzas. Pure; malformed ones are ignored. */
import { isGroup } from '../client/jid.ts';
import { unwrapMessage, type ContextInfo, type Message, type MessageKey } from '../client/message.ts';
import { childrenOf, type Node } from '../client/node.ts';

export interface MemberAction {
  kind: 'delivered' | 'read' | 'reacted' | 'replied';
  messageIds: string[];
  chatId: string;
  /** One or two ids of the member. */
  who: string[];
  /** An id of the author of the post, if the message names it. */
  author?: string | undefined;
  at: Date;
}

/** By the `type` of a receipt. Other types are about decryption, or between the account's own devices. */
const KINDS: ReadonlyMap<string, 'delivered' | 'read'> = new Map([
  ['', 'delivered'],
  ['inactive', 'delivered'],
  ['read', 'read'],
  ['played', 'read'],
]);

/** The receipts in one stanza: of one participant for one or several posts, or of several for one. */
export function readReceipts(stanza: Node): MemberAction[] {
  const { id, from: chatId = '', participant, type = '', t } = stanza.attrs;
  const kind = KINDS.get(type);
  if (!kind || !isGroup(chatId)) return [];
  const gathered = childrenOf(stanza, 'participants').flatMap((posts) =>
    childrenOf(posts, 'user').map(({ attrs }) => ({
      ids: [posts.attrs['key']],
      who: idsOf(attrs['jid'], attrs),
      at: instantOf(attrs['t'] ?? t),
    })),
  );
  const more = childrenOf(stanza, 'list').flatMap((list) => childrenOf(list, 'item'));
  const single = { ids: [id, ...more.map(({ attrs }) => attrs['id'])], who: idsOf(participant, stanza.attrs) };
  const all = gathered.length > 0 ? gathered : [{ ...single, at: instantOf(t) }];
  return all.flatMap(({ ids, who, at }) => {
    const messageIds = ids.filter(isMessageId);
    return messageIds.length > 0 && who.length > 0 ? [{ kind, messageIds, chatId, who, at }] : [];
  });
}

/** Reads a message in a group as a reaction or a reply to an earlier post. */
export function readMessage(stanza: Node, message: Message): MemberAction[] {
  const { from: chatId = '', participant, t } = stanza.attrs;
  const who = idsOf(participant, stanza.attrs);
  const content = unwrapMessage(message);
  if (!isGroup(chatId) || who.length === 0 || !content) return [];
  const about = (kind: MemberAction['kind'], key: MessageKey | null | undefined): MemberAction[] => {
    if (!isMessageId(key?.id)) return [];
    const author = (key.fromMe ? participant : key.participant) ?? undefined;
    return [{ kind, messageIds: [key.id], chatId, who, author, at: instantOf(t) }];
  };
  const { reactionMessage, encReactionMessage, commentMessage, encCommentMessage } = content;
  // A removed reaction has no text. It stays counted.
  if (reactionMessage) return reactionMessage.text ? about('reacted', reactionMessage.key) : [];
  // An encrypted reaction that could not be decrypted still names its post. Comments need no decryption: each is a reply.
  if (encReactionMessage) return about('reacted', encReactionMessage.targetMessageKey);
  const comment = commentMessage ?? encCommentMessage;
  if (comment) return about('replied', comment.targetMessageKey);
  const quote = findQuote(content, chatId);
  return about('replied', quote && { id: quote.messageId, participant: quote.author ?? null });
}

/** A message that quotes another one. */
interface Quote {
  /** Of the quoted message. */
  messageId: string;
  /** Of the quoted message. Undefined: it does not say. */
  author: string | undefined;
  /** Its own text or caption; empty: it has none. */
  text: string;
}

/** Returns how a message quotes another one of this chat; undefined if it does not. */
export function findQuote(content: Message, chatId: string): Quote | undefined {
  for (const part of Object.values(content) as unknown[]) {
    if (typeof part !== 'object' || part === null || !('contextInfo' in part)) continue;
    const { contextInfo, text, caption } = part as { contextInfo?: ContextInfo; text?: unknown; caption?: unknown };
    const { stanzaId, remoteJid, participant } = contextInfo ?? {};
    if (!stanzaId || (remoteJid && remoteJid !== chatId)) continue;
    const said = [text, caption].find((one) => typeof one === 'string') ?? '';
    return { messageId: stanzaId, author: participant ?? undefined, text: said };
  }
  return undefined;
}

/** The form of all ids in the ledger. */
export function isMessageId(id: string | null | undefined): id is string {
  return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id);
}

/** All ids of the person with this JID that the attributes contain. */
export function idsOf(jid: string | undefined, attributes: Node['attrs']): string[] {
  return [jid, attributes['participant_lid'], attributes['participant_pn']].filter((one) => one !== undefined);
}

/** From seconds since 1970; an implausible value becomes now. */
export function instantOf(seconds: string | undefined): Date {
  const ms = Number(seconds) * 1_000;
  const nowMs = Date.now();
  return new Date(ms > FIRST_MS && ms < nowMs + DAY_MS ? ms : nowMs);
}

const DAY_MS = 24 * 60 * 60_000;
const FIRST_MS = Date.UTC(2009, 0);
