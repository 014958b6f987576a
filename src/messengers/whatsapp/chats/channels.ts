/**
 * Channels, which WhatsApp calls newsletters. The library's functions that create and read channels fail for one without a picture, and
 * none lists them, so the queries are made here.
 */
import type { Log } from '../../../platform/log/log.ts';
import type { MessengerGroup } from '../../messenger.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf, UnreadableAnswerError } from '../client/errors.ts';
import { classifyRejection } from '../failures.ts';
import { parseChannel, parseChannelList } from './parse-channel.ts';
import { queryMex, type MexQuery } from './mex-query.ts';

/** WhatsApp may retire these ids at any time. */
export interface ChannelQueryIds {
  create: string;
  read: string;
  list: string;
}

const QUERY_IDS: ChannelQueryIds = {
  create: '8823471724422422',
  read: '6563316087068696',
  list: '6388546374527196',
};
/** The second try: those of WhatsApp Web 2.3000.1043028647. */
const NEWER_QUERY_IDS: ChannelQueryIds = {
  create: '25149874324715067',
  read: '27456920720571478',
  list: '25399611239711790',
};

export interface ChannelList {
  channels: MessengerGroup[];
  /** Why the list is incomplete: channels that are not in it may exist. Undefined: it is complete. */
  failure?: unknown;
}

export type ChannelQueries = ReturnType<typeof createChannelQueries>;

interface NewChannel {
  name: string;
  description: string;
  /** From `toChannelPicture`. */
  picture: Buffer | null;
}

interface QueryOptions {
  ids: Partial<ChannelQueryIds>;
  /** How long an answer may take, in milliseconds. */
  answerMs: number;
  log: Log;
}

export function createChannelQueries({ ids, answerMs, log }: QueryOptions) {
  const asking: Asking = { ids: { ...QUERY_IDS, ...ids }, answerMs, log };
  return {
    /** Throws as `queryMex` does. */
    async create(client: Client, channel: NewChannel) {
      await acceptTerms(client, asking);
      return createChannel(client, asking, channel);
    },
    /** The channels that the account follows or runs. `known` are those that were listed or created before. Never rejects. */
    list: (client: Client, known: readonly string[]) => listChannels(client, asking, known),
  };
}

interface Asking extends QueryOptions {
  ids: ChannelQueryIds;
}

/** WhatsApp's terms for channels, without which none can be created. Accepting them again has no effect. */
const TERMS = ['20601217', '20601218'];
const TERMS_STAGE = '5';

/** If this fails, the answer to the creation says whether it matters. */
async function acceptTerms(client: Client, { answerMs, log }: Asking): Promise<void> {
  for (const id of TERMS) {
    const notice = { tag: 'notice', attrs: { id, stage: TERMS_STAGE } };
    try {
      await client.query({ type: 'set', xmlns: 'tos', content: [notice] }, answerMs);
    } catch (error) {
      log.warn({ err: error, id }, 'terms for channels could not be accepted');
    }
  }
}

async function createChannel(
  client: Client,
  { ids, answerMs }: Asking,
  { name, description, picture }: NewChannel,
): Promise<MessengerGroup> {
  const image = picture === null ? {} : { picture: picture.toString('base64') };
  const variables = { input: { name, description, ...image } };
  const queries = bothOf({ id: ids.create, variables }, { id: NEWER_QUERY_IDS.create, variables });
  // A second channel would be created if this were repeated after an answer that cannot be read.
  const options = { field: 'xwa2_newsletter_create', timeoutMs: 3 * answerMs, isRepeatable: false };
  const channel = parseChannel(await queryMex(client, queries, options));
  if (!channel) throw new UnreadableAnswerError('the answer does not describe the new channel');
  return channel;
}

/** If WhatsApp lists no channels, the known ones are read one by one, as far as that works. */
async function listChannels(client: Client, asking: Asking, known: readonly string[]): Promise<ChannelList> {
  const { ids, answerMs, log } = asking;
  const newer = { fetch_status_metadata: false, fetch_wamo_sub: false };
  const queries = bothOf({ id: ids.list, variables: {} }, { id: NEWER_QUERY_IDS.list, variables: newer });
  const options = { field: 'xwa2_newsletter_subscribed', timeoutMs: answerMs, isRepeatable: true };
  try {
    const { channels, unreadable } = parseChannelList(await queryMex(client, queries, options));
    if (unreadable === 0) return { channels };
    log.warn({ unreadable }, 'WhatsApp lists channels that cannot be read: the known ones are kept');
    return { channels, failure: new UnreadableAnswerError('some channels cannot be read') };
  } catch (error) {
    log.warn({ err: error }, 'WhatsApp does not list channels: the known ones are kept');
    return { channels: isRejected(error) ? await readKnown(client, asking, known) : [], failure: error };
  }
}

/** True if WhatsApp answers, and does not ask for a cool-down: other queries may succeed. */
function isRejected(error: unknown): boolean {
  const code = rejectionCodeOf(error);
  return code !== undefined && classifyRejection(code).kind !== 'cooldown';
}

/** Stops at the first channel that cannot be read: the query for a single channel may be retired, too. */
async function readKnown(client: Client, { ids, answerMs, log }: Asking, known: readonly string[]) {
  const channels: MessengerGroup[] = [];
  const deadline = performance.now() + 2 * answerMs;
  for (const chatId of known) {
    if (performance.now() > deadline) break;
    const older = {
      fetch_creation_time: true,
      fetch_full_image: false,
      fetch_viewer_metadata: true,
      input: { key: chatId, type: 'JID' },
    };
    // The newer query is a bad request unless each of these is given.
    const newer = { ...older, fetch_pinned_messages: false, fetch_status_metadata: false, fetch_wamo_sub: false };
    const queries = bothOf({ id: ids.read, variables: older }, { id: NEWER_QUERY_IDS.read, variables: newer });
    const options = { field: 'xwa2_newsletter', timeoutMs: answerMs, isRepeatable: true };
    try {
      const channel = parseChannel(await queryMex(client, queries, options));
      if (!channel) break;
      channels.push(channel);
    } catch (error) {
      log.warn({ err: error, chatId }, 'a channel could not be read');
      break;
    }
  }
  return channels;
}

/** Without the second if it is the first. */
function bothOf(first: MexQuery, second: MexQuery): [MexQuery, ...MexQuery[]] {
  return first.id === second.id ? [second] : [first, second];
}
