/** Deletes a post for everyone, or edits it (contract §4). What comes too late is not asked for: WhatsApp would not say so. */
import { randomBytes } from 'node:crypto';
import type { PostChange, RevisionResult, SentPost } from '../../messenger.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { isChannel } from '../client/jid.ts';
import { decodeMessage, encodeMessage, MESSAGE_EDIT, REVOKE, type Message } from '../client/message.ts';
import { withSecret } from '../connect/message-secret.ts';
import { mediaTypeOf } from './encode-part.ts';
import { refused, relay, toResult, type RelayResult } from './relay.ts';
import { sendToMembers } from './send-to-members.ts';
import type { Sending } from './sending.ts';
import { fileIdOf, LONGEST_CAPTION } from './split-post.ts';

export interface Revising extends Sending {
  /** What was sent under this id; undefined: it is no longer kept. */
  recall(post: SentPost): Promise<Buffer | undefined>;
}

/** The marks on the outside of a change: by its sender in a group, by an admin in a channel. */
const MARKS = { recall: { group: '7', channel: '8' }, correct: { group: '1', channel: '3' } } as const;
const GONE = 404;
const RETRY_MS = 5_000;

export async function revisePost(revising: Revising, change: PostChange, post: SentPost): Promise<RevisionResult> {
  try {
    return change.kind === 'recall' ? await recallAll(revising, post) : await correct(revising, change, post);
  } catch (error) {
    const code = rejectionCodeOf(error);
    if (code !== undefined) return toRevision(toResult(revising, code));
    revising.log.warn({ err: error, messageId: post.messageId }, 'a change of a post was not tried');
    return { kind: 'offline', reason: 'The account could not be asked', cooldownMs: RETRY_MS };
  }
}

/** The file that went ahead of a text has an id of its own, and goes first here too: the text proves that both are gone. */
async function recallAll(revising: Revising, post: SentPost): Promise<RevisionResult> {
  const file = { ...post, messageId: fileIdOf(post.messageId) };
  const parts = (await revising.isRemembered(file)) ? [file, post] : [post];
  let last: RevisionResult = { kind: 'done' };
  for (const part of parts) {
    // Whoever could not read it, and asks for it again, must not get it now.
    const letGo = revising.holds.hold(part.messageId);
    try {
      last = await reviseOne(revising, part, undefined);
      if (last.kind !== 'done' && last.kind !== 'absent') return last;
      await revising.drop(part);
    } finally {
      letGo();
    }
  }
  return last;
}

async function correct(
  revising: Revising,
  { post: now }: Extract<PostChange, { kind: 'correct' }>,
  post: SentPost,
): Promise<RevisionResult> {
  const bytes = await revising.recall(post);
  if (!bytes && now.media)
    return refused('How its file was sent is no longer known: send another post that puts it right');
  const content = rewrite(bytes, now.text);
  if (content === undefined)
    return refused(`Below a file WhatsApp shows ${LONGEST_CAPTION} characters at most: this text is longer`);
  return reviseOne(revising, post, content);
}

/** `content` is what the message shall say, undefined: nothing. */
function reviseOne(revising: Revising, post: SentPost, content: Message | undefined): Promise<RevisionResult> {
  return isChannel(post.chatId) ? reviseInChannel(revising, post, content) : reviseInGroup(revising, post, content);
}

/** The post with another text, or caption where it has a file; undefined: too long for one. */
function rewrite(bytes: Buffer | undefined, text: string): Message | undefined {
  const sent: Message = bytes ? decodeMessage(bytes) : {};
  const { imageMessage, videoMessage, documentMessage } = sent;
  if (!imageMessage && !videoMessage && !documentMessage)
    return { extendedTextMessage: { ...sent.extendedTextMessage, text } };
  if (text.length > LONGEST_CAPTION) return undefined;
  if (imageMessage) return { imageMessage: { ...imageMessage, caption: text } };
  if (videoMessage) return { videoMessage: { ...videoMessage, caption: text } };
  return { documentMessage: { ...documentMessage, caption: text } };
}

/** A change is a message of its own to all who have the post. */
async function reviseInGroup(
  revising: Revising,
  { chatId, messageId }: SentPost,
  content: Message | undefined,
): Promise<RevisionResult> {
  const { client } = revising;
  const key = { remoteJid: chatId, fromMe: true, id: messageId };
  const message: Message = {
    protocolMessage: content
      ? { key, type: MESSAGE_EDIT, editedMessage: content, timestampMs: Date.now() }
      : { key, type: REVOKE },
  };
  // Another id each time: under one that it has seen a phone would pass over what may be another change.
  const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
  await revising.remember({ messageId: id, chatId, message: encodeMessage(message) });
  const attributes = { edit: MARKS[content ? 'correct' : 'recall'].group };
  const sealed = withSecret(client, message, id);
  return toRevision(
    await sendToMembers(revising, { chatId, messageId: id, message: sealed, attributes, recipients: 0 }),
  );
}

/** In a channel a change takes the id of the post, and brings what it shall say instead. */
async function reviseInChannel(
  revising: Revising,
  { chatId, messageId }: SentPost,
  content: Message | undefined,
): Promise<RevisionResult> {
  const mediaType = content && !content.extendedTextMessage ? mediaTypeOf(content) : undefined;
  const plain = {
    tag: 'plaintext',
    attrs: { ...(mediaType !== undefined && { mediatype: mediaType }) },
    ...(content && { content: encodeMessage(content) }),
  };
  const type = mediaType === undefined ? 'text' : 'media';
  const edit = MARKS[content ? 'correct' : 'recall'].channel;
  let isGone = false;
  const onRejected = (code: number) => (isGone = code === GONE);
  const result = await relay(revising, { messageId, recipients: 0, onRejected }, () =>
    revising.client.sendNode({ tag: 'message', attrs: { to: chatId, id: messageId, type, edit }, content: [plain] }),
  );
  return isGone ? { kind: 'absent', reason: 'The post is not there any more' } : toRevision(result);
}

/** What becomes of a change is told as it is of a post. */
function toRevision(result: RelayResult): RevisionResult {
  return result.kind === 'sent' ? { kind: 'done' } : result;
}
