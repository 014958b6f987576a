/**
 * Channels, which WhatsApp calls newsletters, and queries in JSON (MEX). The library's functions that create and read channels fail
 * for one without a picture, and none lists them, so the queries are made here.
 */
import type { Log } from '../../../platform/log/log.ts';
import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { QueryRejectedError, rejectionCodeOf } from '../client/errors.ts';
import { childOf } from '../client/node.ts';
import { classifyRejection } from '../failures.ts';

/** WhatsApp may retire these ids at any time. */
export interface ChannelQueryIds {
  create: string;
  read: string;
  list: string;
}

const CHANNEL_QUERY_IDS: ChannelQueryIds = {
  create: '8823471724422422',
  read: '6563316087068696',
  list: '6388546374527196',
};

export interface ChannelQueries {
  // Each of these throws as `Client.query` does.
  /** `picture` comes from `toChannelPicture`. */
  create(
    client: Client,
    channel: { name: string; description: string; picture: Buffer | null },
  ): Promise<MessengerGroup>;
  /** The channels that the account follows or runs. `known` are those that were listed or created before. */
  list(client: Client, known: readonly string[]): Promise<MessengerGroup[]>;
  read(client: Client, chatId: string): Promise<MessengerGroup>;
}

export function createChannelQueries(ids: Partial<ChannelQueryIds>, log: Log): ChannelQueries {
  const all = { ...CHANNEL_QUERY_IDS, ...ids };
  const read = (client: Client, chatId: string) => readChannel(client, all.read, chatId);
  return {
    read,
    async create(client, channel) {
      await acceptTerms(client, log);
      return createChannel(client, all.create, channel);
    },
    list: (client, known) => listChannels(client, { known, queryId: all.list, read, log }),
  };
}

/** The part of WhatsApp's answer that is used. */
interface DescribedChannel {
  id: string;
  state?: { type?: string };
  thread_metadata: {
    creation_time: string;
    name: { text: string };
    invite: string;
    subscribers_count?: string;
  };
  viewer_metadata?: { role?: string };
}

/** WhatsApp's terms for channels, without which none can be created. Accepting them again has no effect. */
const TERMS = { id: '20601218', stage: '5' };

/** If this is rejected, the creation's own error says why. */
async function acceptTerms(client: Client, log: Log): Promise<void> {
  try {
    await client.query({ type: 'set', xmlns: 'tos', content: [{ tag: 'notice', attrs: TERMS }] });
  } catch (error) {
    const code = rejectionCodeOf(error);
    if (code === undefined) throw error;
    log.warn({ code }, 'the terms for channels could not be accepted');
  }
}

async function createChannel(
  client: Client,
  queryId: string,
  { name, description, picture }: Parameters<ChannelQueries['create']>[1],
): Promise<MessengerGroup> {
  const image = picture === null ? {} : { picture: picture.toString('base64') };
  const input = { name, description, ...image };
  return toGroup(await ask<DescribedChannel>(client, queryId, { input }, 'xwa2_newsletter_create'));
}

interface Listing {
  known: readonly string[];
  queryId: string;
  read: ChannelQueries['read'];
  log: Log;
}

/** If WhatsApp rejects the list, the known channels are read one by one, so that they do not count as gone. */
async function listChannels(client: Client, { known, queryId, read, log }: Listing): Promise<MessengerGroup[]> {
  try {
    const found = await ask<DescribedChannel[]>(client, queryId, {}, 'xwa2_newsletter_subscribed');
    return found.filter(({ state }) => state?.type === undefined || state.type === 'ACTIVE').map(toGroup);
  } catch (error) {
    const code = rejectionCodeOf(error);
    if (code === undefined || classifyRejection(code).kind === 'cooldown') throw error;
    log.warn({ code }, 'WhatsApp no longer lists channels: new ones that were not created here are not found');
    return listKnown(client, { known, read });
  }
}

async function listKnown(client: Client, { known, read }: Pick<Listing, 'known' | 'read'>): Promise<MessengerGroup[]> {
  const channels: MessengerGroup[] = [];
  for (const chatId of known) {
    try {
      channels.push(await read(client, chatId));
    } catch (error) {
      // This channel is gone.
      if (rejectionCodeOf(error) !== GONE) throw error;
    }
  }
  return channels;
}

const GONE = 404;

async function readChannel(client: Client, queryId: string, chatId: string): Promise<MessengerGroup> {
  const variables = {
    fetch_creation_time: true,
    fetch_full_image: false,
    fetch_viewer_metadata: true,
    input: { key: chatId, type: 'JID' },
  };
  return toGroup(await ask<DescribedChannel>(client, queryId, variables, 'xwa2_newsletter'));
}

async function ask<Data>(client: Client, queryId: string, variables: object, field: string): Promise<Data> {
  const query = { tag: 'query', attrs: { query_id: queryId }, content: Buffer.from(JSON.stringify({ variables })) };
  const answer = await client.query({ type: 'get', xmlns: 'w:mex', content: [query] });
  const { content } = childOf(answer, 'result') ?? {};
  if (!(content instanceof Uint8Array)) throw new Error('an answer about channels has no result');
  const { data, errors } = JSON.parse(Buffer.from(content).toString()) as {
    data: Record<string, Data | null> | null;
    errors?: Array<{ message: string; extensions?: { error_code?: number } }>;
  };
  const [error] = errors ?? [];
  if (error) throw new QueryRejectedError(error.extensions?.error_code ?? 400, error.message);
  const found = data?.[field];
  if (found === undefined || found === null) throw new QueryRejectedError(404, 'an answer about channels has no data');
  return found;
}

function toGroup({ id, thread_metadata: thread, viewer_metadata: viewer }: DescribedChannel): MessengerGroup {
  return {
    chatId: id,
    sendTo: id,
    kind: 'channel',
    name: thread.name.text,
    participants: Number(thread.subscribers_count ?? 0),
    inviteLink: `https://whatsapp.com/channel/${thread.invite}`,
    canSend: viewer?.role === 'OWNER' || viewer?.role === 'ADMIN',
    createdAt: new Date(Number(thread.creation_time) * 1_000),
  };
}
