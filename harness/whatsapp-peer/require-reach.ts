/** Mentions, quotes and pins: what phones show of them, and what they ignore. */
import { proto } from 'baileys';
import { isAbout } from './is-about.ts';
import { describedMedia } from './read-media.ts';
import type { PeerState } from './state.ts';
import { children, child, elementsOf, type Stanza } from './stanza.ts';
import { lidOf, numberOf, type Companion, type Group } from './world.ts';

/** From so many members on only admins are offered the mention of everybody. */
const ADMINS_MENTION_FROM = 33;

/** Records a mention or a pin that phones would not show, and a quote of a post that is not there. */
export function requireReach(state: PeerState, sender: Companion, stanza: Stanza, message: proto.IMessage): void {
  const { to: chatId = '', participant } = stanza.attrs;
  const group = state.world.groups.get(chatId);
  // A resend to one device is the same message.
  if (!group || participant !== undefined) return;
  if (message.pinInChatMessage) requirePin(state, sender, stanza, { group, message });
  const shown = message.protocolMessage?.editedMessage ?? message;
  const context = (describedMedia(shown)?.described ?? shown.extendedTextMessage)?.contextInfo;
  if (context?.nonJidMentions && !isAdmin(group, sender) && group.participants.size >= ADMINS_MENTION_FROM)
    state.defects.push(new Error('a mention of everybody by a member of a large group'));
  if (context?.stanzaId) requireQuote(state, sender, group, context);
}

const isAdmin = (group: Group, { person }: Companion) => group.participants.get(lidOf(person)) !== 'member';

function requirePin(
  state: PeerState,
  sender: Companion,
  stanza: Stanza,
  { group, message }: { group: Group; message: proto.IMessage },
): void {
  const { type, senderTimestampMs } = message.pinInChatMessage ?? {};
  const seconds = message.messageContextInfo?.messageAddOnDurationInSecs ?? 0;
  const keys = elementsOf(child(stanza, 'participants')).flatMap((to) => children(to, 'enc'));
  const isHidden = [...children(stanza, 'enc'), ...keys].every((enc) => enc.attrs['decrypt-fail'] === 'hide');
  const { PIN_FOR_ALL, UNPIN_FOR_ALL } = proto.Message.PinInChatMessage.Type;
  const isRight =
    stanza.attrs['edit'] === '2' &&
    isHidden &&
    Number(senderTimestampMs) > 0 &&
    ((type === PIN_FOR_ALL && [86_400, 604_800, 2_592_000].includes(seconds)) || (type === UNPIN_FOR_ALL && !seconds));
  if (!isRight) state.defects.push(new Error(`a pin of ${seconds} s that phones do not understand`));
  if ((group.isLocked || group.isAnnouncement) && !isAdmin(group, sender))
    state.defects.push(new Error('a pin by a member where only admins may pin'));
}

function requireQuote(state: PeerState, sender: Companion, group: Group, context: proto.IContextInfo): void {
  const { stanzaId, participant, quotedMessage } = context;
  const isThere = state.arrivals.some((one) => one.chatId === group.id && one.messageId === stanzaId);
  const author = group.addressing === 'pn' ? numberOf(sender.person) : lidOf(sender.person);
  if (!isThere || participant !== author || !quotedMessage)
    state.defects.push(new Error(`a quote of ${stanzaId} by ${participant} that phones cannot show`));
}

/** Returns the ids of the posts that each device shows as pinned in a chat, in the order in which they were pinned. */
export function pinsNow(peer: Pick<PeerState, 'arrivals' | 'world'>, chatId: string): Map<string, string[]> {
  const devices = new Map<string, Set<string>>();
  for (const arrival of peer.arrivals) {
    const { device, message } = arrival;
    if (arrival.chatId !== chatId) continue;
    const pinned = devices.get(device) ?? new Set<string>();
    devices.set(device, pinned);
    const { key, type } = message.pinInChatMessage ?? {};
    if (!key?.id || !isAbout(peer, arrival, key)) continue;
    pinned.delete(key.id);
    if (type === proto.Message.PinInChatMessage.Type.PIN_FOR_ALL) pinned.add(key.id);
  }
  return new Map([...devices].map(([device, pinned]) => [device, [...pinned]]));
}
