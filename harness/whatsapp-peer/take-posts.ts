/** Accepts posts: consults the script, decrypts them on every target device, and acknowledges them. */
import { createHash } from 'node:crypto';
import { jidDecode, proto as protocol, type proto } from 'baileys';
import { postToChannel, textIn } from './answer-channels.ts';
import { askAgainIfNeeded } from './phones.ts';
import type { Connection } from './connection.ts';
import type { SignalDevice } from './signal-device.ts';
import type { PeerState } from './state.ts';
import { hasCard, readCard } from './read-card.ts';
import { describedMedia, readMedia } from './read-media.ts';
import { requireReach } from './require-reach.ts';
import { deriveReportingToken } from './reporting-token.ts';
import { pollIn } from './seal-vote.ts';
import { bytesOf, child, children, element, elementsOf, need, seconds, SERVER, type Stanza } from './stanza.ts';
import {
  companionLid,
  companionNumber,
  companionOf,
  deviceOf,
  lidOf,
  numberOf,
  personOf,
  type Companion,
  type Group,
} from './world.ts';

export async function takePost(state: PeerState, connection: Connection, stanza: Stanza): Promise<void> {
  const { companion } = connection;
  if (!companion) return;
  const { to: chatId = '', id: messageId = '' } = stanza.attrs;
  state.received.push(stanza);
  const verdict = await state.script.judge({ chatId, messageId, stanza });
  if (verdict === 'cut before') return connection.cut();
  const { refuse, answerAfter } = typeof verdict === 'object' ? verdict : {};
  const taken = refuse ?? (await deliver(state, companion, stanza));
  if (verdict === 'cut after') return connection.cut();
  if (verdict === 'lose the answer') return;
  const result = typeof taken === 'number' ? { error: String(taken) } : taken;
  const acknowledge = () =>
    connection.send(element('ack', { class: 'message', id: messageId, from: chatId, t: seconds(), ...result }));
  if (answerAfter) void answerAfter.then(acknowledge);
  else acknowledge();
}

/** Further attributes of the acknowledgement, or an error code. */
async function deliver(
  state: PeerState,
  companion: Companion,
  stanza: Stanza,
): Promise<Record<string, string> | number> {
  const { to = '' } = stanza.attrs;
  if (to.endsWith('@newsletter')) {
    const taken = postToChannel(state, companion.person, stanza);
    return typeof taken === 'number' ? taken : { server_id: String(taken.serverId) };
  }
  if (stanza.attrs['participant'] !== undefined) {
    await deliverAgain(state, companion, stanza);
    return {};
  }
  const group = state.world.groups.get(to);
  if (!group) return 404;
  const rank = group.participants.get(lidOf(companion.person));
  if (!rank) return 401;
  if (group.isCommunity || (group.isAnnouncement && rank === 'member')) return 403;
  const outdated = findOutdated(state, group, stanza);
  if (outdated !== undefined) return outdated;
  await deliverToGroup(state, companion, group, stanza);
  if (stanza.attrs['phash'] === undefined) state.defects.push(new Error('a post to a group without a phash'));
  const known = { phash: hashOfDevices(state, group), addressing_mode: group.addressing };
  return { ...known, ...state.script.ackOf(group) };
}

/** Of all devices of all members, that of the sender included. */
function hashOfDevices({ world }: PeerState, { participants, addressing }: Group): string {
  const names = [...participants.keys()].flatMap((jid) => {
    const person = personOf(world, jid);
    if (!person) return [];
    const numbers = [...person.devices.map((one) => jidDecode(one.jid)?.device ?? 0), ...person.companions.keys()];
    const [user, server] = addressing === 'lid' ? [person.lid, 'lid'] : [person.number, SERVER];
    return numbers.map((number) => `${user}.0:${number}@${server}`);
  });
  return `2:${createHash('sha256').update(names.toSorted().join('')).digest('base64').slice(0, 8)}`;
}

const STALE_ADDRESSING = 421;
const STALE_SESSION = 479;

/** The error code for outdated group data of the sender. */
function findOutdated({ world }: PeerState, { addressing }: Group, stanza: Stanza): number | undefined {
  const named = elementsOf(child(stanza, 'participants')).map(({ attrs }) => attrs['jid'] ?? '');
  const server = addressing === 'lid' ? 'lid' : SERVER;
  const isAddressed = named.every((jid) => jid.endsWith(`@${server}`));
  if (!isAddressed || stanza.attrs['addressing_mode'] !== addressing) return STALE_ADDRESSING;
  return named.every((jid) => deviceOf(world, jid) ?? companionOf(world, jid)) ? undefined : STALE_SESSION;
}

async function deliverToGroup(state: PeerState, sender: Companion, group: Group, stanza: Stanza): Promise<void> {
  await handOutSenderKeys(state, sender, stanza);
  const body = children(stanza, 'enc').find(({ attrs }) => attrs['type'] === 'skmsg');
  if (!body) throw new Error('a post to a group without a body');
  const members = [...group.participants.keys()].flatMap((jid) => personOf(state.world, jid) ?? []);
  const devices = members.flatMap((person) => person.devices);
  state.handedOut.push({ messageId: stanza.attrs['id'] ?? '', devices: devices.map(({ jid }) => jid) });
  const here = members.filter(({ isAway }) => !isAway).flatMap((person) => person.devices);
  const isThere = ({ jid }: SignalDevice) => state.script.keysOf(jid) === 'given';
  for (const device of here.filter(isThere))
    await read(state, sender, device, stanza, () => device.decryptGroup(group.id, companionLid(sender), bytesOf(body)));
  const clients = members.flatMap(({ companions }) => [...companions.values()]).filter((client) => client !== sender);
  for (const client of clients) passOn(sender, client, stanza);
}

/** Another client that is linked to a member gets the post as it was encrypted for it. Nobody waits for its acknowledgement. */
function passOn(sender: Companion, client: Companion, stanza: Stanza): void {
  const { to: from = '', id, type, edit, addressing_mode: mode } = stanza.attrs;
  const own = elementsOf(child(stanza, 'participants')).find(({ attrs }) =>
    [companionLid(client), companionNumber(client)].includes(attrs['jid'] ?? ''),
  );
  const participant = mode === 'pn' ? companionNumber(sender) : companionLid(sender);
  const attributes = { id, from, participant, type, edit, addressing_mode: mode, t: seconds() };
  const content = [...children(own, 'enc'), ...children(stanza, 'enc'), ...children(stanza, 'device-identity')];
  void client.outbox.put(client.connection, element('message', attributes, content));
}

/** The first post carries the sender key to each device. */
async function handOutSenderKeys(state: PeerState, sender: Companion, stanza: Stanza): Promise<void> {
  for (const recipient of elementsOf(child(stanza, 'participants'))) {
    const { jid } = recipient.attrs;
    if (personOf(state.world, jid)?.isAway) continue;
    const device = deviceOf(state.world, jid);
    // A client decrypts for itself.
    if (!device) continue;
    try {
      const message = await decryptFor(device, sender, need(recipient, 'enc'));
      if (message.senderKeyDistributionMessage)
        await device.learnSenderKey(companionLid(sender), message.senderKeyDistributionMessage);
    } catch (error) {
      // A sender that was killed may come back with a state from before its last post. A device that cannot read the post then
      // asks for it again.
      if (!state.script.phonesAskAgain) throw error;
    }
  }
}

/** A resend to one device that sent a retry receipt. */
async function deliverAgain(state: PeerState, sender: Companion, stanza: Stanza): Promise<void> {
  const device = deviceOf(state.world, stanza.attrs['participant']);
  if (!device) throw new Error('a post for a device that nobody has');
  const { id: messageId = '' } = stanza.attrs;
  if (!state.askedAgain.has(`${device.jid} ${messageId}`))
    state.defects.push(new Error('an answer that nobody asked for'));
  if (stanza.attrs['addressing_mode'] !== (jidDecode(stanza.attrs['participant'])?.server === 'lid' ? 'lid' : 'pn'))
    state.defects.push(new Error('an answer that does not say how it addresses the device'));
  if (!(Number(need(stanza, 'enc').attrs['count']) > 0))
    state.defects.push(new Error('an answer that does not say to what'));
  state.handedOut.push({ messageId, devices: [device.jid] });
  await read(state, sender, device, stanza, async () => {
    const message = await decryptFor(device, sender, need(stanza, 'enc'));
    if (!message.senderKeyDistributionMessage) state.defects.push(new Error('an answer without the key of the group'));
    else await device.learnSenderKey(companionLid(sender), message.senderKeyDistributionMessage);
    return message;
  });
}

/** The stanza of an edit or a deletion must declare it. */
function requireMark({ defects }: PeerState, { type, key }: proto.Message.IProtocolMessage, stanza: Stanza): void {
  const { attrs } = stanza;
  const { REVOKE, MESSAGE_EDIT } = protocol.Message.ProtocolMessage.Type;
  const mark = type === REVOKE ? (key?.fromMe ? '7' : '8') : type === MESSAGE_EDIT ? '1' : undefined;
  const keys = elementsOf(child(stanza, 'participants')).flatMap((to) => children(to, 'enc'));
  const isHidden = [...children(stanza, 'enc'), ...keys].every((enc) => enc.attrs['decrypt-fail'] === 'hide');
  if (type === MESSAGE_EDIT && !isHidden)
    defects.push(new Error('a change of a post that devices without the key show as a message'));
  if (attrs['participant'] === undefined && attrs['edit'] !== mark)
    defects.push(new Error(`a change of a post that is marked with ${attrs['edit']}`));
}

/** Phones use the first secret they see: repeats and edits must carry the same one. */
function requireSecret(
  { secrets, defects }: PeerState,
  messageId: string,
  { protocolMessage, pinInChatMessage, messageContextInfo }: proto.IMessage,
): void {
  if (protocolMessage?.type === protocol.Message.ProtocolMessage.Type.REVOKE || pinInChatMessage) return;
  const secret = Buffer.from(messageContextInfo?.messageSecret ?? []).toString('hex');
  const about = protocolMessage?.key?.id ?? messageId;
  const first = secrets.get(about) ?? secret;
  secrets.set(about, first);
  if (secret !== first) defects.push(new Error(`another secret for the message ${about}`));
}

/**
 * WhatsApp's clients report a message by this token, so a wrong one cannot be reported. A resend to one device has none, and neither has
 * an event, of which the token covers no field.
 */
function requireReportingToken(
  { world, defects }: PeerState,
  sender: Companion,
  stanza: Stanza,
  message: proto.Message,
): void {
  const { to: chatId = '', id: messageId = '', participant } = stanza.attrs;
  const isRecall = message.protocolMessage?.type === protocol.Message.ProtocolMessage.Type.REVOKE;
  // Neither the announcement of an album nor an event nor a pin has anything that a token covers.
  const isBare = message.albumMessage ?? message.eventMessage ?? message.pinInChatMessage;
  if (participant !== undefined || isRecall || isBare) return;
  const author = world.groups.get(chatId)?.addressing === 'pn' ? numberOf(sender.person) : lidOf(sender.person);
  const token = bytesOf(child(child(stanza, 'reporting'), 'reporting_token'));
  if (!token.equals(deriveReportingToken(message, { messageId, author, chatId })))
    defects.push(new Error(`a reporting token of ${token.length} bytes that is not the one of the message`));
}

function decryptFor(device: SignalDevice, sender: Companion, enc: Stanza): Promise<proto.Message> {
  const type = enc.attrs['type'] === 'pkmsg' ? 'pkmsg' : 'msg';
  return device.decrypt(companionLid(sender), type, bytesOf(enc));
}

/** A device decrypts a post and shows it once; it sends a retry receipt for one that it cannot decrypt. */
async function read(
  state: PeerState,
  sender: Companion,
  device: SignalDevice,
  stanza: Stanza,
  decrypt: () => Promise<proto.Message>,
): Promise<void> {
  const { to: chatId = '', id: messageId = '' } = stanza.attrs;
  let message: proto.Message;
  try {
    message = await decrypt();
  } catch (error) {
    const isRepeat = state.arrivals.some((one) => one.messageId === messageId && one.device === device.jid);
    if (isRepeat) return;
    if (!state.script.phonesAskAgain) throw error;
    void askAgainIfNeeded(state, sender, { chatId, messageId, device });
    return;
  }
  if (message.protocolMessage) requireMark(state, message.protocolMessage, stanza);
  requireType(stanza, message);
  requireExpiration(state, stanza, message);
  requireAnswerable(state, stanza, message);
  requireSecret(state, messageId, message);
  requireReportingToken(state, sender, stanza, message);
  requireAlbum(state, device, { chatId, messageId, message });
  requireReach(state, sender, stanza, message);
  const media = readMedia(state, message, 'chats');
  const edited = message.protocolMessage?.editedMessage;
  const card = readCard(state, edited ?? message, 'chats');
  const from = companionLid(sender);
  if (device.show(chatId, from, messageId))
    state.arrivals.push({ chatId, messageId, device: device.jid, from, text: textIn(message), media, card, message });
}

/** The expiry of the message must match the group, or members see that it will not disappear. A resend to one device keeps its expiry. */
function requireExpiration({ world, defects }: PeerState, { attrs }: Stanza, message: proto.IMessage): void {
  const shown = message.protocolMessage ? message.protocolMessage.editedMessage : message;
  const group = world.groups.get(attrs['to'] ?? '');
  if (!shown || shown.pinInChatMessage || !group || attrs['participant'] !== undefined) return;
  const asked = pollIn(shown) ?? shown.eventMessage;
  const content = describedMedia(shown)?.described ?? asked ?? shown.extendedTextMessage ?? shown.albumMessage;
  const said = content?.contextInfo?.expiration || undefined;
  if (said !== group.expiration) defects.push(new Error(`a post for ${group.expiration} s that says ${said} s`));
}

/**
 * A phone shows a picture or a film in the album that it names, which must have been announced before. The album may take no more of
 * them than it announced.
 */
function requireAlbum(
  { arrivals, defects }: PeerState,
  device: SignalDevice,
  { chatId, messageId, message }: { chatId: string; messageId: string; message: proto.IMessage },
): void {
  const { messageAssociation } = message.messageContextInfo ?? {};
  if (!messageAssociation) return;
  const { parentMessageKey: parent, messageIndex } = messageAssociation;
  const here = arrivals.filter((one) => one.device === device.jid && one.chatId === chatId);
  const album = here.find((one) => one.messageId === parent?.id)?.message.albumMessage;
  if (!album || parent?.remoteJid !== chatId || !parent.fromMe)
    defects.push(new Error(`${messageId} is in an album that nobody announced`));
  if (messageIndex) defects.push(new Error(`${messageId} says its place in the album, as no client does`));
  const children = here.filter(
    ({ message: { messageContextInfo } }) =>
      messageContextInfo?.messageAssociation?.parentMessageKey?.id === parent?.id,
  );
  const ids = new Set([...children.map((one) => one.messageId), messageId]);
  const announced = (album?.expectedImageCount ?? 0) + (album?.expectedVideoCount ?? 0);
  if (ids.size > announced) defects.push(new Error(`an album of ${announced} has ${ids.size} pictures and films`));
}

/** The server routes by the attributes of the stanza: they must match its content. */
function requireType(stanza: Stanza, message: proto.IMessage): void {
  const kind = describedMedia(message)?.kind ?? (hasCard(message) ? 'url' : undefined);
  const said = children(stanza, 'enc').map(({ attrs }) => attrs['mediatype']);
  const asks = pollIn(message) ? 'poll' : message.eventMessage ? 'event' : undefined;
  const isRight = stanza.attrs['type'] === (kind ? 'media' : (asks ?? 'text')) && said.every((one) => one === kind);
  // A resend to one device has fewer attributes.
  if (stanza.attrs['participant'] !== undefined) return;
  if (!isRight) throw new Error(`a ${kind ?? asks ?? 'text'} that says otherwise`);
  const { polltype, event_type: eventType } = child(stanza, 'meta')?.attrs ?? {};
  const isDeclared =
    polltype === (asks === 'poll' ? 'creation' : undefined) &&
    eventType === (asks === 'event' ? 'creation' : undefined);
  if (!isDeclared) throw new Error(`a ${asks ?? 'post'} with the meta node of another`);
}

/** A phone shows no poll without two different options, or in the field of another kind of poll; nor an event without a start. */
function requireAnswerable({ world, defects }: PeerState, { attrs }: Stanza, message: proto.IMessage): void {
  const poll = pollIn(message);
  if (poll) {
    const names = poll.options?.map(({ optionName }) => optionName) ?? [];
    const isOne = poll.selectableOptionsCount === 1;
    const field = world.groups.get(attrs['to'] ?? '')?.isDefault
      ? message.pollCreationMessageV2
      : isOne
        ? message.pollCreationMessageV3
        : message.pollCreationMessage;
    if (!poll.name || names.length < 2 || new Set(names).size < names.length || !field)
      defects.push(new Error('a poll that phones do not show'));
  }
  const { eventMessage: event } = message;
  if (event && (!event.name || !(Number(event.startTime) > 0)))
    defects.push(new Error('an event that phones do not show'));
}
