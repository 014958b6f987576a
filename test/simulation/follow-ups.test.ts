import { expect, test } from 'vitest';
import { checkHistory } from '../../harness/simulation/check-history.ts';
import type { FinalCampaign, FinalDelivery, Line } from '../../harness/simulation/line.ts';

const FIRST = 'first';
const REMINDER = 'reminder';
const STARTED_MS = 10_000;

function delivery(campaign: string, groupId: number, change: Partial<FinalDelivery> = {}): FinalDelivery {
  const runId = campaign === FIRST ? 1 : 2;
  return {
    campaign,
    runId,
    position: groupId,
    groupId,
    messageId: `${campaign} ${groupId}`,
    status: 'sent',
    uncertain: false,
    sentMs: runId * STARTED_MS,
    recipients: 2,
    delivered: 0,
    read: 0,
    reactions: 0,
    replies: 0,
    views: 0,
    error: null,
    isRecalled: false,
    isCorrected: false,
    revisionError: null,
    pin: null,
    pinFailure: null,
    isMentionLeftOut: null,
    ...change,
  };
}

const campaign = (name: string, runId: number, startedMs: number): FinalCampaign => ({
  campaign: name,
  text: name,
  status: 'completed',
  deleted: false,
  accountId: 1,
  runs: [{ runId, status: 'completed', targets: 1, dueMs: 0, startedMs, finishedMs: startedMs + 1_000 }],
  totals: null,
  groups: [],
  timeline: [],
});

/** One group got the first campaign; so many members had read it at an instant, of two. What the reminder did there. */
function check({
  readers,
  readMs,
  reminder,
  underPercent = 50,
  channelIds = [],
  isFollowUp = true,
}: {
  readers: number;
  readMs: number;
  reminder: Partial<FinalDelivery>;
  underPercent?: number;
  channelIds?: number[];
  isFollowUp?: boolean;
}): string[] {
  const request = (name: string, more: object = {}) =>
    ({
      kind: 'request',
      request: name === FIRST ? 1 : 2,
      process: 'api',
      operation: 'send',
      accountId: 1,
      text: name,
      groupIds: [1],
      ...more,
    }) as const;
  const sent = (one: FinalDelivery) =>
    ({
      kind: 'send',
      process: 'w',
      accountId: 1,
      chatId: 'a',
      messageId: one.messageId,
      text: one.campaign,
      file: null,
      uncertain: false,
      verdict: 'accepted',
      arrivedMs: one.sentMs ?? 0,
      answeredMs: one.sentMs ?? 0,
    }) as const;
  const [first, second] = [delivery(FIRST, 1), delivery(REMINDER, 1, reminder)];
  const lines: Line[] = [
    { atMs: 0, kind: 'world', format: 3, seed: 1, steps: 1, workers: 1, gapMs: 0 },
    {
      atMs: 0,
      kind: 'owner',
      accountId: 1,
      timeZone: 'UTC',
      chats: ['a'],
      groupIds: [1],
      channelIds,
      hasWebhook: false,
    },
    { atMs: 0, ...request(FIRST) },
    { atMs: 0, kind: 'answer', request: 1, campaign: FIRST, error: null },
    { atMs: 1, ...request(REMINDER, isFollowUp ? { followUp: { campaign: FIRST, underPercent } } : {}) },
    { atMs: 1, kind: 'answer', request: 2, campaign: REMINDER, error: null },
    { atMs: 5_000, ...sent(first) },
    {
      atMs: readMs,
      kind: 'receipts',
      receipts: Array.from({ length: readers }, (_, index) => ({
        what: 'read',
        messageId: first.messageId,
        participant: `p${index}`,
      })),
    },
    ...(second.status === 'sent' ? [{ atMs: STARTED_MS + 500, ...sent(second) }] : []),
    {
      atMs: 90_000,
      kind: 'final',
      campaigns: [campaign(FIRST, 1, 4_000), campaign(REMINDER, 2, STARTED_MS)],
      deliveries: [first, second],
      overviews: [],
      groups: [],
      disabledWebhooks: [],
      activities: [],
      inHand: 0,
      stoppedAccounts: 0,
    },
  ];
  return checkHistory(lines).filter((fault) => /readers|left out|follows up|cancelled, and/.test(fault));
}

const SKIPPED = { status: 'cancelled', sentMs: null } as const;
const by = (percent: number) => ({ ...SKIPPED, error: `read by ${percent} %`, errorCode: 'already_read' });
const BEFORE = STARTED_MS - 1;
const AFTER = STARTED_MS + 1;

test('a follow-up goes to a group below the percentage, and not to one at it or above', () => {
  expect(check({ readers: 0, readMs: BEFORE, reminder: {} })).toEqual([]);
  expect(check({ readers: 1, readMs: BEFORE, reminder: by(50) })).toEqual([]);
  expect(check({ readers: 1, readMs: BEFORE, reminder: {} })).toEqual([expect.stringContaining('sent to readers')]);
  expect(check({ readers: 1, readMs: BEFORE, reminder: {}, underPercent: 51 })).toEqual([]);
});

test('reads that are recorded later leave nobody out, and excuse nobody', () => {
  expect(check({ readers: 2, readMs: AFTER, reminder: {} })).toEqual([]);
  expect(check({ readers: 0, readMs: AFTER, reminder: by(50) })).toEqual([
    expect.stringContaining('left out without readers'),
  ]);
  expect(check({ readers: 1, readMs: BEFORE, reminder: by(100) })).toEqual([
    expect.stringContaining('left out without readers'),
  ]);
  expect(check({ readers: 1, readMs: BEFORE, reminder: by(50), underPercent: 51 })).toEqual([
    expect.stringContaining('left out without readers'),
  ]);
});

test('a channel is left out as unknown, and a group whose reads are known is not', () => {
  const unknown = { ...SKIPPED, error: 'reads unknown', errorCode: 'reads_unknown' };
  expect(check({ readers: 0, readMs: BEFORE, reminder: unknown, channelIds: [1] })).toEqual([]);
  expect(check({ readers: 0, readMs: BEFORE, reminder: {}, channelIds: [1] })).toEqual([
    expect.stringContaining('follows up what was not sent'),
  ]);
  expect(check({ readers: 1, readMs: BEFORE, reminder: unknown })).toEqual([
    expect.stringContaining('left out as unknown, and known'),
  ]);
});

test('a campaign that follows up none leaves nobody out', () => {
  expect(check({ readers: 1, readMs: BEFORE, reminder: by(50), isFollowUp: false })).toEqual([
    expect.stringContaining('left out without a request'),
  ]);
});
