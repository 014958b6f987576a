/**
 * The worker's half that changes what has left: recalls and corrections, each a turn of the account's lane like any send, at the
 * same pace and fenced in the same way. A try that was cut off is made again: to recall or correct a post twice does no harm.
 */
import { writeOrStop } from '../accounts/stop-account.ts';
import { startLoop } from '../lib/loop.ts';
import { sleep } from '../lib/time.ts';
import { claimRevision, findRevisions, type DueRevision, type RevisionTurn } from './claim-revision.ts';
import type { LaneOptions } from './drive-lanes.ts';
import { finishRevision, type LaneAfter } from './finish-revision.ts';
import { loadPosts } from './load-posts.ts';
import { drawGapMs, pacedOf } from './pace.ts';
import { watchStrays, type StrayWatch } from './requeue-strays.ts';
import { reviseTurn, type TurnRevising } from './revise-turn.ts';
import { writeSurely } from './write-surely.ts';

const POLL_MS = 1_000;
/** While a lane sends, or its gap lasts: when to look again. */
const BUSY_PAUSE_MS = 20;
/** A lane is taken during its gap, ahead of what it has to send, when so little of the gap is left. */
const AHEAD_MS = 10_000;
const ACCOUNTS_UNDER_WAY = 50;
const POSTS_PER_TURN = 500;

/** What this worker has in hand, and how it takes more. */
interface Revising extends LaneOptions {
  /** By account. */
  underWay: Map<number, Promise<void>>;
  /** How each lane was left, so that what it has to send gets its turn before it is taken again. */
  left: Map<number, LaneAfter>;
  strays: StrayWatch;
  changing: TurnRevising;
  paced: readonly string[];
  /** Looks for more to do at once. */
  wake(): void;
}

/** Carries out what is wanted for the accounts this worker holds, until stopped; then what is in hand is finished first. */
export function revisePosts(options: LaneOptions): { stop(): Promise<void> } {
  const { db, log, gaps, onLoopError } = options;
  const stopping = new AbortController();
  const underWay: Revising['underWay'] = new Map();
  const revising: Revising = {
    ...options,
    underWay,
    left: new Map(),
    strays: watchStrays({ ...options, inHand: 'revisions', knows: (accountId) => underWay.has(accountId) }),
    changing: { ...options, posts: loadPosts(db), stopping: stopping.signal },
    paced: pacedOf(gaps),
    wake: () => loop.wake(),
  };
  const loop = startLoop('revisions', () => step(revising), { log, ...(onLoopError && { onError: onLoopError }) });
  options.hints.on('campanile_revisions', () => loop.wake());
  return {
    async stop() {
      stopping.abort();
      await loop.stop();
      await Promise.all(underWay.values());
    },
  };
}

/** Begins the turns that are due and there is room for. In how many milliseconds to look again. */
async function step(revising: Revising): Promise<number> {
  const { db, leases, underWay } = revising;
  const held = leases.held();
  const shards = [...held.keys()];
  if (shards.length === 0 || !leases.isGood()) return POLL_MS;
  await revising.strays.requeue(shards);
  const due = await findRevisions(db, shards, AHEAD_MS);
  let isBusy = underWay.size > 0;
  for (const one of due) {
    if (underWay.has(one.accountId) || underWay.size >= ACCOUNTS_UNDER_WAY) continue;
    isBusy = true;
    const turn = isUntouched(revising, one) ? undefined : await claim(revising, one.accountId);
    if (turn) begin(revising, turn, () => leases.maySend(turn.accountId, held));
  }
  return isBusy ? BUSY_PAUSE_MS : POLL_MS;
}

/** Whether the lane still stands as it was left, and has had no turn to send. */
function isUntouched({ left }: Revising, { accountId, turn, wakeAt }: DueRevision): boolean {
  const before = left.get(accountId);
  return before?.turn === turn && wakeAt !== null && before.wakeAt?.getTime() === wakeAt.getTime();
}

function claim({ db, leases, paced }: Revising, accountId: number): Promise<RevisionTurn | undefined> {
  const options = { workerId: leases.workerId(), batch: POSTS_PER_TURN, paced };
  return claimRevision(db, accountId, options);
}

function begin(revising: Revising, turn: RevisionTurn, mayGoOn: () => boolean): void {
  const { underWay, wake } = revising;
  const ended = takeTurn(revising, turn, mayGoOn).finally(() => {
    underWay.delete(turn.accountId);
    wake();
  });
  underWay.set(turn.accountId, ended);
}

async function takeTurn(
  { db, log, left, gaps, changing }: Revising,
  turn: RevisionTurn,
  mayGoOn: () => boolean,
): Promise<void> {
  // A timer may be a moment early.
  if (turn.waitMs > 0) await sleep(turn.waitMs + 1, changing.stopping);
  const { outcomes, restMs } = await reviseTurn(changing, turn, mayGoOn);
  const isTried = outcomes.some((outcome) => outcome.kind !== 'retry' || outcome.tries > 0);
  const gapMs = isTried ? drawGapMs(gaps, turn.messenger) : 0;
  const after = await writeSurely(
    () =>
      writeOrStop({ db, log }, turn.accountId, () => finishRevision(db, turn, outcomes, { gapMs, restMs }), {
        [turn.messenger]: gapMs,
      }),
    (error) =>
      log.error({ err: error }, 'what became of a recall or correction could not be written down yet and is kept'),
  );
  if (after) left.set(turn.accountId, after);
  else left.delete(turn.accountId);
}
