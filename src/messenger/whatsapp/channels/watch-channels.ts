/**
 * Views and reactions in channels. WhatsApp tells of them only who asks, so they are asked for: of the account's own posts of the
 * last days, by the session, which is where the account's lease is.
 */
import type { WASocket } from 'baileys';
import type { Log } from '../../../lib/log.ts';
import { startLoop } from '../../../lib/loop.ts';
import type { MemberEvent } from '../../messenger.ts';
import { readPosts, type ChannelPost } from './channel-posts.ts';
import { judgeRefusal, refusalOf } from '../failures.ts';
import { planLooks, type LookTiming } from './plan-looks.ts';
import { fileIdOf } from '../send/split-post.ts';
import { unlessAborted } from '../connect/unless-aborted.ts';

export interface ChannelWatchOptions {
  accountId: number;
  log: Log;
  /** Undefined while nothing may be asked. */
  client(): WASocket | undefined;
  /** The posts of the last days, and how old they are. */
  findPosts(): Promise<Array<{ chatId: string; messageId: string; ageMs: number }>>;
  /** What it answers with false is told again. Never rejects. */
  tell(events: MemberEvent[]): Promise<boolean>;
  timing: LookTiming;
  onLoopError?: ((loop: string) => void) | undefined;
}

export interface ChannelWatch {
  /** A post may have left for a channel just now. */
  note(post: { chatId: string; messageId: string }): void;
  stop(): Promise<void>;
}

/** Later changes are few, and what is sent is remembered for as long. */
export const WATCHED_DAYS = 7;
const DAY_MS = 24 * 60 * 60_000;
const POSTS_READ = 100;
const REST_MS = 10 * 60_000;

interface Watched {
  untilMs: number;
  /** What was told last; undefined: nothing yet. */
  told: { views: number; reactions: number } | undefined;
}

export function watchChannels(options: ChannelWatchOptions): ChannelWatch {
  const { accountId, log, timing, onLoopError } = options;
  const plan = planLooks(timing);
  const watched = new Map<string, Map<string, Watched>>();
  const stopping = new AbortController();
  let isLoaded = false;

  function add({ chatId, messageId, ageMs }: { chatId: string; messageId: string; ageMs: number }): void {
    const posts = watched.get(chatId) ?? new Map<string, Watched>();
    watched.set(chatId, posts);
    posts.set(messageId, { untilMs: performance.now() + WATCHED_DAYS * DAY_MS - ageMs, told: undefined });
    plan.note(chatId, performance.now());
  }

  async function step(): Promise<number> {
    const client = options.client();
    if (!client) return timing.lookGapMs;
    if (!isLoaded) {
      for (const post of await options.findPosts()) if (!watched.get(post.chatId)?.has(post.messageId)) add(post);
      isLoaded = true;
    }
    const next = plan.next(performance.now());
    if ('waitMs' in next) return next.waitMs;
    const { chatId } = next;
    if (forgetOld(chatId)) await lookAt(client, chatId);
    return 0;
  }

  /** False when nothing is left to be asked about. */
  function forgetOld(chatId: string): boolean {
    const posts = watched.get(chatId);
    for (const [messageId, { untilMs }] of posts ?? []) if (untilMs <= performance.now()) posts?.delete(messageId);
    if (posts && posts.size > 0) return true;
    forget(chatId);
    return false;
  }

  function forget(chatId: string): void {
    watched.delete(chatId);
    plan.drop(chatId);
  }

  async function lookAt(client: WASocket, chatId: string): Promise<void> {
    let found: 'news' | 'nothing' = 'nothing';
    try {
      const posts = await unlessAborted(readPosts(client, chatId, POSTS_READ), stopping.signal);
      const news = findNews(posts, watched.get(chatId) ?? new Map());
      const events = news.map(({ event }) => ({ ...event, kind: 'tally' as const, accountId, at: new Date() }));
      if (news.length > 0 && (await unlessAborted(options.tell(events), stopping.signal))) {
        for (const { post, event } of news) post.told = event;
        found = 'news';
      }
    } catch (error) {
      if (!stopping.signal.aborted) giveWay(chatId, error);
    } finally {
      plan.looked(chatId, found, performance.now());
    }
  }

  function giveWay(chatId: string, error: unknown): void {
    const code = refusalOf(error);
    const refusal = code === undefined ? undefined : judgeRefusal(code);
    log.warn({ err: error, accountId, chatId }, 'the views of a channel could not be read');
    if (refusal?.kind === 'final') forget(chatId);
    if (refusal?.kind === 'rest') plan.rest(performance.now(), REST_MS);
  }

  const loop = startLoop('channels', step, { log, ...(onLoopError && { onError: onLoopError }) });
  return {
    note(post) {
      add({ ...post, ageMs: 0 });
      loop.wake();
    },
    stop() {
      stopping.abort();
      return loop.stop();
    },
  };
}

interface News {
  post: Watched;
  event: { messageId: string; views: number; reactions: number };
}

/** Of a post that is a file and a text, what was done about either counts. That a post is there is news too: it proves it sent. */
function findNews(found: readonly ChannelPost[], watched: ReadonlyMap<string, Watched>): News[] {
  const byId = new Map(found.map((post) => [post.messageId, post]));
  return [...watched].flatMap(([messageId, post]) => {
    const own = byId.get(messageId);
    if (!own) return [];
    const file = byId.get(fileIdOf(messageId));
    const views = Math.max(own.views, file?.views ?? 0);
    const reactions = own.reactions + (file?.reactions ?? 0);
    const isKnown = post.told?.views === views && post.told.reactions === reactions;
    return isKnown ? [] : [{ post, event: { messageId, views, reactions } }];
  });
}
