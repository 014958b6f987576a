/** The end of a world: it is left in peace until all its work has ended, and its history is checked. */
import { readRows, type Database } from '../../src/platform/database/statements.ts';
import { awaitCommandResults } from '../../src/sending/accounts/commands.ts';
import { AppError } from '../../src/platform/errors/errors.ts';
import { readOverview, type Overview } from '../../src/sending/analytics/read-overview.ts';
import { readGroupAnalytics } from '../../src/sending/analytics/group-analytics.ts';
import { readActivity } from '../../src/sending/groups/read-activity.ts';
import { activeSince } from '../../src/sending/groups/update-activity.ts';
import { findCalm } from './calm-time.ts';
import { checkHistory } from './check-history.ts';
import type { FinalActivity, Line } from './line.ts';
import { readEvents } from './read-events.ts';
import { readFinal } from './read-final.ts';
import { readRemainingWork, type RemainingWork } from './remaining-work.ts';
import { totalMs } from './spans.ts';
import { openProcess, time } from './virtual-time.ts';
import { watchProgress } from './watch-progress.ts';
import type { Api } from './workload.ts';
import type { World } from './world.ts';

export interface Simulated {
  hash: string;
  lines: Line[];
  /** What is wrong; nothing, if all is well. */
  faults: string[];
  /** The statements that had a fault. */
  harmed: number[];
  statements: number;
  /** Campaigns that were accepted, posts that arrived at the messaging application, and everything else that users asked for. */
  campaigns: number;
  posts: number;
  changes: number;
}

/** After all harm everything has to end within so many statements: thirty posts at four a day take 13,000. */
export const CALM_STATEMENTS = 24_000;
/** The checker requires that a calm world does within a shorter time what is due. A world that sleeps before proves nothing. */
const CALM_BEFORE_SLEEP_MS = 9_000;
const HAND_OVER_EVERY_MS = 60_000;
/** A try that fails is repeated after a minute. */
const TAKEN_OVER_MS = 150_000;
const HOUR_MS = 3_600_000;

export function openApi(world: World, name = 'api'): Api {
  const process = openProcess(name);
  return {
    process,
    db: world.gate.open(process),
    waiters: awaitCommandResults(world.openHints(process)),
    timeZone: 'UTC',
  };
}

/**
 * Leaves the world in peace until all that was accepted has ended, or nothing comes of anything any more; sleeps through what nobody
 * waits for.
 */
export async function finish(
  world: World,
  {
    resume,
    handOver,
    open,
    lastDays,
    sleeps,
  }: {
    resume: (paused: RemainingWork['paused']) => void;
    handOver: (waiting: RemainingWork['waiting']) => void;
    open: () => number;
    lastDays: number;
    /** While nothing is sent each sleep is longer than the last by this factor. */
    sleeps: { mostMs: number; factor: number };
  },
): Promise<void> {
  const last = world.statements() + CALM_STATEMENTS;
  const isCalm = () => totalMs(findCalm(world.history.lines).slice(-1)) >= CALM_BEFORE_SLEEP_MS;
  while (!isCalm() && world.statements() < last) await world.until(() => false, 40);
  let awakeUntilMs = time.nowMs();
  const progress = watchProgress(world);
  let sends = 0;
  let handedOverMs = -Infinity;
  let waitingMs = Infinity;
  let cooldownMs = 0;
  for (let isRested = false; world.statements() < last;) {
    await world.until(() => time.nowMs() >= awakeUntilMs, last - world.statements());
    const standing = await readRemainingWork(world);
    const { next_ms: nextMs, due_ms: dueMs, erasing, paused, waiting } = standing;
    if (progress.isStuck(standing)) return;
    const asked = waiting.filter(({ isAsked }) => isAsked);
    if (asked.length > 0 && time.nowMs() >= handedOverMs + HAND_OVER_EVERY_MS) {
      handedOverMs = time.nowMs();
      handOver(asked);
    }
    waitingMs = waiting.length > 0 ? Math.min(waitingMs, time.nowMs()) : Infinity;
    // Stand-ins take over while the machine is awake, or not at all.
    const isTakingOver = waiting.length > 0 && time.nowMs() < waitingMs + TAKEN_OVER_MS;
    if (paused.length > 0) resume(paused);
    else if (open() === 0 && isOver(standing) && world.witness.untold() === 0) {
      if (erasing > 0) world.sleepUntil(time.nowMs() + HOUR_MS);
      // Days or months later what has ended is added up, and has to say the same.
      else if (isRested) break;
      else {
        isRested = true;
        world.history.add({ kind: 'events', events: await readEvents(world) });
        world.sleepUntil(time.nowMs() + lastDays * 24 * HOUR_MS + HOUR_MS);
      }
    } else if (
      nextMs !== null &&
      nextMs > time.nowMs() + 20_000 &&
      standing.in_hand === 0 &&
      !standing.held &&
      !isTakingOver
    ) {
      // An account that rests looks again every few minutes, for most of a day: the longer nothing is sent, the longer we sleep.
      const soFar = world.history.lines.filter(({ kind }) => kind === 'send').length;
      cooldownMs =
        soFar === sends ? Math.min(Math.max(sleeps.factor * cooldownMs, nextMs - time.nowMs()), sleeps.mostMs) : 0;
      sends = soFar;
      world.sleepUntil(Math.max(nextMs - 50, Math.min(time.nowMs() + cooldownMs, (dueMs ?? Infinity) - 50)));
      if (dueMs !== null && time.nowMs() >= dueMs - 50) awakeUntilMs = dueMs + CALM_BEFORE_SLEEP_MS;
    }
    await world.until(() => false, 80);
  }
}

const isOver = ({ running, revising, in_hand: inHand, telling, next_ms: nextMs, held }: RemainingWork) =>
  running + revising + inHand + telling === 0 && nextMs === null && !held;

/** The whole life of a world. */
const OVERVIEW_DAYS = 30;

async function readOverviews(db: Database, { owners }: World): Promise<Map<number, Overview>> {
  const overviews = new Map<number, Overview>();
  for (const owner of owners)
    try {
      overviews.set(owner.accountId, await readOverview({ db, timeZone: 'UTC' }, owner, OVERVIEW_DAYS));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'user_gone')) throw error;
    }
  return overviews;
}

async function readActivities(db: Database, { owners }: World): Promise<FinalActivity[]> {
  const rows = await readRows<{ sinceMs: number }>(db)`
    select (extract(epoch from ${activeSince}) * 1000)::float8 as "sinceMs"`;
  const sinceMs = rows[0]?.sinceMs ?? Number.NaN;
  const activities: FinalActivity[] = [];
  for (const { accountId, workspaceId, groupIds } of owners) {
    const activity = await readActivity(db, workspaceId, groupIds);
    const groups = [...activity].map(([groupId, { posts, failed, lastPostedAt }]) => ({
      groupId,
      posts,
      failed,
      lastMs: lastPostedAt?.getTime() ?? null,
    }));
    activities.push({ accountId, sinceMs, groups: groups.toSorted((one, other) => one.groupId - other.groupId) });
  }
  return activities;
}

export async function conclude(world: World, harmed: number[]): Promise<Simulated> {
  await world.stopWorkers();
  const reader = openProcess('reader');
  const db = world.gate.open(reader);
  const final = await world.perform(reader, () =>
    readFinal(db, {
      analytics: (workspaceId, campaign) =>
        readGroupAnalytics(
          { db },
          { userId: 0 as never, workspaceId, role: 'owner', address: '192.0.2.1' } as never,
          campaign,
        ),
      overviews: () => readOverviews(db, world),
      activities: () => readActivities(db, world),
    }),
  );
  world.history.add(final);
  const { lines } = world.history;
  return {
    hash: world.history.hash(),
    lines,
    faults: checkHistory(lines),
    harmed,
    statements: world.statements(),
    campaigns: final.campaigns.length,
    posts: lines.filter(({ kind }) => kind === 'send').length,
    changes: lines.filter((line) => line.kind === 'request' && !['send', 'schedule'].includes(line.operation)).length,
  };
}
