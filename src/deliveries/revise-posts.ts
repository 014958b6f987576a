/**
 * The worker's half that changes what has left: recalls and corrections, each a turn of the account's lane like any send, at the
 * same pace and fenced in the same way. A try that was cut off is made again: to recall or correct a post twice does no harm.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startLoop } from '../lib/loop.ts';
import { sleep } from '../lib/time.ts';
import type { RevisionResult } from '../messenger/messenger.ts';
import { claimRevision, findRevisions, type RevisedPost, type RevisionTurn } from './claim-revision.ts';
import { gapMsOf, type LaneOptions } from './drive-lanes.ts';
import { finishRevision, type LaneAfter, type RevisionOutcome } from './finish-revision.ts';
import { loadPosts } from './load-posts.ts';
import { judge } from './outcome.ts';
import { requeueStrays } from './requeue-strays.ts';

const POLL_MS = 1_000;
/** While a lane sends, or its gap lasts: when to look again. */
const BUSY_PAUSE_MS = 20;
/** A lane is taken during its gap, ahead of what it has to send, when so little of the gap is left. */
const AHEAD_MS = 10_000;
const ACCOUNTS_UNDER_WAY = 50;
const POSTS_PER_TURN = 500;
/** What is queued for another try of sending has to leave first. */
const OPEN_PAUSE_MS = 10_000;
const REST_WITHOUT_SESSION_MS = 5_000;
const FINISH_PAUSE_MS = 500;

const NOT_POSSIBLE = 'This messaging application does not let posts be deleted or changed once they were sent';

/** Carries out what is wanted for the accounts this worker holds, until stopped; then what is in hand is finished first. */
export function revisePosts(options: LaneOptions): { stop(): Promise<void> } {
  const { db, log, leases } = options;
  const stopping = new AbortController();
  const underWay = new Map<number, Promise<void>>();
  /** How each lane was left, so that what it has to send gets its turn before it is taken again. */
  const left = new Map<number, LaneAfter>();
  // A claim whose answer was lost leaves a turn in hand that nobody knows of.
  let mayHaveStrays = false;
  const posts = loadPosts(db);
  const paced = Object.entries(options.gaps).flatMap(([name, gap]) => (gap.maxMs > 0 ? [name] : []));

  async function step(): Promise<number> {
    const shards = leases.shards();
    if (shards.length === 0 || !leases.maySend()) return POLL_MS;
    if (mayHaveStrays) {
      await requeueStrays(db, shards, {
        inHand: 'revisions',
        knows: (id) => underWay.has(id),
        gapMsOf: gapMsOf(options.gaps),
      });
      mayHaveStrays = false;
    }
    const found = await findRevisions(db, shards, AHEAD_MS);
    let isBusy = underWay.size > 0;
    for (const { accountId, turn, wakeAt } of found) {
      if (underWay.has(accountId) || underWay.size >= ACCOUNTS_UNDER_WAY) continue;
      isBusy = true;
      const before = left.get(accountId);
      const isUntouched = before?.turn === turn && wakeAt !== null && before.wakeAt?.getTime() === wakeAt.getTime();
      if (isUntouched) continue;
      mayHaveStrays = true;
      const claimed = await claimRevision(db, accountId, { workerId: leases.workerId(), batch: POSTS_PER_TURN, paced });
      mayHaveStrays = false;
      if (!claimed) continue;
      const ended = carryOut(claimed).finally(() => {
        underWay.delete(accountId);
        loop.wake();
      });
      underWay.set(accountId, ended);
    }
    return isBusy ? BUSY_PAUSE_MS : POLL_MS;
  }

  async function carryOut(turn: RevisionTurn): Promise<void> {
    // A timer may be a moment early.
    if (turn.waitMs > 0) await sleep(turn.waitMs + 1, stopping.signal);
    const { outcomes, restMs } = await change(turn);
    const tried = outcomes.some((outcome) => outcome.kind !== 'retry' || outcome.tries > 0);
    const gap = options.gaps[turn.messenger] ?? { minMs: 0, maxMs: 0 };
    const gapMs = tried ? gap.minMs + Math.random() * (gap.maxMs - gap.minMs) : 0;
    const after = await persist(() => finishRevision(db, turn, outcomes, { gapMs, restMs }));
    if (after) left.set(turn.accountId, after);
    else left.delete(turn.accountId);
  }

  /** One outcome a post, whatever goes wrong. */
  async function change(turn: RevisionTurn): Promise<{ outcomes: RevisionOutcome[]; restMs: number }> {
    const reachable = turn.posts.filter((post) => post.state === 'sent' || post.state === 'perhaps');
    const results = reachable.length > 0 ? await ask(turn, reachable) : [];
    const byPost = new Map(reachable.map((post, index) => [post, results[index]]));
    const restMs = results.reduce((rest, one) => (one.kind === 'offline' ? Math.max(rest, one.restMs) : rest), 0);
    return { outcomes: turn.posts.map((post) => judgeRevision(post, byPost.get(post))), restMs };
  }

  async function ask(turn: RevisionTurn, reachable: readonly RevisedPost[]): Promise<RevisionResult[]> {
    const all = (result: RevisionResult) => reachable.map(() => result);
    const notTried = (restMs: number) => all({ kind: 'offline', reason: 'not ready', restMs });
    const mayAsk = () => !stopping.signal.aborted && leases.maySend() && leases.holds(turn.accountId);
    if (!mayAsk()) return notTried(0);
    try {
      const session = await options.sessions.get(turn.accountId);
      if (!session) return notTried(REST_WITHOUT_SESSION_MS);
      if (!session.revise) return all({ kind: 'refused', reason: NOT_POSSIBLE, final: true });
      const post = turn.contentId === null ? null : await posts.get(turn.contentId);
      if (!mayAsk()) return notTried(0);
      return await session.revise(post === null ? { kind: 'recall' } : { kind: 'correct', post }, reachable);
    } catch (error) {
      log.warn({ err: error, accountId: turn.accountId }, 'a recall or correction broke off, and is tried again');
      return all({ kind: 'unknown', reason: 'the connection to the messaging application broke' });
    }
  }

  async function persist<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        log.error({ err: error }, 'what became of a recall or correction could not be written down yet and is kept');
        await delay(FINISH_PAUSE_MS);
      }
    }
  }

  const loop = startLoop('revisions', step, { log, ...(options.onLoopError && { onError: options.onLoopError }) });
  options.hints.on('campanile_revisions', () => loop.wake());
  return {
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all(underWay.values());
    },
  };
}

/** `result` is undefined for what was not asked of the messenger. */
function judgeRevision(post: RevisedPost, result: RevisionResult | undefined): RevisionOutcome {
  if (post.state === 'open') return { kind: 'retry', waitMs: OPEN_PAUSE_MS, tries: 0 };
  if (!result) return { kind: 'absent' };
  if (result.kind === 'done') return result;
  if (result.kind === 'absent')
    return post.state === 'sent' ? { kind: 'failed', reason: result.reason } : { kind: 'absent' };
  if (result.kind === 'offline') return { kind: 'retry', waitMs: 0, tries: 0 };
  const outcome = judge(result, { attempts: post.attempts, uncertain: false });
  if (outcome.kind === 'retry') return { kind: 'retry', waitMs: outcome.waitMs, tries: 1 };
  return { kind: 'failed', reason: outcome.kind === 'failed' ? outcome.reason : result.reason };
}
