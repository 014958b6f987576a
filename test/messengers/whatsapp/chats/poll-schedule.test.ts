import { expect, test } from 'vitest';
import { createPollSchedule } from '../../../../src/messengers/whatsapp/inbound/poll-schedule.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const TIMING = { firstPollMs: 30_000, longestPollMs: HOUR, pollGapMs: 15_000 };

/** Returns the polls until then, on a simulated clock. `news` returns the finding of each poll. */
function follow(
  plan: ReturnType<typeof createPollSchedule>,
  untilMs: number,
  news: (chatId: string, nowMs: number) => boolean,
) {
  const looks: Array<{ chatId: string; atMs: number }> = [];
  for (let nowMs = 0; nowMs < untilMs;) {
    const next = plan.next(nowMs);
    if ('waitMs' in next) {
      nowMs += Math.max(1, next.waitMs);
      continue;
    }
    looks.push({ chatId: next.chatId, atMs: nowMs });
    plan.recordPoll(next.chatId, news(next.chatId, nowMs) ? 'news' : 'nothing', nowMs);
  }
  return looks;
}

test('polls a quiet channel less and less often, down to once an hour', () => {
  const plan = createPollSchedule(TIMING);
  plan.pollSoon('quiet', 0);
  const at = follow(plan, 24 * HOUR, () => false).map(({ atMs }) => atMs);
  expect(at.slice(0, 4)).toEqual([0.5, 1.5, 3.5, 7.5].map((minutes) => minutes * MINUTE));
  expect((at.at(-1) ?? 0) - (at.at(-2) ?? 0)).toBe(HOUR);
  expect(at.length).toBeLessThan(32);
});

test('polls a busy channel twice a minute, and less often when it becomes quiet', () => {
  const plan = createPollSchedule(TIMING);
  plan.pollSoon('busy', 0);
  const looks = follow(plan, 10 * HOUR, (_chatId, nowMs) => nowMs < HOUR);
  expect(looks.filter(({ atMs }) => atMs < HOUR)).toHaveLength(119);
  expect(looks.filter(({ atMs }) => atMs >= 2 * HOUR).length).toBeLessThan(10);
});

test('polls at most four times a minute for an account, and each of its channels in turn', () => {
  const plan = createPollSchedule(TIMING);
  const names = Array.from({ length: 200 }, (_, index) => `channel ${index}`);
  for (const name of names) plan.pollSoon(name, 0);
  const looks = follow(plan, 2 * HOUR, () => true);
  for (let minute = 0; minute < 120; minute++)
    expect(looks.filter(({ atMs }) => Math.floor(atMs / MINUTE) === minute).length).toBeLessThanOrEqual(4);
  expect(new Set(looks.map(({ chatId }) => chatId))).toEqual(new Set(names));
});

test('polls sooner after a new post, and not at all during a cool-down', () => {
  const plan = createPollSchedule(TIMING);
  plan.pollSoon('quiet', 0);
  follow(plan, 10 * HOUR, () => false);
  plan.pollSoon('quiet', 10 * HOUR);
  expect(plan.next(10 * HOUR)).toEqual({ waitMs: 30_000 });
  plan.coolDown(10 * HOUR, 10 * MINUTE);
  expect(plan.next(10 * HOUR)).toEqual({ waitMs: 10 * MINUTE });
  plan.drop('quiet');
  expect(plan.next(20 * HOUR)).toEqual({ waitMs: HOUR });
});
