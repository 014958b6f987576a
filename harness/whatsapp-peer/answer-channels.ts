import { proto } from 'baileys';
import sharp from 'sharp';
import type { Connection } from './connection.ts';
import type { QueryAnswer } from './answer-queries.ts';
import type { PeerState } from './state.ts';
import { hasCard, readCard } from './read-card.ts';
import { describedMedia, readMedia } from './read-media.ts';
import { bytesOf, child, element, seconds, SERVER, textOf, type Stanza } from './stanza.ts';
import { addChannel, type Channel, type ChannelPost, type Person } from './world.ts';
import { pollIn } from './seal-vote.ts';

/** The query ids of August, while none is retired. */
export const QUERY_IDS = { create: '8823471724422422', read: '6563316087068696', list: '6388546374527196' };
/** Those of WhatsApp Web 2.3000.1043028647, which the peer always knows. */
export const NEWER_QUERY_IDS = { create: '25149874324715067', read: '27456920720571478', list: '25399611239711790' };
/** The variables without which a newer query is a bad request. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  [NEWER_QUERY_IDS.create]: [],
  [NEWER_QUERY_IDS.read]: [
    'fetch_creation_time',
    'fetch_full_image',
    'fetch_pinned_messages',
    'fetch_status_metadata',
    'fetch_viewer_metadata',
    'fetch_wamo_sub',
  ],
  [NEWER_QUERY_IDS.list]: ['fetch_status_metadata', 'fetch_wamo_sub'],
};
const UPDATE = '24250201037901610';
const RESTRICTION = '23983697327930364';

/** The peer chose this code. */
const TERMS_NOT_ACCEPTED = 403;

interface Variables extends Record<string, unknown> {
  newsletter_id?: string;
  input?: { key?: string; name?: string; description?: string | null; picture?: string };
  updates?: { name?: string; description?: string; picture?: string };
}

/** Queries in JSON, as those about channels. */
export async function answerChannelQuery(
  state: PeerState,
  { companion }: Connection,
  asked: Stanza,
): Promise<QueryAnswer> {
  if (!companion) return undefined;
  const { variables } = JSON.parse(textOf(asked)) as { variables: Variables };
  const { world, script } = state;
  const { query_id: queryId = '' } = asked.attrs;
  const deviation = script.answerMex(queryId);
  if (deviation !== undefined) return deviation === 'null' ? NULL_RESULT : deviation;
  if (FLAGS[queryId]?.some((flag) => typeof variables[flag] !== 'boolean')) return refusal('Bad Request', 400);
  const told = (field: string, value: unknown) => [
    element('result', {}, Buffer.from(JSON.stringify({ data: { [field]: value } }))),
  ];
  switch (queryId) {
    case NEWER_QUERY_IDS.create:
    case script.queryIds.create: {
      if (!hasAcceptedTerms(companion.person)) return refusal('Forbidden', TERMS_NOT_ACCEPTED);
      const { name = '', description, picture } = variables.input ?? {};
      const image = picture === undefined ? undefined : Buffer.from(picture, 'base64');
      if (image && !(await isTaken(image))) return refusal('Bad Request', 400);
      const channel = addChannel(world, companion.person, { name, description: description ?? '', picture: image });
      return told('xwa2_newsletter_create', describeChannel(state, channel, companion.person));
    }
    case NEWER_QUERY_IDS.read:
    case script.queryIds.read: {
      const channel = findChannel(state, variables.input?.key);
      return channel ? told('xwa2_newsletter', describeChannel(state, channel, companion.person)) : notFound();
    }
    case UPDATE: {
      const channel = findChannel(state, variables.newsletter_id);
      const { name, description, picture } = variables.updates ?? {};
      if (!channel) return notFound();
      channel.name = name ?? channel.name;
      channel.description = description ?? channel.description;
      if (picture !== undefined) channel.picture = Buffer.from(picture, 'base64');
      return told('xwa2_newsletter_update', describeChannel(state, channel, companion.person));
    }
    case NEWER_QUERY_IDS.list:
    case script.queryIds.list: {
      const all = [...world.channels.values()].filter(({ owner }) => owner === companion.person);
      return told(
        'xwa2_newsletter_subscribed',
        all.map((channel) => describeChannel(state, channel, companion.person)),
      );
    }
    case RESTRICTION:
      return told('xwa2_fetch_account_reachout_timelock', describeRestriction(state.script.restrictedUntil));
    default:
      return undefined;
  }
}

const NULL_RESULT = [element('result', {}, Buffer.from('{"data":null}'))];

/** A user must accept both before creating channels. */
const TERMS = ['20601217', '20601218'];

export function acceptTerms({ companion }: Connection, { tag, attrs }: Stanza): QueryAnswer {
  if (companion && tag === 'notice' && attrs['stage'] === '5') companion.person.acceptedTerms.add(attrs['id'] ?? '');
  return [];
}

const hasAcceptedTerms = ({ acceptedTerms }: Person) => TERMS.every((id) => acceptedTerms.has(id));

export function describeRestriction(until: Date | undefined) {
  const ends = until === undefined ? '0' : String(Math.ceil(until.getTime() / 1_000));
  return { is_active: until !== undefined, time_enforcement_ends: ends, enforcement_type: 'DEFAULT' };
}

function findChannel({ world }: PeerState, key: string | undefined): Channel | undefined {
  return [...world.channels.values()].find(({ id, invite }) => id === key || invite === key);
}

/** A square JPEG of WhatsApp's size. */
async function isTaken(picture: Buffer): Promise<boolean> {
  const { format, width, height } = await sharp(picture).metadata();
  return format === 'jpeg' && width === 640 && height === 640;
}

const notFound = () => refusal('Not Found', 404);

export function refusal(message: string, code: number): Stanza[] {
  const error = { message, extensions: { error_code: code, is_retryable: false, severity: 'CRITICAL' } };
  return [element('result', {}, Buffer.from(JSON.stringify({ data: null, errors: [error] })))];
}

/** A channel without a picture has `picture: null`. */
function describeChannel({ script }: PeerState, channel: Channel, viewer: Person) {
  const text = (value: string) => ({ id: '1', text: value, update_time: `${channel.createdAt}000000` });
  return {
    id: channel.id,
    state: { type: 'ACTIVE' },
    thread_metadata: {
      creation_time: channel.createdAt,
      name: text(channel.name),
      description: text(channel.description),
      handle: null,
      invite: channel.invite,
      picture: channel.picture && !script.hidesPictures ? { id: '1', type: 'IMAGE', direct_path: '/m1/x' } : null,
      preview: { id: '1', type: 'PREVIEW', direct_path: '' },
      settings: { reaction_codes: { value: 'ALL' } },
      subscribers_count: String(channel.followers),
      verification: 'UNVERIFIED',
    },
    viewer_metadata: { mute: 'OFF', role: channel.owner === viewer ? 'OWNER' : 'SUBSCRIBER' },
  };
}

/** Returns the last posts of a channel as its followers see them. */
export function listPosts(state: PeerState, query: Stanza, asked: Stanza): QueryAnswer {
  // Posts are queried from the server, everything else from the channel.
  const isList = asked.tag === 'messages';
  if (isList && query.attrs['to'] !== `@${SERVER}`) return 400;
  const channel = state.world.channels.get((isList ? asked.attrs['jid'] : query.attrs['to']) ?? '');
  if (!channel) return 404;
  if (asked.tag === 'live_updates') return [element('live_updates', { duration: '300' })];
  if (!isList && asked.tag !== 'message_updates') return undefined;
  const deviation = isList ? state.script.answerPosts() : undefined;
  if (deviation) return deviation;
  if (!isList && state.script.tellsNoCounts) return [element(asked.tag, { t: seconds() }, [element('messages')])];
  const after = Number(asked.attrs['after'] ?? 0);
  const posts = channel.posts.filter(({ serverId }) => serverId > after).slice(-Number(asked.attrs['count'] ?? 50));
  const shown = isList ? describePost : describeCounts;
  const listed = element(
    'messages',
    { jid: channel.id, t: seconds() },
    posts.map((post) => shown(hidesViews(state, asked.tag) ? { ...post, views: undefined } : post)),
  );
  return isList ? [listed] : [element(asked.tag, { t: seconds() }, [listed])];
}

const hidesViews = ({ script }: PeerState, tag: string) => script.hidesViews.includes(tag);

/** A post as an answer tells of it. */
type ToldPost = Omit<ChannelPost, 'views'> & { views: number | undefined };

function describePost(post: ToldPost): Stanza {
  const { mediaType } = post;
  const type = mediaType === undefined ? 'text' : 'media';
  const attributes = { id: post.messageId, server_id: String(post.serverId), t: post.at, type };
  const plain = element('plaintext', { mediatype: mediaType }, proto.Message.encode(post.message).finish());
  return element('message', attributes, [plain, ...countsOf(post)]);
}

/** The light answer contains neither the text of a post nor its sender's id. */
function describeCounts(post: ToldPost): Stanza {
  return element('message', { server_id: String(post.serverId), t: post.at }, countsOf(post));
}

function countsOf({ views, reactions }: ToldPost): Stanza[] {
  const signs = Object.entries(reactions).map(([code, count]) => element('reaction', { code, count: String(count) }));
  const seen = views === undefined ? [] : [element('views_count', { count: String(views) })];
  return [...seen, element('reactions', {}, signs)];
}

/** Accepts a post to a channel. Returns the id that the server assigns, or the error code. A repeated id is not shown again. */
export function postToChannel(state: PeerState, author: Person, stanza: Stanza): { serverId: number } | number {
  const { to = '', id: messageId = '' } = stanza.attrs;
  const channel = state.world.channels.get(to);
  if (!channel) return 404;
  if (channel.owner !== author) return 403;
  const { edit } = stanza.attrs;
  if (edit !== undefined) return changeInChannel(state, channel, { messageId, edit, stanza });
  const plain = Array.isArray(stanza.content) ? stanza.content.find(({ tag }) => tag === 'plaintext') : undefined;
  const message = proto.Message.decode(bytesOf(plain));
  const mediaType = plain?.attrs['mediatype'];
  if (!isComplete(state, stanza, message, mediaType)) return UNREADABLE;
  const at = seconds();
  const post = { serverId: 100 + channel.posts.length, messageId, at, message, mediaType, views: 0, reactions: {} };
  // Unlike in groups, no deduplication is known, so the peer shows a repeated post twice.
  channel.posts.push(post);
  const media = readMedia(state, message, 'channels');
  const card = readCard(state, message, 'channels');
  state.arrivals.push({ chatId: to, messageId, device: to, text: textIn(message), media, card, message });
  return { serverId: post.serverId };
}

/** The peer chose this code: that of WhatsApp is unknown. */
const UNREADABLE = 406;

/** Returns whether the stanza of a post declares a file exactly if the post has an existing file. */
function isComplete(state: PeerState, stanza: Stanza, message: proto.IMessage, mediaType: string | undefined): boolean {
  const found = describedMedia(message);
  if (!found)
    return hasCard(message)
      ? isCompleteCard(state, stanza, message, mediaType)
      : stanza.attrs['type'] === 'text' && mediaType === undefined;
  const upload = state.uploads.find(({ directPath }) => directPath === found.described.directPath);
  if (stanza.attrs['type'] !== 'media' || mediaType !== found.kind) return false;
  if (!upload || stanza.attrs['media_id'] !== upload.handle) return false;
  try {
    readMedia(state, message, 'channels');
    return true;
  } catch {
    return false;
  }
}

/** A link preview is declared as a file is, but has no handle. */
function isCompleteCard(
  state: PeerState,
  { attrs }: Stanza,
  message: proto.IMessage,
  mediaType: string | undefined,
): boolean {
  if (attrs['type'] !== 'media' || mediaType !== 'url' || attrs['media_id'] !== undefined) return false;
  try {
    return readCard(state, message, 'channels') !== undefined;
  } catch {
    return false;
  }
}

/** An admin deletes or edits a post. */
function changeInChannel(
  state: PeerState,
  channel: Channel,
  { messageId, edit, stanza }: { messageId: string; edit: string; stanza: Stanza },
): { serverId: number } | number {
  const { defects } = state;
  const post = channel.posts.find((one) => one.messageId === messageId);
  if (!post) return 404;
  const content = bytesOf(child(stanza, 'plaintext'));
  if (edit === '8' && content.length === 0) channel.posts = channel.posts.filter((one) => one !== post);
  else if (edit === '3' && content.length > 0) {
    post.message = proto.Message.decode(content);
    const mediaType = child(stanza, 'plaintext')?.attrs['mediatype'];
    if (hasCard(post.message) && !isCompleteCard(state, stanza, post.message, mediaType))
      defects.push(new Error('a change in a channel to a link preview that cannot be shown'));
  } else defects.push(new Error(`a change in a channel that is marked with ${edit}`));
  return { serverId: post.serverId };
}

/** Returns the text that a member sees of a message. */
export function textIn(message: proto.IMessage): string {
  const caption = describedMedia(message)?.described.caption ?? undefined;
  const asked = pollIn(message)?.name ?? message.eventMessage?.name ?? undefined;
  return message.extendedTextMessage?.text ?? message.conversation ?? caption ?? asked ?? '';
}
