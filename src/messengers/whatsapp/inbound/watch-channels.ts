/** Polls channels for the views and reactions of the account's posts of the last days, since WhatsApp does not push them. */
import type { OnLoopError } from '../../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../../platform/log/log.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import type { MemberEvent } from '../../messenger.ts';
import type { PostCounts } from '../chats/channel-posts.ts';
import type { Client } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import { classifyRejection } from '../failures.ts';
import { createPollSchedule, type PollSchedule, type PollTiming } from './poll-schedule.ts';
import { createChannelReader, type ReadChannel, type SoughtPost } from './read-channel.ts';
import type { NumberedPost } from '../send/sent-messages.ts';
import { partIdsOf } from '../send/split-post.ts';
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

interface PostedBefore extends NumberedPost {
  ageMs: number;
}

export interface ChannelWatchOptions {
  accountId: AccountId;
  log: Log;
  /** Undefined while no query may be sent. */
  client(): Client | undefined;
  findPosts(): Promise<PostedBefore[]>;
  storeServerIds(posts: readonly NumberedPost[]): Promise<void>;
  /** Resolves to false if the events were not recorded. Never rejects. */
  emit(events: MemberEvent[]): Promise<boolean>;
  timing: PollTiming & { /** How long an answer may take. */ channelAnswerMs: number };
  onLoopError?: OnLoopError | undefined;
}

/** Later changes are few, and sent messages are stored as long. */
export const WATCHED_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;
const COOLDOWN_MS = 10 * 60_000;

interface Watched extends SoughtPost {
  untilMs: number;
  /** The counts that were emitted last. */
  lastEmitted: { views: number | null; reactions: number } | undefined;
}

interface Watching extends ChannelWatchOptions {
  plan: PollSchedule;
  /** Posts by chat and message id. */
  watched: Map<string, Map<string, Watched>>;
  /** `watched` has the posts of earlier sessions. */
  isLoaded: boolean;
  readChannel: ReadChannel;
  stopping: AbortSignal;
}

export function watchChannels(options: ChannelWatchOptions) {
  const { log, timing, onLoopError } = options;
  const stopping = new AbortController();
  const watching: Watching = {
    ...options,
    plan: createPollSchedule(timing),
    watched: new Map(),
    isLoaded: false,
    readChannel: createChannelReader({ ...options, answerMs: timing.channelAnswerMs }),
    stopping: stopping.signal,
  };
  const loop = startLoop('channels', () => step(watching), {
    log,
    accountId: options.accountId,
    onLoopError,
  });
  return {
    /** A post may just have left for a channel, or its number is known. */
    add(post: NumberedPost) {
      add(watching, { ...post, ageMs: 0 });
      loop.wake();
    },
    stop() {
      stopping.abort();
      return loop.stop();
    },
  };
}

/** Polls the channel that is due. Returns in how many milliseconds to continue. */
async function step(watching: Watching): Promise<number> {
  const client = watching.client();
  if (!client) return watching.timing.pollGapMs;
  await load(watching);
  const next = watching.plan.next(performance.now());
  if ('waitMs' in next) return next.waitMs;
  const { chatId } = next;
  if (forgetOld(watching, chatId)) await pollChannel(watching, client, chatId);
  return 0;
}

async function load(watching: Watching): Promise<void> {
  if (watching.isLoaded) return;
  for (const post of await watching.findPosts())
    if (!watching.watched.get(post.chatId)?.has(post.messageId)) add(watching, post);
  watching.isLoaded = true;
}

function add({ watched, plan }: Watching, { chatId, messageId, serverId, ageMs }: PostedBefore): void {
  const posts = watched.get(chatId) ?? new Map<string, Watched>();
  watched.set(chatId, posts);
  const untilMs = performance.now() + WATCHED_DAYS * DAY_MS - ageMs;
  posts.set(messageId, { untilMs, serverId, missed: 0, lastEmitted: undefined });
  plan.pollSoon(chatId, performance.now());
}

/** False when no post of the channel is left to poll. */
function forgetOld(watching: Watching, chatId: string): boolean {
  const posts = watching.watched.get(chatId);
  for (const [messageId, { untilMs }] of posts ?? []) if (untilMs <= performance.now()) posts?.delete(messageId);
  if (posts && posts.size > 0) return true;
  forget(watching, chatId);
  return false;
}

function forget({ watched, plan }: Watching, chatId: string): void {
  watched.delete(chatId);
  plan.drop(chatId);
}

/** Queries of a closed connection stay open for a minute, so that `stop` does not wait for them. */
async function pollChannel(watching: Watching, client: Client, chatId: string): Promise<void> {
  const { accountId, watched, plan, emit, readChannel, stopping } = watching;
  const posts = watched.get(chatId) ?? new Map<string, Watched>();
  let found: 'news' | 'nothing' = 'nothing';
  try {
    const news = findNews(await unlessAborted(readChannel(client, chatId, posts), stopping), posts);
    const events = news.map(({ event }) => ({ ...event, kind: 'tally' as const, accountId, at: new Date() }));
    if (news.length > 0 && (await unlessAborted(emit(events), stopping))) {
      for (const { post, event } of news) post.lastEmitted = event;
      found = 'news';
    }
  } catch (error) {
    if (!stopping.aborted) onReadError(watching, chatId, error);
  } finally {
    plan.recordPoll(chatId, found, performance.now());
  }
}

function onReadError(watching: Watching, chatId: string, error: unknown): void {
  const { accountId, log, plan } = watching;
  const code = rejectionCodeOf(error);
  const refusal = code === undefined ? undefined : classifyRejection(code);
  log.warn({ err: error, accountId, chatId }, 'the views of a channel could not be read');
  if (refusal?.kind === 'final') forget(watching, chatId);
  if (refusal?.kind === 'cooldown') plan.coolDown(performance.now(), COOLDOWN_MS);
}

interface News {
  post: Watched;
  event: { messageId: string; views: number | null; reactions: number };
}

/** Combines the counts of all messages of a post. A post that is found is news, too: it proves that the post was sent. */
function findNews(found: ReadonlyMap<string, PostCounts>, watched: ReadonlyMap<string, Watched>): News[] {
  return [...watched].flatMap(([messageId, post]) => {
    const own = found.get(messageId);
    if (!own) return [];
    const parts = [own, ...partIdsOf(messageId).flatMap((partId) => found.get(partId) ?? [])];
    const views = mostOf(parts.flatMap((part) => part.views ?? []));
    const reactions = parts.reduce((sum, part) => sum + part.reactions, 0);
    const isKnown = post.lastEmitted?.views === views && post.lastEmitted.reactions === reactions;
    return isKnown ? [] : [{ post, event: { messageId, views, reactions } }];
  });
}

/** Null if none is known. */
function mostOf(views: readonly number[]): number | null {
  return views.length === 0 ? null : Math.max(...views);
}
