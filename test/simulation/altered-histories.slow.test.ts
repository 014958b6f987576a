import { afterAll, expect, test } from 'vitest';
import { checkHistory } from '../../harness/simulation/check-history.ts';
import { openChildren } from '../../harness/simulation/children.ts';
import type { Line } from '../../harness/simulation/line.ts';
import { startServer } from '../../harness/simulation/server.ts';
import {
  addLostCorrection,
  addView,
  dropLaterRuns,
  expireEveryDelivery,
  hasActivity,
  hasCorrectable,
  hasMessages,
  hasPair,
  hasReply,
  hasSent,
  hasSynced,
  hasViews,
  hasWarm,
  loseGroups,
  loseMessage,
  loseReply,
  lowerTimelines,
  missEveryRun,
  moveEveryRun,
  raiseActivity,
  raiseOverviews,
  sendByBanned,
  sendByOthers,
  sendTooMuch,
  swapMessages,
  swapPosts,
  swapRuns,
} from './alterations.ts';

const HOUR_MS = 3_600_000;
const STEPS = 160;
/** Enough for one world that fits each alteration. */
const SEEDS = 60;

/** Histories of seeds, in their order, without a violation. */
const histories: Line[][] = [];

const server = await startServer();
const children = openChildren([server.address]);
afterAll(async () => {
  await children.close();
  await server.stop();
});

/** Returns the history of the first seed that fits. */
async function findHistory(fits: (lines: Line[]) => boolean): Promise<Line[]> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const known = histories[seed - 1];
    const lines = known ?? (await children.run({ seed, steps: STEPS, isComplete: true })).lines ?? [];
    histories[seed - 1] = lines;
    if (fits(lines)) return lines;
  }
  throw new Error('no seed has a history that fits');
}

/** Of several accounts each may have had a reason when its machine slept. */
function hasTwoRunsOfOneAccount(lines: readonly Line[]): boolean {
  const alone = new Set(
    lines.flatMap((line) => (line.kind === 'owner' && line.further === undefined ? [line.accountId] : [])),
  );
  return hasTwoRuns(lines, (accountId) => alone.has(accountId));
}

function hasTwoRuns(lines: readonly Line[], isOf: (accountId: number) => boolean = () => true): boolean {
  const final = lines.findLast((line) => line.kind === 'final');
  const isRestored = lines.some(({ kind }) => kind === 'put back');
  return (
    !isRestored &&
    final?.campaigns.some(
      ({ accountId, runs, deleted }) =>
        isOf(accountId) && !deleted && runs.length > 1 && runs.every(({ status }) => status === 'completed'),
    ) === true
  );
}

/** In some histories nothing of the second run waited when the first one was served: then they may change their turns. */
const hasCompetingPair = (lines: Line[]): boolean =>
  hasPair(lines) && checkHistory(swapRuns(lines)).some((sentence) => sentence.startsWith('out of turn: run'));

interface Alteration {
  fits: (lines: Line[]) => boolean;
  alter: (lines: readonly Line[]) => Line[];
  /** What the checker says of it, or a part of that. */
  sentence: string | RegExp;
}

test.for<[string, Alteration]>([
  [
    'every run is missed',
    { fits: (lines) => hasTwoRuns(lines), alter: missEveryRun, sentence: 'missed without a cause: run' },
  ],
  [
    'every delivery has expired',
    { fits: hasTwoRunsOfOneAccount, alter: expireEveryDelivery, sentence: 'not sent without a cause: ' },
  ],
  [
    'every run is five hours early',
    { fits: (lines) => hasTwoRuns(lines), alter: (lines) => moveEveryRun(lines, -5 * HOUR_MS), sentence: 'early: run' },
  ],
  [
    'every run is five hours late',
    { fits: (lines) => hasTwoRuns(lines), alter: (lines) => moveEveryRun(lines, 5 * HOUR_MS), sentence: 'late: ' },
  ],
  [
    'all but the first run of a schedule is gone',
    { fits: (lines) => hasTwoRuns(lines), alter: dropLaterRuns, sentence: 'not planned: campaign' },
  ],
  ['two runs have changed their turns', { fits: hasCompetingPair, alter: swapRuns, sentence: 'out of turn: run' }],
  ['a reply is not counted', { fits: hasReply, alter: loseReply, sentence: ' replies, ' }],
  ['the views of a channel are wrong', { fits: hasViews, alter: addView, sentence: ' views, ' }],
  ['an overview is wrong', { fits: hasSent, alter: raiseOverviews, sentence: 'does not add up: overview of account' }],
  ['an activity is wrong', { fits: hasActivity, alter: raiseActivity, sentence: 'does not add up: the activity of' }],
  ['a timeline is wrong', { fits: hasSent, alter: lowerTimelines, sentence: 'timeline: ' }],
  ['a webhook misses an event', { fits: hasMessages, alter: loseMessage, sentence: 'not told: ' }],
  [
    'a webhook gets two events out of order',
    { fits: hasMessages, alter: swapMessages, sentence: 'told out of order: ' },
  ],
  ['all groups are gone', { fits: hasSynced, alter: loseGroups, sentence: 'other groups than listed: ' }],
  ['a new number posts too much', { fits: hasWarm, alter: sendTooMuch, sentence: 'warmed up too fast: ' }],
  ['no correction arrives', { fits: hasCorrectable, alter: addLostCorrection, sentence: 'not corrected: ' }],
])('rejects a history in which %s, and accepts it as it was', async ([, { fits, alter, sentence }]) => {
  const whole = await findHistory(fits);
  expect(checkHistory(whole)).toEqual([]);
  expect(checkHistory(alter(whole)).join('\n')).toMatch(sentence);
});

/** Of so many worlds, so many posts each. */
const WORLDS = 20;
const POSTS = 4;

/** `least`: the share that the checker rejects at least. Of the others a fault, a sleep or a hand-over may be the cause. */
test.for<[string, { alter: (lines: readonly Line[], most: number) => Line[][]; least: number }]>([
  ['another account sends a post', { alter: sendByOthers, least: 0.5 }],
  ['a banned account sends a post', { alter: sendByBanned, least: 1 }],
  ['two posts of a shared run change their turns', { alter: swapPosts, least: 0.5 }],
])('rejects histories in which %s', async ([, { alter, least }]) => {
  await findHistory((lines) => histories.length >= WORLDS && lines === histories[WORLDS - 1]);
  const altered = histories.slice(0, WORLDS).flatMap((lines) => alter(lines, POSTS));
  const rejected = altered.filter((lines) => checkHistory(lines).length > 0);
  expect(altered.length).toBeGreaterThan(WORLDS / 4);
  expect(rejected.length / altered.length).toBeGreaterThanOrEqual(least);
});
