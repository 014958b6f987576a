/** Deletes a post for everyone, edits it, or pins it (contract §4). Late revisions are not requested: WhatsApp would not reject them. */
import type { Post, PostChange, RevisionResult, SentPost, SendResult } from '../../messenger.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { isAdmin, mayPin } from '../chats/groups.ts';
import { isChannel } from '../client/jid.ts';
import {
  decodeMessage,
  encodeMessage,
  MESSAGE_EDIT,
  REVOKE,
  type Message,
  PIN_FOR_ALL,
  UNPIN_FOR_ALL,
  type MessageKey,
} from '../client/message.ts';
import { REACHOUT_LOCKED } from '../failures.ts';
import { describeFailure, type Failure } from '../../../platform/errors/failures.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { NotUploadedError } from '../files/upload-cache.ts';
import { mentionsAll } from './context-info.ts';
import { ballotOf } from './encode-ballot.ts';
import { describeType, encodePart } from './encode-part.ts';
import { refused, relay, toResult } from './relay.ts';
import type { Revising } from './revising.ts';
import { uploadPart } from './upload-part.ts';
import { CAPTION_LIMIT } from '../../../content/text/caption.ts';
import { firstFileIdOf, partIdsOf, splitIds, type PostPart } from './split-post.ts';
import { lidName, numberName } from '../inbound/participants.ts';
import { addressingOf } from './sender-key.ts';
import { randomBytes } from 'node:crypto';
import { editedIn, withSecret } from '../connect/message-secret.ts';
import { sendToMembers } from './send-to-members.ts';
import type { Sending } from './sending.ts';

/** The attribute `edit`: of the sender's change in a group, of an admin's in a channel. */
const EDIT = { recall: { group: '7', channel: '8' }, correct: { group: '1', channel: '3' } } as const;
const DELETED_BY_ADMIN = '8';
const GONE = 404;
const RETRY_MS = 5_000;

export async function revisePost(revising: Revising, change: PostChange, post: SentPost): Promise<RevisionResult> {
  try {
    const group = post.sentBy && (await revising.chats.group(post.chatId));
    if (group && !isAdmin(revising.client, group))
      return refused(describeFailure('recall_by_admins'), { isAccessDenied: true });
    if (change.kind === 'recall') return await recallAll(revising, change, post);
    return change.kind === 'correct' ? await correct(revising, change, post) : await pinPost(revising, change, post);
  } catch (error) {
    if (error instanceof NotUploadedError) return toRevision(error.result);
    const code = rejectionCodeOf(error);
    if (code === REACHOUT_LOCKED) {
      revising.warn();
      return { kind: 'refused', ...describeFailure('chats_locked'), final: false };
    }
    if (code !== undefined) return toRevision(toResult(revising, code));
    revising.log.warn({ err: error, messageId: post.messageId }, 'a change of a post was not tried');
    return { kind: 'offline', reason: 'The account could not be asked', cooldownMs: RETRY_MS };
  }
}

/** The other messages of a post are deleted first: the last one proves that all are gone. */
async function recallAll(
  revising: Revising,
  { post: content }: Extract<PostChange, { kind: 'recall' }>,
  post: SentPost,
): Promise<RevisionResult> {
  const stored = await revising.findStored([...partIdsOf(post.messageId), post.messageId]);
  // Nothing is stored any more of what a removed account has sent.
  const known = stored.length === 0 && content ? splitIds(content, post.messageId) : stored;
  const others = known.filter((messageId) => messageId !== post.messageId);
  const parts = [...others.map((messageId) => ({ ...post, messageId })), post];
  let last: RevisionResult = { kind: 'done' };
  for (const part of parts) {
    // A device that could not decrypt the post must not get it now.
    const resumeRetries = revising.retrySuppression.suppress(part.messageId);
    try {
      last = await reviseOne(revising, part, undefined);
      if (last.kind !== 'done' && last.kind !== 'absent') return last;
      await revising.deleteMessage(part);
    } finally {
      resumeRetries();
    }
  }
  return last;
}

async function correct(
  revising: Revising,
  { post: now }: Extract<PostChange, { kind: 'correct' }>,
  post: SentPost,
): Promise<RevisionResult> {
  const part = await findText(revising, now, post);
  if ('reason' in part) return refused(part);
  const bytes = await revising.findMessage(part);
  if (!bytes && now.media) return refused(FORGOTTEN);
  const content = await rewrite(revising, { bytes, now, post: part });
  if ('reason' in content) return refused(content);
  return reviseOne(revising, part, content);
}

const FORGOTTEN = describeFailure('file_forgotten');

/** The message of a post that has its text; the reason if there is none. Of several files the first has it as its caption. */
async function findText(
  revising: Revising,
  { media, further = [] }: Post,
  post: SentPost,
): Promise<SentPost | Failure> {
  if (further.length === 0) return post;
  const last = await revising.findMessage(post);
  if (!last) return FORGOTTEN;
  if (decodeMessage(last).extendedTextMessage) return post;
  if (media?.caption !== undefined) return describeFailure('caption_of_its_own');
  return { ...post, messageId: firstFileIdOf(post.messageId) };
}

/** Replaces the message by `content`; undefined deletes it. */
function reviseOne(revising: Revising, post: SentPost, content: Message | undefined): Promise<RevisionResult> {
  return isChannel(post.chatId) ? reviseInChannel(revising, post, content) : reviseInGroup(revising, post, content);
}

/** Returns the post with another text, or caption if it has a file; the reason if WhatsApp cannot show that. A mention of everybody stays. */
async function rewrite(
  revising: Revising,
  { bytes, now, post: { chatId, messageId } }: { bytes: Buffer | undefined; now: Post; post: SentPost },
): Promise<Message | Failure> {
  const { card } = now;
  const sent: Message = bytes ? decodeMessage(bytes) : {};
  const text = mentionsAll(sent) ? withMentionAll(now.text) : now.text;
  const { imageMessage, videoMessage, audioMessage, documentMessage } = sent;
  if (ballotOf(sent)) return describeFailure('votes_fixed');
  if (audioMessage) return describeFailure('sound_has_no_text');
  if (text === '' && !imageMessage && !videoMessage && !documentMessage) return describeFailure('text_required');
  if (!imageMessage && !videoMessage && !documentMessage)
    return rewriteText(
      revising,
      sent,
      { messageId, text, media: null, card },
      isChannel(chatId) ? 'channels' : 'chats',
    );
  if (text.length > CAPTION_LIMIT) return describeFailure('caption_too_long', { limit: CAPTION_LIMIT });
  if (imageMessage) return { imageMessage: { ...imageMessage, caption: text } };
  if (videoMessage) return { videoMessage: { ...videoMessage, caption: text } };
  return { documentMessage: { ...documentMessage, caption: text } };
}

/** The card is that of the new text; what the message has beside it stays. */
async function rewriteText(
  revising: Revising,
  { extendedTextMessage: sent }: Message,
  part: PostPart,
  place: 'chats' | 'channels',
): Promise<Message> {
  const { extendedTextMessage: now } = encodePart(part, await uploadPart(revising, part, place));
  return { extendedTextMessage: { ...(sent?.contextInfo && { contextInfo: sent.contextInfo }), ...now } };
}

/** A revision is a message of its own to all members. */
async function reviseInGroup(
  revising: Revising,
  post: SentPost,
  content: Message | undefined,
): Promise<RevisionResult> {
  const { chatId } = post;
  const key = await keyOf(revising, post);
  if ('reason' in key) return refused(key);
  const message: Message = {
    protocolMessage: content
      ? { key, type: MESSAGE_EDIT, editedMessage: content, timestampMs: Date.now() }
      : { key, type: REVOKE },
  };
  const edit = key.fromMe ? EDIT[content ? 'correct' : 'recall'].group : DELETED_BY_ADMIN;
  return sendChange(revising, { chatId, message, edit });
}

/** In a channel a revision has the id of the post, and brings the new content. */
async function reviseInChannel(
  revising: Revising,
  { chatId, messageId }: SentPost,
  content: Message | undefined,
): Promise<RevisionResult> {
  const { type, attributes } = describeType(content ?? {});
  const plain = {
    tag: 'plaintext',
    attrs: attributes,
    ...(content && { content: encodeMessage(content) }),
  };
  const edit = EDIT[content ? 'correct' : 'recall'].channel;
  let isGone = false;
  const onRejected = (code: number) => (isGone = code === GONE);
  const result = await relay(revising, { messageId, recipients: 0, onRejected }, () =>
    revising.client.sendNode({ tag: 'message', attrs: { to: chatId, id: messageId, type, edit }, content: [plain] }),
  );
  return isGone ? { kind: 'absent', ...describeFailure('post_gone') } : toRevision(result);
}

/** The attribute `edit` of a pin. */
const PIN_EDIT = '2';

/** Pins a post in its group for all members, or unpins it. Repeating it is harmless: phones take the newest. */
async function pinPost(
  revising: Revising,
  change: Extract<PostChange, { kind: 'pin' | 'unpin' }>,
  post: SentPost,
): Promise<RevisionResult> {
  const { chatId } = post;
  if (isChannel(chatId)) return refused(describeFailure('pin_in_channel'));
  const group = await revising.chats.group(chatId);
  // WhatsApp takes the message from anybody, and phones ignore it.
  if (!mayPin(revising.client, group)) return refused(describeFailure('pin_by_admins'), { isAccessDenied: true });
  const key = await keyOf(revising, post);
  if ('reason' in key) return refused(key);
  const message: Message = {
    pinInChatMessage: {
      key,
      type: change.kind === 'pin' ? PIN_FOR_ALL : UNPIN_FOR_ALL,
      senderTimestampMs: Date.now(),
    },
    messageContextInfo: { messageAddOnDurationInSecs: change.kind === 'pin' ? change.seconds : 0 },
  };
  return sendChange(revising, { chatId, message, edit: PIN_EDIT });
}

/** Returns how the account names a post in a group, by LID or by phone number as the group does; the reason if it cannot. */
async function keyOf(
  { chats, findNumberOf }: Pick<Revising, 'chats' | 'findNumberOf'>,
  { chatId, messageId, sentBy }: SentPost,
): Promise<MessageKey | Failure> {
  const key = { remoteJid: chatId, fromMe: !sentBy, id: messageId };
  if (!sentBy) return key;
  const { lid, number } = (await findNumberOf(sentBy)) ?? {};
  const isByLid = lid !== undefined && addressingOf(await chats.group(chatId)) === 'lid';
  if (!isByLid && number === undefined) return describeFailure('number_forgotten');
  return { ...key, participant: isByLid ? lidName(lid) : numberName(number ?? '') };
}

/**
 * A change of a post in a group is a message of its own to all members. `edit`: the attribute of the stanza, by which the server and phones
 * tell a change from a post.
 */
async function sendChange(
  sending: Sending,
  { chatId, message, edit }: { chatId: string; message: Message; edit: string },
): Promise<RevisionResult> {
  // A new id each time: phones drop a repeated id, and this may be another change.
  const id = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
  const edits = editedIn(message);
  const key = await sending.storeMessage({ messageId: id, chatId, message: encodeMessage(message), edits });
  const sealed = withSecret(key, message, id);
  return toRevision(
    await sendToMembers(sending, { chatId, messageId: id, message: sealed, attributes: { edit }, recipients: 0 }),
  );
}

function toRevision(result: SendResult): RevisionResult {
  if (result.kind === 'sent') return { kind: 'done' };
  return result.kind === 'later' ? { ...result, kind: 'unknown' } : result;
}
