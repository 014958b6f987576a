/**
 * Answers retry receipts of groups, one after the other, beside the posts. In a group of a thousand members some hundreds may ask for
 * nearly every post. A receipt is stored before it is acknowledged, so that it is answered after a restart too.
 */
import { LRUCache } from 'lru-cache';
import { createBatcher } from '../../../platform/concurrency/batcher.ts';
import type { OnLoopError } from '../../../platform/concurrency/failure-streak.ts';
import { startLoop } from '../../../platform/concurrency/loop.ts';
import { unlessAborted } from '../../../platform/concurrency/unless-aborted.ts';
import type { Client } from '../client/client.ts';
import type { KeyValueStore } from '../client/key-storage.ts';
import { parseWithBytes, stringifyWithBytes } from '../client/json-with-bytes.ts';
import type { Node } from '../client/node.ts';
import { isRetryInGroup, readRetry, type Retry } from './read-retry.ts';
import { answerRetry, type Answering } from './answer-retry.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

export interface AnsweringAll extends Omit<Answering, 'client'> {
  accountId: AccountId;
  /** Undefined while nothing may be sent. */
  client(): Client | undefined;
  store: KeyValueStore;
  /** The pause between two answers, in milliseconds. */
  answerGapMs: number;
  onLoopError?: OnLoopError | undefined;
}

export type Answers = ReturnType<typeof answerRetries>;

/** To one device for one post. WhatsApp's own clients do not ask more often. */
const MAX_ANSWERS = 5;
/** Receipts of one account; further ones are not answered. */
const MAX_WAITING = 5_000;
/** Pairs of a device and a post whose receipts are counted. */
const MAX_COUNTED = 20_000;
/** Poison message: a receipt is given up after so many, so that the others do not wait for ever. */
const MAX_FAILURES = 3;
const MAX_RECORDED_AT_ONCE = 500;
const POLL_AGAIN_MS = 1_000;
const IDLE_MS = 60_000;

const ASKED_AGAIN = 'asked-again';

interface Waiting {
  retry: Retry;
  failures: number;
}

interface State extends AnsweringAll {
  /** By device and post, oldest first. */
  waiting: Map<string, Waiting>;
  /** The number of receipts, by device and post. */
  asked: LRUCache<string, number>;
  /** The receipts that earlier sessions stored are in `waiting`. */
  isLoaded: boolean;
  /** When the next answer may leave, by the process's clock. */
  nextAtMs: number;
  stopping: AbortSignal;
}

export function answerRetries(options: AnsweringAll) {
  const { log, accountId, store, onLoopError } = options;
  const stopping = new AbortController();
  const state: State = {
    ...options,
    waiting: new Map(),
    // Each account has one of these. `max` would allocate all of it at once; `maxSize` grows with use.
    asked: new LRUCache({ maxSize: MAX_COUNTED, sizeCalculation: () => 1 }),
    isLoaded: false,
    nextAtMs: 0,
    stopping: stopping.signal,
  };
  const loop = startLoop('answers', () => step(state), {
    log,
    accountId: options.accountId,
    onLoopError,
  });
  const recording = createBatcher(
    async (retries: Retry[]) => {
      await store.write(ASKED_AGAIN, new Map(retries.map((retry) => [nameOf(retry), stringifyWithBytes(retry)])));
      return retries;
    },
    { parallel: 1, most: MAX_RECORDED_AT_ONCE },
  );

  async function take(client: Client, stanza: Node): Promise<void> {
    const retry = readRetry(stanza);
    if (retry && admit(state, retry)) {
      await recording.add(retry);
      state.waiting.set(nameOf(retry), { retry, failures: 0 });
      loop.wake();
    }
    await client.acknowledge(stanza);
  }

  return {
    /** Listens to one connection, from before its opening to its end. The library does not receive these receipts. */
    listen(client: Client) {
      client.interceptStanzas('receipt', (stanza, pass) => {
        if (!isRetryInGroup(stanza)) return pass();
        take(client, stanza).catch((error: unknown) => {
          log.warn({ err: error, accountId }, 'a retry receipt was not stored, WhatsApp delivers it again');
        });
      });
    },
    stop() {
      stopping.abort();
      return loop.stop();
    },
  };
}

const decode = (stored: unknown): Retry => parseWithBytes(String(stored)) as Retry;

const nameOf = ({ messageId, device }: Retry) => `${messageId} ${device}`;

/** Counts the receipt. False if it is not to be answered. */
function admit({ waiting, asked, accountId, log }: State, retry: Retry): boolean {
  const name = nameOf(retry);
  const times = (asked.get(name) ?? 0) + 1;
  if (Math.max(times, retry.count) > MAX_ANSWERS) return false;
  if (waiting.size >= MAX_WAITING && !waiting.has(name)) {
    log.warn({ accountId }, 'so many devices ask for posts again that one is not answered');
    return false;
  }
  asked.set(name, times);
  return true;
}

/** Answers the next receipt. Returns in how many milliseconds to continue. */
async function step(state: State): Promise<number> {
  await load(state);
  const { waiting, retrySuppression, answerGapMs } = state;
  if (waiting.size === 0) return IDLE_MS;
  const client = state.client();
  const next = waiting.entries().find(([, { retry }]) => !retrySuppression.isSuppressed(retry.messageId));
  if (!client || !next) return POLL_AGAIN_MS;
  const earlyMs = state.nextAtMs - performance.now();
  if (earlyMs > 0) return earlyMs;
  state.nextAtMs = performance.now() + answerGapMs;
  const [name, one] = next;
  if (await answer(state, client, one)) await forget(state, name, one);
  return answerGapMs;
}

async function load(state: State): Promise<void> {
  if (state.isLoaded) return;
  for (const [name, stored] of await state.store.list(ASKED_AGAIN))
    if (!state.waiting.has(name)) state.waiting.set(name, { retry: decode(stored), failures: 0 });
  state.isLoaded = true;
}

/** True when the receipt is dealt with. */
async function answer(state: State, client: Client, one: Waiting): Promise<boolean> {
  const { accountId, log, stopping } = state;
  try {
    return await unlessAborted(answerRetry({ ...state, client }, one.retry, one.failures > 0), stopping);
  } catch (error) {
    if (stopping.aborted || !client.isOpen) return false;
    one.failures += 1;
    log.warn({ err: error, accountId }, 'a device that asks for a post again was not answered');
    return one.failures >= MAX_FAILURES;
  }
}

async function forget({ waiting, store }: State, name: string, answered: Waiting): Promise<void> {
  // The device may have asked again meanwhile, with other keys.
  if (waiting.get(name) !== answered) return;
  waiting.delete(name);
  await store.write(ASKED_AGAIN, new Map([[name, null]]));
}
