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
import { skipPrivateChats } from './skip-private-chats.ts';
import { findLid, isOwn, lidName, numberName, peopleIn, readIds } from './participants.ts';
import { decryptReaction } from './decrypt-reaction.ts';
import { idsOf, readMessage, readReceipts, type MemberAction } from './read-member-actions.ts';
import { postIdsOf } from '../send/split-post.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';

export interface InboundContext {
  accountId: number;
  log: Log;
  emit: EmitMemberEvents;
  /** The cached metadata of a group. */
  cachedGroup(chatId: string): Group | undefined;
}

/** Listens to one connection, from before its opening to its end. */
export function listenForMembers(client: Client, inbound: InboundContext): void {
  skipPrivateChats(client, inbound.log);
  client.interceptStanzas('receipt', (stanza, pass) => {
    void recordActions(client, inbound, readReceipts(stanza)).then((isRecorded) => {
      if (isRecorded) pass();
    });
  });
  client.interceptMessages((stanza, message) => {
    const opened = decryptReaction(client, message, idsOf(stanza.attrs['participant'], stanza.attrs));
    return recordBeforeAck(client, inbound, readMessage(stanza, opened));
  });
}

const RETRY_MS = 2_000;

/**
 * Waits until the actions are recorded: a message that was decrypted and acknowledged is not delivered again. Throws when the
 * connection ends before that: WhatsApp then delivers the message again.
 */
async function recordBeforeAck(client: Client, inbound: InboundContext, actions: MemberAction[]): Promise<void> {
  while (!(await recordActions(client, inbound, actions))) {
    if (!client.isOpen) throw new Error('the connection ended before a message was recorded');
    await sleep(RETRY_MS);
  }
}

/** True when all actions are recorded. */
async function recordActions(client: Client, inbound: InboundContext, actions: MemberAction[]): Promise<boolean> {
  if (actions.length === 0) return true;
  try {
    const events = (await Promise.all(actions.map((action) => toEvents(client, inbound, action)))).flat();
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

async function toEvents(client: Client, inbound: InboundContext, action: MemberAction): Promise<MemberEvent[]> {
  const { kind, at, chatId } = action;
  const ids = readIds(action.who);
  if (!ids || isOwn(client, ids)) return [];
  const { number } = ids;
  const lid = ids.lid ?? (number === undefined ? undefined : await resolve(client, inbound, chatId, number));
  // A new pair is reported when it is stored.
  if (lid !== undefined && number !== undefined) await client.lids.store([{ lid, number }]);
  const participant = lid === undefined ? numberName(number ?? '') : lidName(lid);
  const isProvisional = lid === undefined;
  const { accountId } = inbound;
  return findPosts(action).map((post) => ({ ...post, kind, accountId, participant, isProvisional, at }));
}

/** Reactions and replies to any message of a post count for it. Receipts do not: those of its last message count. */
function findPosts({ kind, messageIds }: MemberAction): Array<{ messageId: string; isAboutPart?: true }> {
  const posts = messageIds.map((messageId) => ({ messageId }));
  if (kind === 'delivered' || kind === 'read') return posts;
  return [...posts, ...messageIds.flatMap(postIdsOf).map((messageId) => ({ messageId, isAboutPart: true as const }))];
}

async function resolve(client: Client, inbound: InboundContext, chatId: string, number: string) {
  const known = await findLid(client.lids, number);
  if (known !== undefined) return known;
  const group = inbound.cachedGroup(chatId);
  return group && peopleIn(group).find((person) => person.number === number)?.lid;
}
