/**
 * At-least-once delivery: receipts, reactions and replies are recorded before WhatsApp gets their acknowledgement, and WhatsApp
 * delivers the rest again. The library's own events come after it, may be merged, and are dropped when a connection ends, so they
 * are not used.
 */
import type { Log } from '../../../platform/log/log.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { MemberEvent } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { decodeReaction, unwrapMessage, type Message } from '../client/message.ts';
import type { Node } from '../client/node.ts';
import type { MessageSecretKeys } from '../connect/message-secret-keys.ts';
import { completeIds, identify } from './identify.ts';
import { isOwn, isSame, readIds } from './participants.ts';
import { createDecrypter, type Decrypt } from './open-sealed.ts';
import { readMessage, readReceipts, type MemberAction } from './read-member-actions.ts';
import { readVote, readAnswer } from './read-vote.ts';
import { postIdsOf } from '../send/split-post.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';
import type { AccountId } from '../../../platform/database/schema.ts';
import { isChannel, isGroup } from '../client/jid.ts';

export interface InboundContext {
  accountId: AccountId;
  log: Log;
  emit: EmitMemberEvents;
  secretKeys: MessageSecretKeys;
  /** The cached metadata of a group. */
  cachedGroup(chatId: string): Group | undefined;
  /** As `ChatCache` has it. */
  tryFetchGroup(chatId: string): Promise<void>;
}

/** Listens to one connection, from before its opening to its end. */
export function listenForMembers(client: Client, inbound: InboundContext): void {
  skipPrivateChats(client, inbound.log);
  client.interceptStanzas('receipt', (stanza, pass) => {
    const actions = readReceipts(stanza);
    void recordEvents(inbound, () => toEventsOf(client, inbound, actions)).then((isRecorded) => {
      if (isRecorded) pass();
    });
  });
  client.interceptMessages((stanza, message) =>
    recordBeforeAck(client, inbound, () => readEvents(client, inbound, stanza, message)),
  );
}

async function readEvents(
  client: Client,
  inbound: InboundContext,
  stanza: Node,
  message: Message,
): Promise<MemberEvent[]> {
  const decrypt = createDecrypter({ client, ...inbound }, stanza);
  const opened = await decryptReaction(decrypt, message);
  return [
    ...(await toEventsOf(client, inbound, readMessage(stanza, opened))),
    ...(await readVote({ client, ...inbound }, decrypt, stanza, message)),
    ...(await readAnswer(client, inbound, stanza, opened)),
  ];
}

const RETRY_MS = 2_000;

/**
 * Waits until the actions are recorded: a message that was decrypted and acknowledged is not delivered again. Throws when the
 * connection ends before that: WhatsApp then delivers the message again.
 */
async function recordBeforeAck(client: Client, inbound: InboundContext, read: ReadEvents): Promise<void> {
  while (!(await recordEvents(inbound, read))) {
    if (!client.isOpen) throw new Error('the connection ended before a message was recorded');
    await sleep(RETRY_MS);
  }
}

type ReadEvents = () => Promise<MemberEvent[]>;

/** True when all events are recorded. */
async function recordEvents(inbound: InboundContext, read: ReadEvents): Promise<boolean> {
  try {
    const events = await read();
    return events.length === 0 || (await inbound.emit(events));
  } catch (error) {
    const { accountId } = inbound;
    inbound.log.warn(
      { err: error, accountId },
      'the ids of a member could not be read, WhatsApp delivers the event again',
    );
    return false;
  }
}

async function toEventsOf(client: Client, inbound: InboundContext, actions: MemberAction[]): Promise<MemberEvent[]> {
  return (await Promise.all(actions.map((action) => toEvents(client, inbound, action)))).flat();
}

async function toEvents(client: Client, inbound: InboundContext, action: MemberAction): Promise<MemberEvent[]> {
  const { kind, at, chatId } = action;
  const ids = readIds(action.who);
  if (!ids || isOwn(client, ids)) return [];
  const { accountId, cachedGroup } = inbound;
  const known = { client, cachedGroup };
  const author = readIds([action.author]);
  // Another number of the workspace may have posted it: what that one does itself is no member's either.
  if (author && isSame(author, await completeIds(known, chatId, ids))) return [];
  const person = await identify(known, chatId, ids);
  return findPosts(action).map((post) => ({ ...post, kind, accountId, ...person, at }));
}

/** Reactions and replies to any message of a post count for it. Receipts do not: those of its last message count. */
function findPosts({ kind, messageIds }: MemberAction): Array<{ messageId: string; isAboutPart?: true }> {
  const posts = messageIds.map((messageId) => ({ messageId }));
  if (kind === 'delivered' || kind === 'read') return posts;
  return [...posts, ...messageIds.flatMap(postIdsOf).map((messageId) => ({ messageId, isAboutPart: true as const }))];
}

/**
 * Returns an encrypted reaction, as announcement groups have them, as a plain one. Returns any other message unchanged, and a reaction
 * that cannot be decrypted.
 */
async function decryptReaction(decrypt: Decrypt, message: Message): Promise<Message> {
  const sealed = unwrapMessage(message)?.encReactionMessage;
  const key = sealed?.targetMessageKey;
  if (!sealed || !key) return message;
  const opened = await decrypt(sealed, { key, use: 'Enc Reaction' });
  return opened ? { reactionMessage: { ...decodeReaction(opened), key } } : message;
}

/**
 * Acknowledges statuses and private chats before the library receives them, so that private messages are never decrypted. The
 * library's own option to ignore chats rejects their messages, and WhatsApp then holds back the queue behind a rejected status.
 */
function skipPrivateChats(client: Client, log: Log): void {
  const acknowledge = (stanza: Node) => {
    client.acknowledge(stanza).catch((error: unknown) => {
      log.debug({ err: error }, 'a private message was not acknowledged, WhatsApp tells it again');
    });
  };
  client.interceptStanzas('message', (stanza, pass) => (isPrivate(client, stanza) ? acknowledge(stanza) : pass()));
  // The library does not acknowledge these statuses, for which WhatsApp ends the connection again and again.
  client.onStanza({ tag: 'status' }, acknowledge);
}

/** False for groups, channels, and messages of the account's phone to its devices, such as keys, which have no recipient. */
function isPrivate(client: Client, { attrs: { from = '', recipient, category } }: Node): boolean {
  if (isGroup(from) || isChannel(from)) return false;
  const sender = readIds([from]);
  const isForOwnDevices = recipient === undefined || category === 'peer';
  return !(sender && isOwn(client, sender) && isForOwnDevices);
}
