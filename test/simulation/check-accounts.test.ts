import { expect, test } from 'vitest';
import { checkHistory } from '../../harness/simulation/check-history.ts';
import type { FinalDelivery, FinalWay, Line } from '../../harness/simulation/line.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const BANNED_MS = 1_000;

/** One post to one group of a workspace with the accounts 1 and 2, of which the second comes first. */
interface Scene {
  sends?: Array<{ accountId: number; messageId?: string; verdict?: 'accepted' | 'refused' | 'vanished' }>;
  delivery?: Partial<FinalDelivery>;
  /** Account 1 is banned. */
  isBanned?: boolean;
  isOtherBanned?: boolean;
  failoverMinutes?: number | null;
  ways?: FinalWay[];
  more?: Line[];
}

function check({
  sends = [{ accountId: 2 }],
  delivery = {},
  isBanned = false,
  isOtherBanned = false,
  failoverMinutes = 1,
  ways = [1, 2].map((accountId) => ({ accountId, groupId: 1, isGone: false, canSend: true })),
  more = [],
}: Scene): string[] {
  const [text, chatId] = ['post', '1-1@g.us'];
  const about = { kind: 'request', process: 'api', accountId: 1 } as const;
  const lines: Line[] = [
    { atMs: 0, kind: 'world', format: 3, seed: 1, steps: 1, workers: 1, gapMs: 0 },
    {
      atMs: 0,
      kind: 'owner',
      accountId: 1,
      timeZone: 'UTC',
      chats: [chatId],
      groupIds: [1],
      channelIds: [],
      hasWebhook: false,
      further: [{ accountId: 2, chats: [chatId] }],
      failoverMinutes,
      rules: [{ groupIds: [], senders: [2, 1] }],
    },
    { atMs: 0, ...about, request: 1, operation: 'send', text, groupIds: [1] },
    { atMs: 0, kind: 'answer', request: 1, campaign: 'c', error: null },
    ...(isBanned ? [{ atMs: BANNED_MS, kind: 'standing', accountId: 1, standing: 'banned' } as const] : []),
    ...(isOtherBanned ? [{ atMs: BANNED_MS, kind: 'standing', accountId: 2, standing: 'banned' } as const] : []),
    ...more,
    ...sends.map(({ accountId, messageId = 'm', verdict = 'accepted' }, index) => ({
      atMs: 2_000 + index,
      kind: 'send' as const,
      process: 'worker',
      accountId,
      chatId,
      messageId,
      text,
      file: null,
      uncertain: index > 0,
      verdict,
      arrivedMs: 2_000 + index,
      answeredMs: 2_000 + index,
    })),
    {
      atMs: 2 * DAY_MS,
      kind: 'final',
      campaigns: [
        {
          campaign: 'c',
          text,
          status: 'completed',
          deleted: false,
          accountId: 1,
          runs: [{ runId: 1, status: 'completed', targets: 1, dueMs: 0, startedMs: 0, finishedMs: DAY_MS + HOUR_MS }],
          totals: null,
          groups: [],
          timeline: [],
        },
      ],
      deliveries: [
        {
          campaign: 'c',
          runId: 1,
          position: 1,
          groupId: 1,
          messageId: 'm',
          status: 'sent',
          uncertain: false,
          sentMs: 2_500,
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
          ...delivery,
        },
      ],
      overviews: [],
      groups: [{ accountId: 1, chatId, isRemoved: false, canSend: true }],
      disabledWebhooks: [],
      activities: [],
      ways,
      inHand: 0,
      stoppedAccounts: 0,
    },
  ];
  return checkHistory(lines).filter((fault) => !/^(events|told)/.test(fault));
}

const EXPIRED = { status: 'failed', sentMs: null, error: 'expired: it could not be sent in time' } as const;

test('accepts a post of the account that comes first, and finds one of another', () => {
  expect(check({})).toEqual([]);
  expect(check({ sends: [{ accountId: 1 }] })).toEqual(['of another account: m in 1-1@g.us, by 1 in place of 2']);
});

const request = (operation: string, more: object = {}): Line[] => [
  { atMs: 1_500, kind: 'request', process: 'api', accountId: 1, request: 2, operation, text: '', ...more },
  { atMs: 1_500, kind: 'answer', request: 2, campaign: '', error: null },
];

test('accepts a post of another account once it may have got it', () => {
  const other = { sends: [{ accountId: 1 }] };
  expect(check({ ...other, isOtherBanned: true })).toEqual([]);
  expect(check({ ...other, more: request('hand over', { ofAccount: 2 }) })).toEqual([]);
  expect(check({ ...other, more: request('set senders', { senders: [1, 2], groupIds: [] }) })).toEqual([]);
  const membership = { kind: 'membership', accountId: 2, chatId: '1-1@g.us', membership: 'muted' } as const;
  expect(check({ ...other, more: [{ atMs: 1_000, ...membership }] })).toEqual([]);
});

test('finds a post of an account that is banned', () => {
  expect(check({ isOtherBanned: true })).toContain('by an account that is banned: m, by 2');
});

test('finds a post that two accounts have sent', () => {
  const found = check({ sends: [{ accountId: 1, messageId: 'other' }, { accountId: 2 }] });
  expect(found).toEqual(
    expect.arrayContaining([
      'twice: post in 1-1@g.us under two ids',
      'tried, and handed over: post in 1-1@g.us, by account 1',
      'tried by two accounts: post in 1-1@g.us',
    ]),
  );
});

test('finds a post that was handed over although its first attempt may have left', () => {
  const sends = [{ accountId: 1, messageId: 'other', verdict: 'vanished' as const }, { accountId: 2 }];
  expect(check({ sends })).toContain('tried by two accounts: post in 1-1@g.us');
});

test('finds an id that two accounts use', () => {
  const sends = [{ accountId: 1, verdict: 'vanished' as const }, { accountId: 2 }];
  expect(check({ sends })).toContain('of two accounts: m, sent by 2, too');
});

test('accepts that another account sends what was refused, and nothing that may have left', () => {
  const by = (verdict: 'refused' | 'vanished') => [{ accountId: 1, messageId: 'other', verdict }, { accountId: 2 }];
  expect(check({ sends: by('refused') })).toEqual([]);
  expect(check({ sends: by('vanished') })).toContain('tried by two accounts: post in 1-1@g.us');
});

test('finds a post that expired although the other account could send it', () => {
  const expired = { sends: [], delivery: EXPIRED, isBanned: true };
  const lost = 'lost: m of post expired, though account 2 could send it';
  expect(check(expired)).toContain(lost);
  // Nobody has handed it over.
  expect(check({ ...expired, failoverMinutes: null })).not.toContain(lost);
  // An attempt may have left.
  expect(check({ ...expired, delivery: { ...EXPIRED, uncertain: true } })).toEqual([]);
  // The machine slept for nearly all of the day after which it may not be sent any more.
  const slept = { atMs: HOUR_MS, kind: 'slept', forMs: DAY_MS - HOUR_MS / 2 } as const;
  expect(check({ ...expired, more: [slept] })).not.toContain(lost);
});

test('finds a group that can be posted to by no account, and says otherwise', () => {
  const ways = [1, 2].map((accountId) => ({ accountId, groupId: 1, isGone: false, canSend: false }));
  expect(check({ ways })).toEqual(['does not add up: the accounts of group 1']);
});
