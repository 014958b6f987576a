import { proto } from 'baileys';
import type { Connection } from './connection.ts';
import type { QueryAnswer } from './answer-queries.ts';
import type { PeerState } from './state.ts';
import { bytesOf, child, element, seconds, textOf, type Stanza } from './stanza.ts';
import { addChannel, type Channel, type Person } from './world.ts';

const CREATE = '8823471724422422';
const READ = '6563316087068696';
const UPDATE = '24250201037901610';
const SUBSCRIBED = '6388546374527196';
const RESTRICTION = '23983697327930364';

interface Variables {
  newsletter_id?: string;
  input?: { key?: string; name?: string; description?: string | null; picture?: string };
  updates?: { name?: string; description?: string; picture?: string };
}

/** What is asked in JSON; channels are. */
export function answerChannelQuery(state: PeerState, { companion }: Connection, asked: Stanza): QueryAnswer {
  if (!companion) return undefined;
  const { variables } = JSON.parse(textOf(asked)) as { variables: Variables };
  const { world } = state;
  const told = (field: string, value: unknown) => [
    element('result', {}, Buffer.from(JSON.stringify({ data: { [field]: value } }))),
  ];
  switch (asked.attrs['query_id']) {
    case CREATE: {
      const { name = '', description, picture } = variables.input ?? {};
      const channel = addChannel(world, companion.person, {
        name,
        description: description ?? '',
        picture: picture === undefined ? undefined : Buffer.from(picture, 'base64'),
      });
      return told('xwa2_newsletter_create', describeChannel(channel, companion.person));
    }
    case READ: {
      const channel = findChannel(state, variables.input?.key);
      return channel ? told('xwa2_newsletter', describeChannel(channel, companion.person)) : notFound();
    }
    case UPDATE: {
      const channel = findChannel(state, variables.newsletter_id);
      const { name, description, picture } = variables.updates ?? {};
      if (!channel) return notFound();
      channel.name = name ?? channel.name;
      channel.description = description ?? channel.description;
      if (picture !== undefined) channel.picture = Buffer.from(picture, 'base64');
      return told('xwa2_newsletter_update', describeChannel(channel, companion.person));
    }
    case SUBSCRIBED: {
      const all = [...world.channels.values()].filter(({ owner }) => owner === companion.person);
      return told(
        'xwa2_newsletter_subscribed',
        all.map((channel) => describeChannel(channel, companion.person)),
      );
    }
    case RESTRICTION:
      return told('xwa2_fetch_account_reachout_timelock', describeRestriction(state.script.restrictedUntil));
    default:
      return undefined;
  }
}

export function describeRestriction(until: Date | undefined) {
  const ends = until === undefined ? '0' : String(Math.ceil(until.getTime() / 1_000));
  return { is_active: until !== undefined, time_enforcement_ends: ends, enforcement_type: 'DEFAULT' };
}

function findChannel({ world }: PeerState, key: string | undefined): Channel | undefined {
  return [...world.channels.values()].find(({ id, invite }) => id === key || invite === key);
}

function notFound(): Stanza[] {
  const error = { message: 'Not Found', extensions: { error_code: 404, is_retryable: false, severity: 'CRITICAL' } };
  return [element('result', {}, Buffer.from(JSON.stringify({ data: null, errors: [error] })))];
}

/** A channel without a picture has `picture: null`. */
function describeChannel(channel: Channel, viewer: Person) {
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
      picture: channel.picture ? { id: '1', type: 'IMAGE', direct_path: '/m1/x' } : null,
      preview: { id: '1', type: 'PREVIEW', direct_path: '' },
      settings: { reaction_codes: { value: 'ALL' } },
      subscribers_count: String(channel.followers),
      verification: 'UNVERIFIED',
    },
    viewer_metadata: { mute: 'OFF', role: channel.owner === viewer ? 'OWNER' : 'SUBSCRIBER' },
  };
}

/** The last posts of a channel, as whoever follows it reads them. */
export function listPosts(state: PeerState, query: Stanza, asked: Stanza): QueryAnswer {
  const channel = state.world.channels.get(query.attrs['to'] ?? '');
  if (!channel) return 404;
  if (asked.tag === 'live_updates') return [element('live_updates', { duration: '300' })];
  if (asked.tag !== 'messages' && asked.tag !== 'message_updates') return undefined;
  const after = Number(asked.attrs['after'] ?? 0);
  const posts = channel.posts.filter(({ serverId }) => serverId > after).slice(-Number(asked.attrs['count'] ?? 50));
  const listed = element('messages', { jid: channel.id, t: seconds() }, posts.map(describePost));
  return [element(asked.tag, { t: seconds() }, [listed])];
}

function describePost(post: Channel['posts'][number]): Stanza {
  const attributes = { id: post.messageId, server_id: String(post.serverId), t: post.at, type: 'text' };
  return element('message', attributes, [
    element('plaintext', {}, proto.Message.encode(post.message).finish()),
    element('views_count', { count: String(post.views) }),
    element('reactions', {}, []),
  ]);
}

/** Takes a post to a channel; the id that the server gives it, or the code it refuses with. A repeated id is not shown again. */
export function postToChannel(state: PeerState, author: Person, stanza: Stanza): { serverId: number } | number {
  const { to = '', id: messageId = '' } = stanza.attrs;
  const channel = state.world.channels.get(to);
  if (!channel) return 404;
  if (channel.owner !== author) return 403;
  const { edit } = stanza.attrs;
  if (edit !== undefined) return changeInChannel(state, channel, { messageId, edit, stanza });
  const plain = Array.isArray(stanza.content) ? stanza.content.find(({ tag }) => tag === 'plaintext') : undefined;
  if (stanza.attrs['type'] === 'media' && plain?.attrs['mediatype'] === undefined) return 479;
  const message = proto.Message.decode(bytesOf(plain));
  const post = { serverId: 100 + channel.posts.length, messageId, at: seconds(), message, views: 0 };
  // Unlike groups: nothing is known that would drop a repeat, so the peer shows it twice.
  channel.posts.push(post);
  state.arrivals.push({ chatId: to, messageId, device: to, text: textIn(message), message });
  return { serverId: post.serverId };
}

/** An admin deletes or edits a post. */
function changeInChannel(
  { defects }: PeerState,
  channel: Channel,
  { messageId, edit, stanza }: { messageId: string; edit: string; stanza: Stanza },
): { serverId: number } | number {
  const post = channel.posts.find((one) => one.messageId === messageId);
  if (!post) return 404;
  const content = bytesOf(child(stanza, 'plaintext'));
  if (edit === '8' && content.length === 0) channel.posts = channel.posts.filter((one) => one !== post);
  else if (edit === '3' && content.length > 0) post.message = proto.Message.decode(content);
  else defects.push(new Error(`a change in a channel that is marked with ${edit}`));
  return { serverId: post.serverId };
}

/** What a member reads of a message. */
export function textIn(message: proto.IMessage): string {
  return message.extendedTextMessage?.text ?? message.conversation ?? '';
}
