/** Fetches the cards of links: each once for a while, a few at a time, and so many a minute, all for each requester. */
import { LRUCache } from 'lru-cache';
import type { AllowedHosts } from '../../platform/network/allowed-hosts.ts';
import type { Key, Party } from '../../platform/concurrency/party.ts';
import { currentRequester } from '../../platform/concurrency/requester.ts';
import { createFairSemaphore, withPermit } from '../../platform/concurrency/fair-semaphore.ts';
import { createThreadPool } from '../../platform/concurrency/thread-pool.ts';
import { createSafeHttpClient, type EgressOptions } from '../../platform/http-client/safe-http-client.ts';
import type { Log } from '../../platform/log/log.ts';
import { fetchCard, type CardSources } from './fetch-card.ts';
import type { FetchedCard } from './link-card.ts';
import { OEMBED_PROVIDERS, type OembedProvider } from './oembed.ts';
import type { FetchedPage, PageCard } from './read-page.ts';

/**
 * Why there is no card. `disabled`: the operator allows no fetches. `no_answer`: the site did not answer in time, or has no public
 * address. `no_card`: the page has no title to show. `rate_limited`: the user has caused too many fetches.
 */
export type NoCardReason = 'disabled' | 'no_answer' | 'no_card' | 'rate_limited';

export type CardResult =
  | { card: FetchedCard; reason?: undefined }
  | { card: null; reason: NoCardReason; /** Of `rate_limited`. */ retryAfterSeconds?: number };

/** The end of a sentence for the author of a post. */
export function explainNoCard(reason: NoCardReason): string {
  switch (reason) {
    case 'disabled':
      return 'this service fetches none';
    case 'no_answer':
      return 'its site did not answer in time';
    case 'no_card':
      return 'its page has no title';
    case 'rate_limited':
      return `your workspace has caused ${FETCHES_PER_MINUTE} in a minute`;
    default:
      return reason satisfies never;
  }
}

export interface LinkPreviews {
  /** Returns the card of a URL within `fetchMs`. Never throws. */
  find(url: string): Promise<CardResult>;
  close(): Promise<void>;
}

export interface LinkPreviewsOptions extends Pick<EgressOptions, 'proxy' | 'lookup' | 'ca'> {
  log: Log;
  isEnabled: boolean;
  /** Hosts that are not public, and whose pages may be read nevertheless. */
  allowed: AllowedHosts;
  /** For everything about one link, in milliseconds. */
  fetchMs: number;
  /** For tests. */
  fetchesPerMinute?: number;
  providers?: readonly OembedProvider[];
}

export const FETCHES_PER_MINUTE = 30;
const MINUTE_MS = 60_000;
const AT_ONCE = 8;
const AT_ONCE_PER_REQUESTER = 2;
const WAITING_AT_MOST = 100;
const THREADS = 2;
const CACHE_BYTES = 16 * 1024 * 1024;
const CARD_TTL_MS = 10 * MINUTE_MS;
/** A site that was down may be up again. */
const FAILURE_TTL_MS = 30_000;
const REQUESTERS_COUNTED = 100_000;

export function createLinkPreviews(options: LinkPreviewsOptions): LinkPreviews {
  const { isEnabled, fetchesPerMinute = FETCHES_PER_MINUTE } = options;
  const fetcher = createCardFetcher(options);
  const known = new LRUCache<string, CardResult>({ maxSize: CACHE_BYTES, sizeCalculation: sizeOf });
  const inFlight = new Map<string, Promise<CardResult>>();
  const limit = createFetchLimit(fetchesPerMinute);

  function start(url: string, cacheKey: string): Promise<CardResult> {
    const fetching = fetcher
      .fetch(url)
      .then((result) => {
        known.set(cacheKey, result, { ttl: result.card ? CARD_TTL_MS : FAILURE_TTL_MS });
        return result;
      })
      .finally(() => inFlight.delete(cacheKey));
    inFlight.set(cacheKey, fetching);
    return fetching;
  }

  return {
    async find(url) {
      if (!isEnabled) return { card: null, reason: 'disabled' };
      const requester = currentRequester()?.party ?? [];
      // Cache probing: an answer that is quick or old would tell one workspace what another has fetched.
      const cacheKey = JSON.stringify([requester, url]);
      const found = known.get(cacheKey) ?? inFlight.get(cacheKey);
      if (found) return found;
      const retryAfterSeconds = limit.count(requester);
      if (retryAfterSeconds !== undefined) return { card: null, reason: 'rate_limited', retryAfterSeconds };
      return start(url, cacheKey);
    },
    close: fetcher.close,
  };
}

/** Fetches cards, a few at a time, and a few of each requester. */
function createCardFetcher(options: LinkPreviewsOptions) {
  const { log, allowed, proxy, lookup, ca, fetchMs, providers = OEMBED_PROVIDERS } = options;
  const http = createSafeHttpClient({
    allowHttp: true,
    allowed,
    timeoutMs: fetchMs,
    ...(proxy && { proxy }),
    ...(lookup && { lookup }),
    ...(ca !== undefined && { ca }),
  });
  const threads = createThreadPool<FetchedPage, PageCard>({
    name: 'pages',
    module: new URL('./read-page-thread.ts', import.meta.url),
    threads: THREADS,
    maxWaiting: WAITING_AT_MOST,
    maxWaitMs: fetchMs,
    deadlineMs: fetchMs,
  });
  const permits = createFairSemaphore({
    name: 'link previews',
    size: AT_ONCE,
    perKey: AT_ONCE_PER_REQUESTER,
    maxWaiting: WAITING_AT_MOST,
    maxWaitMs: fetchMs,
  });

  async function fetch(url: string): Promise<CardResult> {
    const signal = AbortSignal.timeout(fetchMs);
    const sources: CardSources = { http, providers, read: (page, signal) => threads.run(page, { signal }) };
    try {
      const card = await withPermit(permits, () => fetchCard(sources, url, signal), { signal });
      return card ? { card } : { card: null, reason: 'no_card' };
    } catch (error) {
      log.info({ err: error, host: URL.parse(url)?.host }, 'a link has no preview');
      return { card: null, reason: 'no_answer' };
    }
  }

  return {
    /** Never rejects. */
    fetch,
    async close() {
      http.close();
      await threads.close();
    },
  };
}

const sizeOf = ({ card }: CardResult) => 1_024 + (card?.picture?.bytes.length ?? 0);

/** Counts in memory: each process for itself, as the other rates of requests. */
function createFetchLimit(most: number) {
  const counted = new LRUCache<Key, { count: number; untilMs: number }>({ max: REQUESTERS_COUNTED });
  return {
    /** Counts a fetch for each key. Returns the seconds to wait if it is one too many for one of them. */
    count(party: Party): number | undefined {
      const nowMs = performance.now();
      const minutes = party.map((key) => {
        const before = counted.get(key);
        return before && before.untilMs > nowMs ? before : { count: 0, untilMs: nowMs + MINUTE_MS };
      });
      const full = minutes.find(({ count }) => count >= most);
      if (full) return Math.max(1, Math.ceil((full.untilMs - nowMs) / 1_000));
      for (const [at, key] of party.entries()) {
        const { count, untilMs } = minutes[at] ?? { count: 0, untilMs: nowMs + MINUTE_MS };
        counted.set(key, { count: count + 1, untilMs });
      }
      return undefined;
    },
  };
}
