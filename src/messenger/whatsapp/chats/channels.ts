/**
 * Channels, which WhatsApp calls newsletters. They are asked about in JSON. The client's own functions for creating and reading them
 * break where a channel has no picture, and for listing them there is none, so the queries are made here.
 */
import { getBinaryNodeChild, QueryIds, XWAPaths, type BinaryNode, type WASocket } from 'baileys';
import type { Log } from '../../../lib/log.ts';
import type { MessengerGroup } from '../../messenger.ts';
import { judgeRefusal, refusalOf } from '../failures.ts';

const LIST_SUBSCRIBED = '6388546374527196';

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

/** `picture` is as `toChannelPicture` makes it. Throws what the client throws for a refused query (see `refusalOf`). */
export async function createChannel(
  client: WASocket,
  { name, description, picture }: { name: string; description: string; picture: Buffer | null },
): Promise<MessengerGroup> {
  const image = picture === null ? {} : { picture: picture.toString('base64') };
  const input = { name, description, ...image };
  return toGroup(await ask<DescribedChannel>(client, QueryIds.CREATE, { input }, XWAPaths.xwa2_newsletter_create));
}

/**
 * The channels the account follows or runs. The query that lists them has a number that WhatsApp may retire at any time: should it
 * be refused, those that are known are asked for one by one, rather than taken for gone.
 */
export async function listChannels(client: WASocket, known: readonly string[], log: Log): Promise<MessengerGroup[]> {
  try {
    const found = await ask<DescribedChannel[]>(client, LIST_SUBSCRIBED, {}, 'xwa2_newsletter_subscribed');
    return found.filter(({ state }) => state?.type === undefined || state.type === 'ACTIVE').map(toGroup);
  } catch (error) {
    const code = refusalOf(error);
    if (code === undefined || judgeRefusal(code).kind === 'rest') throw error;
    log.warn({ code }, 'WhatsApp no longer lists channels: new ones that were not created here are not found');
    return listKnown(client, known);
  }
}

async function listKnown(client: WASocket, known: readonly string[]): Promise<MessengerGroup[]> {
  const channels: MessengerGroup[] = [];
  for (const chatId of known) {
    try {
      channels.push(await readChannel(client, chatId));
    } catch (error) {
      // One that is gone is what was asked about.
      if (refusalOf(error) !== GONE) throw error;
    }
  }
  return channels;
}

const GONE = 404;

export async function readChannel(client: WASocket, chatId: string): Promise<MessengerGroup> {
  const variables = {
    fetch_creation_time: true,
    fetch_full_image: false,
    fetch_viewer_metadata: true,
    input: { key: chatId, type: 'JID' },
  };
  return toGroup(await ask<DescribedChannel>(client, QueryIds.METADATA, variables, XWAPaths.xwa2_newsletter_metadata));
}

async function ask<Data>(client: WASocket, queryId: string, variables: object, field: string): Promise<Data> {
  const answer: BinaryNode = await client.query({
    tag: 'iq',
    attrs: { id: client.generateMessageTag(), type: 'get', to: 's.whatsapp.net', xmlns: 'w:mex' },
    content: [{ tag: 'query', attrs: { query_id: queryId }, content: Buffer.from(JSON.stringify({ variables })) }],
  });
  const content = getBinaryNodeChild(answer, 'result')?.content;
  if (!(content instanceof Uint8Array)) throw new RefusedQuery('an answer without a result', undefined);
  const { data, errors } = JSON.parse(Buffer.from(content).toString()) as {
    data: Record<string, Data | null> | null;
    errors?: Array<{ message: string; extensions?: { error_code?: number } }>;
  };
  const [error] = errors ?? [];
  if (error) throw new RefusedQuery(error.message, error.extensions?.error_code ?? 400);
  const found = data?.[field];
  if (found === undefined || found === null) throw new RefusedQuery('an answer without what was asked for', 404);
  return found;
}

/** Shaped as the client's own errors are, so that `refusalOf` reads both. */
class RefusedQuery extends Error {
  readonly data: number | undefined;
  constructor(message: string, code: number | undefined) {
    super(message);
    this.name = 'RefusedQuery';
    this.data = code;
  }
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
