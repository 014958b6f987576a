/**
 * Hears what members do, and has it recorded before WhatsApp is told that it has arrived: what was not recorded, because the process
 * ended or the database was away, WhatsApp keeps and tells again. The client's own events come after that, may be merged into each
 * other, and are dropped when a connection ends, so they are not used.
 */
import { proto, unpadRandomMax16, type BinaryNode, type GroupMetadata, type WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import { sleep } from '../../../platform/time/time.ts';
import type { MemberEvent } from '../../messenger.ts';
import { interceptStanzas } from '../connect/intercept-stanzas.ts';
import { drainOfflineQueue } from './drain-offline-queue.ts';
import { skipPrivateChats } from './skip-private-chats.ts';
import { findLid, isOwn, lidName, numberName, peopleIn, readIds } from './participants.ts';
import { decryptReaction } from './decrypt-reaction.ts';
import { idsOf, readMessage, readReceipts, type MemberAction } from './read-member-actions.ts';
import { textIdOf } from '../send/split-post.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';

export interface InboundContext {
  accountId: number;
  log: Log;
  emit: EmitMemberEvents;
  /** What is known of a group already; undefined: nothing. */
  knownGroup(chatId: string): GroupMetadata | undefined;
}

/** Listens to one connection, from before its opening to its end. */
export function listenForMembers(client: WASocket, inbound: InboundContext): void {
  drainOfflineQueue(client, inbound);
  skipPrivateChats(client, inbound.log);
  holdReceipts(client, inbound);
  listenForMessages(client, inbound);
}

/** The client confirms a receipt when its listener is called, so that one is called when the receipt is recorded. */
function holdReceipts(client: WASocket, inbound: InboundContext): void {
  interceptStanzas(client, 'CB:receipt', (stanza, pass) => {
    void recordActions(client, inbound, readReceipts(stanza)).then((isRecorded) => {
      if (isRecorded) pass();
    });
  });
}

type Decrypt<About> = (about: About) => Promise<Uint8Array>;

/**
 * A message is heard within the transaction that its decryption is: the client confirms it after that, and one that was not recorded
 * can be decrypted again.
 */
function listenForMessages(client: WASocket, inbound: InboundContext): void {
  /** By what is encrypted in them. */
  const stanzas = new WeakMap<object, BinaryNode>();
  client.ws.prependListener('CB:message', (stanza: BinaryNode) => {
    if (!Array.isArray(stanza.content)) return;
    for (const { content } of stanza.content) if (content instanceof Uint8Array) stanzas.set(content, stanza);
  });
  const listenTo = <About>(decrypt: Decrypt<About>, read: (about: About) => { key: string; sealed: Uint8Array }) => {
    return async (about: About) => {
      const { key, sealed } = read(about);
      const stanza = stanzas.get(sealed);
      if (!stanza) return decrypt(about);
      return client.authState.keys.transaction(async () => {
        const padded = await decrypt(about);
        await recordBeforeAck(client, inbound, readMessage(stanza, openMessage(client, stanza, padded)));
        return padded;
      }, key);
    };
  };
  const { signalRepository } = client;
  const { decryptGroupMessage, decryptMessage } = signalRepository;
  signalRepository.decryptGroupMessage = listenTo(decryptGroupMessage, ({ group, msg }) => ({
    key: group,
    sealed: msg,
  }));
  signalRepository.decryptMessage = listenTo(decryptMessage, ({ jid, ciphertext }) => ({
    key: jid,
    sealed: ciphertext,
  }));
}

const AGAIN_MS = 2_000;

/**
 * Waits until it is recorded: once decrypted and confirmed, a message does not come again. Throws when the connection is gone
 * before that, and with it what was decrypted; WhatsApp then has it still.
 */
async function recordBeforeAck(client: WASocket, inbound: InboundContext, actions: MemberAction[]): Promise<void> {
  while (!(await recordActions(client, inbound, actions))) {
    if (!client.ws.isOpen) throw new Error('the connection ended before a message was recorded');
    await sleep(AGAIN_MS);
  }
}

/** What cannot be read is the client's business: to this it says nothing. */
function openMessage({ authState }: WASocket, { attrs }: BinaryNode, padded: Uint8Array): proto.IMessage {
  try {
    const message = proto.Message.decode(unpadRandomMax16(padded));
    return decryptReaction(authState.creds, message, idsOf(attrs['participant'], attrs));
  } catch {
    return {};
  }
}

/** True when there was nothing to record, or it is recorded. */
async function recordActions(client: WASocket, inbound: InboundContext, actions: MemberAction[]): Promise<boolean> {
  if (actions.length === 0) return true;
  try {
    const events = (await Promise.all(actions.map((action) => toEvents(client, inbound, action)))).flat();
    return events.length === 0 || (await inbound.emit(events));
  } catch (error) {
    const { accountId } = inbound;
    inbound.log.warn({ err: error, accountId }, 'it could not be found out who did something, WhatsApp tells it again');
    return false;
  }
}

async function toEvents(client: WASocket, inbound: InboundContext, action: MemberAction): Promise<MemberEvent[]> {
  const { kind, at, chatId } = action;
  const ids = readIds(action.who);
  if (!ids || isOwn(client, ids)) return [];
  const { number } = ids;
  const lid = ids.lid ?? (number === undefined ? undefined : await resolve(client, inbound, chatId, number));
  // Of this the key store tells, where it is new.
  if (lid !== undefined && number !== undefined)
    await client.signalRepository.lidMapping.storeLIDPNMappings([{ lid: lidName(lid), pn: numberName(number) }]);
  const participant = lid === undefined ? numberName(number ?? '') : lidName(lid);
  const isProvisional = lid === undefined;
  const { accountId } = inbound;
  return findPosts(action).map((post) => ({ ...post, kind, accountId, participant, isProvisional, at }));
}

/**
 * What is said about a file is about the post that it is a part of. Receipts are not: that somebody has received or read the post is
 * told by its text, which leaves last.
 */
function findPosts({ kind, messageIds }: MemberAction): Array<{ messageId: string; isAboutPart?: true }> {
  const posts = messageIds.map((messageId) => ({ messageId }));
  if (kind === 'delivered' || kind === 'read') return posts;
  const texts = messageIds.map(textIdOf).filter((messageId) => messageId !== undefined);
  return [...posts, ...texts.map((messageId) => ({ messageId, isAboutPart: true as const }))];
}

async function resolve(client: WASocket, inbound: InboundContext, chatId: string, number: string) {
  const known = await findLid(client.authState.keys, number);
  if (known !== undefined) return known;
  const group = inbound.knownGroup(chatId);
  return group && peopleIn(group).find((person) => person.number === number)?.lid;
}
