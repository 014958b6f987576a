/** Deletes a post for everyone, or edits it, as far as WhatsApp's windows allow (contract §4). */
import { generateMessageIDV2, isJidNewsletter, proto } from 'baileys';
import type { PostChange, RevisionResult, SendResult, SentPost } from '../messenger.ts';
import { refusalOf } from './failures.ts';
import { relay, toResult } from './relay.ts';
import { startAnew, takePlace, type Sending } from './send.ts';

export interface Revising extends Sending {
  /** By the database's clock, which also says when a post was sent. */
  now: Date;
  /** What was sent under this id; undefined: it is no longer kept. */
  recall(post: SentPost): Promise<Buffer | undefined>;
  /** Nobody gets the post again who asks for it. */
  drop(post: SentPost): Promise<void>;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** How long after it was sent WhatsApp takes a change of a post. */
const WINDOWS = {
  recall: { group: { ms: 60 * HOUR_MS, words: '60 hours' }, channel: { ms: 30 * DAY_MS, words: '30 days' } },
  correct: { group: { ms: 15 * MINUTE_MS, words: '15 minutes' }, channel: { ms: 30 * DAY_MS, words: '30 days' } },
} as const;
/** The marks on the outside of a change: by its sender in a group, by an admin in a channel. */
const MARKS = { recall: { group: '7', channel: '8' }, correct: { group: '1', channel: '3' } } as const;
const LONGEST_CAPTION = 1_024;
const GONE = 404;
const RETRY_MS = 5_000;

export async function revisePost(revising: Revising, change: PostChange, post: SentPost): Promise<RevisionResult> {
  const late = tooLate(change.kind, post, revising.now);
  if (late !== undefined) return refused(late);
  try {
    const text = change.kind === 'correct' ? change.post.text : undefined;
    const content = text === undefined ? undefined : await rewrite(revising, post, text);
    if (content === 'too long')
      return refused(`Below a file WhatsApp shows ${LONGEST_CAPTION} characters at most: this text is longer`);
    const result = isJidNewsletter(post.chatId)
      ? await reviseInChannel(revising, post, content)
      : await reviseInGroup(revising, post, content);
    if (result.kind === 'done' && change.kind === 'recall') await forget(revising, post);
    return result;
  } catch (error) {
    const code = refusalOf(error);
    if (code !== undefined) return toRevision(toResult(revising, code));
    revising.log.warn({ err: error, messageId: post.messageId }, 'a change of a post was not tried');
    return { kind: 'offline', reason: 'The account could not be asked', restMs: RETRY_MS };
  }
}

/** Whoever could not read it, and asks for it again, must not get it now: neither from here, nor out of the client's memory. */
async function forget({ client, drop }: Revising, post: SentPost): Promise<void> {
  client.messageRetryManager?.markRetryFailed(post.messageId);
  await drop(post);
}

/** Why it is too late; undefined: it is not, or it is not known when the post left. */
function tooLate(kind: PostChange['kind'], { chatId, sentAt }: SentPost, now: Date): string | undefined {
  const { group, channel } = WINDOWS[kind];
  const window = isJidNewsletter(chatId) ? channel : group;
  if (!sentAt || now.getTime() - sentAt.getTime() <= window.ms) return undefined;
  const what = kind === 'recall' ? 'be deleted for everyone' : 'be changed';
  return `Too late: WhatsApp lets a post ${what} for ${group.words}, in a channel for ${channel.words}. Send another post that puts it right`;
}

/** The post with another text, or caption where it has a file. */
async function rewrite({ recall }: Revising, post: SentPost, text: string): Promise<proto.IMessage | 'too long'> {
  const bytes = await recall(post);
  const sent: proto.IMessage = bytes ? proto.Message.decode(bytes) : {};
  const { imageMessage, videoMessage, documentMessage } = sent;
  if (!imageMessage && !videoMessage && !documentMessage) return { extendedTextMessage: { text } };
  if (text.length > LONGEST_CAPTION) return 'too long';
  if (imageMessage) return { imageMessage: { ...imageMessage, caption: text } };
  if (videoMessage) return { videoMessage: { ...videoMessage, caption: text } };
  return { documentMessage: { ...documentMessage, caption: text } };
}

/** A change is a message of its own to all who have the post; `content` is what it shall say, undefined: nothing. */
async function reviseInGroup(
  revising: Revising,
  { chatId, messageId }: SentPost,
  content: proto.IMessage | undefined,
): Promise<RevisionResult> {
  const { client } = revising;
  const group = await revising.groupOf(chatId);
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
  const key = { remoteJid: chatId, fromMe: true, id: messageId };
  const message: proto.IMessage = {
    protocolMessage: content
      ? { key, type: MESSAGE_EDIT, editedMessage: content, timestampMs: Date.now() }
      : { key, type: REVOKE },
  };
  // Another id each time: under one that it has seen a phone would pass over what may be another change.
  const id = generateMessageIDV2(client.user?.id);
  await revising.remember({ messageId: id, chatId, message: proto.Message.encode(message).finish() });
  const giveBack = await takePlace(revising, group);
  try {
    const edit = MARKS[content ? 'correct' : 'recall'].group;
    const result = await relay(revising, { messageId: id, recipients: 0 }, () =>
      client.relayMessage(chatId, message, { messageId: id, additionalAttributes: { edit } }),
    );
    if (result.kind !== 'sent') await startAnew(revising, chatId);
    return toRevision(result);
  } finally {
    giveBack();
  }
}

/** In a channel a change takes the id of the post, and brings what it shall say instead. */
async function reviseInChannel(
  revising: Revising,
  { chatId, messageId }: SentPost,
  content: proto.IMessage | undefined,
): Promise<RevisionResult> {
  const mediaType = content && mediaTypeOf(content);
  const plain = {
    tag: 'plaintext',
    attrs: { ...(mediaType !== undefined && { mediatype: mediaType }) },
    ...(content && { content: proto.Message.encode(content).finish() }),
  };
  const type = mediaType === undefined ? 'text' : 'media';
  const edit = MARKS[content ? 'correct' : 'recall'].channel;
  let isGone = false;
  const onRefused = (code: number) => (isGone = code === GONE);
  const result = await relay(revising, { messageId, recipients: 0, onRefused }, () =>
    revising.client.sendNode({ tag: 'message', attrs: { to: chatId, id: messageId, type, edit }, content: [plain] }),
  );
  return isGone ? { kind: 'absent', reason: 'The post is not there any more' } : toRevision(result);
}

function mediaTypeOf({ imageMessage, videoMessage, documentMessage }: proto.IMessage): string | undefined {
  if (imageMessage) return 'image';
  if (videoMessage) return 'video';
  return documentMessage ? 'document' : undefined;
}

/** What becomes of a change is told as it is of a post. */
function toRevision(result: SendResult): RevisionResult {
  return result.kind === 'sent' ? { kind: 'done' } : result;
}

function refused(reason: string): RevisionResult {
  return { kind: 'refused', reason, final: true };
}
