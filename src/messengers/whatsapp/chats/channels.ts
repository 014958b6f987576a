/**
 * Channels, which WhatsApp calls newsletters. They are asked about in JSON. The client's own functions for creating and reading them
 * break where a channel has no picture, and for listing them there is none, so the queries are made here.
 */
import type { Log } from '../../../platform/log/log.ts';
import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { QueryRejectedError, rejectionCodeOf } from '../client/errors.ts';
import { childOf } from '../client/node.ts';
import { classifyRejection } from '../failures.ts';

/** The numbers of the queries, which WhatsApp may retire at any time. */
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
  /** `picture` is as `toChannelPicture` makes it. Throws what the client throws for a refused query (see `rejectionCodeOf`). */
  create(
    client: Client,
    channel: { name: string; description: string; picture: Buffer | null },
  ): Promise<MessengerGroup>;
  /** The channels the account follows or runs; `known`: those that were listed or created before. */
  list(client: Client, known: readonly string[]): Promise<MessengerGroup[]>;
  read(client: Client, chatId: string): Promise<MessengerGroup>;
}

/** The numbers that are not given have their defaults. */
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

/** What is read of a channel as WhatsApp describes it. */
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

/** WhatsApp's terms for channels: who has not accepted them may create none. To accept them again does nothing. */
const TERMS = { id: '20601218', stage: '5' };

/** Where that is refused, the creation itself says what is wrong. */
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

/** Should the query that lists channels be refused, those that are known are asked for one by one, rather than taken for gone. */
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
      // One that is gone is what was asked about.
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
