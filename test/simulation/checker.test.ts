import { describe, expect, test } from 'vitest';
import { checkHistory } from '../../harness/simulation/check-history.ts';
import type {
  AskedSendWindow,
  EventItem,
  FinalCampaign,
  FinalDelivery,
  FinalActivity,
  FinalGroup,
  FinalOverview,
  FinalPoll,
  FinalRun,
  Happening,
  Line,
} from '../../harness/simulation/line.ts';

const CAMPAIGN = 'c';
const of = <Kind extends Happening['kind']>(
  kind: Kind,
  rest: Omit<Extract<Happening, { kind: Kind }>, 'kind'>,
  atMs = 0,
) => ({ atMs, kind, ...rest }) as Extract<Line, { kind: Kind }>;

function send(position: number, change: Partial<Extract<Line, { kind: 'send' }>> = {}) {
  const arrivedMs = position * 1_000;
  const to = {
    accountId: 1,
    chatId: `1-${position}@g.us`,
    messageId: `m${position}`,
    text: 'post',
    file: null,
    uncertain: false,
  };
  return of(
    'send',
    { process: 'worker 1', ...to, verdict: 'accepted', arrivedMs, answeredMs: arrivedMs + 5, ...change },
    change.arrivedMs ?? arrivedMs,
  );
}

function delivery(position: number, change: Partial<FinalDelivery> = {}): FinalDelivery {
  const about = { campaign: CAMPAIGN, runId: 1, position, groupId: position, messageId: `m${position}` };
  const counts = {
    sentMs: position * 1_000,
    recipients: 2,
    delivered: 1,
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
  };
  return { ...about, status: 'sent', uncertain: false, ...counts, ...change };
}

const NOTHING_ELSE = { recalled: 0, corrected: 0, read: 0, reactions: 0, replies: 0, views: null };

/** Returns the history of two posts that were sent and received; each option replaces a part. */
function history({
  sends = [send(1), send(2)],
  deliveries = [delivery(1), delivery(2)],
  status = 'completed',
  delivered = 2,
  inHand = 0,
  told = ['m1', 'm2'],
  more = [] as Line[],
  isKept = true,
  run = {} as Partial<FinalRun>,
  overviews = [] as FinalOverview[],
  hasWebhook = false,
  groups = [] as FinalGroup[],
  activities = [] as FinalActivity[],
  polls = [] as FinalPoll[],
  timeline = undefined as FinalCampaign['timeline'] | undefined,
} = {}): Line[] {
  const group = (groupId: number) => ({
    groupId,
    deliveries: 1,
    queued: 0,
    sent: 1,
    failed: 0,
    cancelled: 0,
    ...NOTHING_ELSE,
    delivered: deliveries.find((one) => one.groupId === groupId)?.delivered ?? 1,
  });
  const totals = { deliveries: 2, queued: 0, sent: 2, failed: 0, cancelled: 0, ...NOTHING_ELSE, delivered };
  const runs = [{ runId: 1, status: 'completed', targets: 2, dueMs: 0, startedMs: 0, finishedMs: 3_000, ...run }];
  const campaign = {
    campaign: CAMPAIGN,
    text: 'post',
    status,
    deleted: false,
    accountId: 1,
    runs,
    totals,
    groups: [group(1), group(2)],
    timeline: timeline ?? [{ atMs: 0, sent: 2, delivered, read: 0 }],
  };
  const lines = [
    of('world', { format: 3, seed: 1, steps: 1, workers: 1, gapMs: 300 }),
    of('owner', {
      accountId: 1,
      timeZone: 'UTC',
      chats: ['1-1@g.us', '1-2@g.us'],
      groupIds: [1, 2],
      channelIds: [],
      hasWebhook,
    }),
    of('request', { request: 1, process: 'api', operation: 'send', accountId: 1, text: 'post', groupIds: [1, 2] }),
    of('answer', { request: 1, campaign: CAMPAIGN, error: null }),
    ...sends,
    of(
      'receipts',
      { receipts: told.map((messageId) => ({ messageId, participant: 'a', what: 'delivered' as const })) },
      3_000,
    ),
    ...more,
    of(
      'final',
      {
        campaigns: isKept ? [campaign] : [],
        deliveries,
        overviews,
        groups,
        disabledWebhooks: [],
        activities,
        polls,
        inHand,
        stoppedAccounts: 0,
      },
      4_000_000,
    ),
  ];
  return lines.toSorted((one, other) => one.atMs - other.atMs);
}

const voted = (options: number[], votedMs = 1) =>
  of('receipts', { receipts: [{ what: 'voted', messageId: 'm1', participant: 'b', options, votedMs }] }, 3_000);
const poll = (votes: number[]): FinalPoll => ({
  runId: 1,
  groupId: 1,
  voters: 1,
  unreadable: 0,
  votes,
  isRunEven: true,
});

const created = (times: number) => [
  of('request', { request: 3, process: 'api', operation: 'create group', accountId: 1, text: 'group 5' }),
  ...Array.from({ length: times }, () => of('created', { accountId: 1, name: 'group 5' })),
  of('answer', { request: 3, campaign: '5@g.us', error: null }),
];
const asked = (operation: string, rest?: AskedSendWindow) => [
  of('request', { request: 4, process: 'api', operation, accountId: 1, text: '', ...(rest && { rest }) }, 10),
  of('answer', { request: 4, campaign: '', error: null }, 20),
];
const HOUR_MS = 3_600_000;
const UNSENT = { status: 'failed', sentMs: null, delivered: 0 } as const;
const recalled = (messageId: string) => of('change', { change: 'recall', messageId, text: '', result: 'done' }, 2_500);
const overview = (sent: number): FinalOverview => {
  const sums = { runs: 1, sent, failed: 0, delivered: 2, read: 0 };
  return { accountId: 1, totals: { ...sums, campaigns: 1, groups: 2 }, daily: [{ date: '1970-01-01', ...sums }] };
};
const activity = (posts: number): FinalActivity => ({
  accountId: 1,
  sinceMs: -1,
  groups: [1, 2].map((groupId) => ({ groupId, posts, failed: 0, lastMs: delivery(groupId).sentMs })),
});
const EVENTS = ['campaign.accepted', 'campaign.started', 'run.started', 'run.completed', 'campaign.completed'];
const eventOf = (type: string, index: number) => ({
  accountId: 1,
  id: `e${index}`,
  type,
  campaign: CAMPAIGN,
  runId: 1,
  items: [] as EventItem[],
});
/** An attempt to tell a webhook one of the events. */
const message = (index: number, change: Partial<Extract<Line, { kind: 'message' }>> = {}, atMs = 3_200 + index) =>
  of('message', { process: 'worker 1', verdict: 'accepted', ...eventOf(EVENTS[index] ?? '', index), ...change }, atMs);
const MESSAGES = EVENTS.map((_, index) => message(index));
/** A further event, told as such. */
const alsoTold = (type: string, items: EventItem[]) => {
  const also = { ...eventOf(type, EVENTS.length), items };
  return [...MESSAGES, message(EVENTS.length, also), of('events', { events: [...EVENTS.map(eventOf), also] }, 3_500)];
};
const toldOf = (lines: Line[], change: Partial<Parameters<typeof history>[0]> = {}) =>
  history({ hasWebhook: true, more: [events(EVENTS), ...lines], ...change });
const GROUPS: FinalGroup[] = [1, 2].map((number) => ({
  accountId: 1,
  chatId: `1-${number}@g.us`,
  isRemoved: false,
  canSend: true,
}));
const updated = (newText: string) => [
  of('request', { request: 5, process: 'api', operation: 'update', accountId: 1, text: 'post', newText }, 10),
  of('answer', { request: 5, campaign: CAMPAIGN, error: null }, 20),
];
const warmedUp = [
  of('request', { request: 6, process: 'api', operation: 'warm up', accountId: 1, text: '', warmUp: true }, 10),
  of('answer', { request: 6, campaign: '', error: null }, 20),
];
const synced = (chats: readonly string[]) => [
  ...asked('sync groups'),
  of('listed', { accountId: 1, chats: chats.map((chatId) => ({ chatId, canSend: true })) }, 15),
];
const manySends = (count: number) =>
  Array.from({ length: count }, (_, index) => send(index + 1, { arrivedMs: 100_000 + index * 1_000 }));
const events = (types: readonly string[]) => of('events', { events: types.map(eventOf) }, 3_500);
/** Two answers to one key. */
const keyed = (campaign: string) =>
  [CAMPAIGN, campaign].flatMap((one, index) => [
    of('request', {
      request: 7 + index,
      process: 'api',
      operation: 'send',
      accountId: 1,
      text: 'post',
      groupIds: [1, 2],
      key: 'k',
    }),
    of('answer', { request: 7 + index, campaign: one, error: null }),
  ]);
const halted = (operation: string) => [
  of('request', { request: 2, process: 'api', operation, accountId: 1, text: 'post' }, 10),
  of('answer', { request: 2, campaign: CAMPAIGN, error: null }, 20),
];

test('finds no fault in a correct history', () => {
  expect(checkHistory(history())).toEqual([]);
});

test('finds no fault in a correct overview, and in two answers to one key that agree', () => {
  expect(
    checkHistory(
      history({ overviews: [overview(2)], activities: [activity(1)], more: [...keyed(CAMPAIGN), events(EVENTS)] }),
    ),
  ).toEqual([]);
});

test('finds no fault in messages that tell each event, also where one is repeated', () => {
  const failed = message(1, { verdict: 'rejected' }, 3_200.5);
  expect(checkHistory(toldOf([...MESSAGES, failed, message(2, {}, 3_300)], { groups: GROUPS }))).toEqual([]);
});

test('finds no fault in a post that a release gave up before it broke off, although the next one sends the rest', () => {
  const GIVEN_UP = 'outcome_unknown: the post may have been sent before this ledger was restored';
  const given = { sends: [send(1)], deliveries: [delivery(1), delivery(2, { ...UNSENT, error: GIVEN_UP })] };
  const more = [
    of('releasing', { others: 'unknown' }, 3_300),
    of('releasing', { others: 'send' }, 3_400),
    of('released', { others: 'send' }, 3_401),
  ];
  expect(checkHistory(history({ ...given, more: more.slice(1) }))).toContainEqual(
    expect.stringContaining('without a try: m2'),
  );
  expect(checkHistory(history({ ...given, more }))).not.toContainEqual(expect.stringContaining('without a try: m2'));
});

test('finds no fault in an update of the runs that have not begun, and in groups that are the ones listed', () => {
  const text = 'post, updated 9';
  const sends = [send(1, { text }), send(2, { text })];
  const more = [...updated(text), ...synced(['1-1@g.us', '1-2@g.us']), ...warmedUp];
  expect(checkHistory(history({ sends, more, run: { startedMs: 500 }, groups: GROUPS }))).toEqual([]);
});

test('finds no fault in an overview that leaves out a campaign without a sent post, and finds one that counts it', () => {
  const failed = [1, 2].map((position) => delivery(position, UNSENT));
  const of = (campaigns: number): FinalOverview => {
    const sums = { runs: 1, sent: 0, failed: 2, delivered: 0, read: 0 };
    return { accountId: 1, totals: { ...sums, campaigns, groups: 0 }, daily: [{ date: '1970-01-01', ...sums }] };
  };
  const check = (campaigns: number) =>
    checkHistory(history({ deliveries: failed, overviews: [of(campaigns)] })).filter((fault) =>
      fault.includes('overview'),
    );
  expect(check(0)).toEqual([]);
  expect(check(1)).toEqual(['does not add up: overview of account 1 reports 1 campaigns, not 0']);
});

test('a run that is due earlier goes first only if it was accepted before the other one had a post, and no cap of a day left it over', () => {
  const check = (acceptedMs: number, more: Line[] = []) => {
    const own = { accountId: 1, text: 'slow', groupIds: [1] };
    const lines = history({
      more: [
        of('request', { request: 9, process: 'api', operation: 'send', ...own }),
        of('answer', { request: 9, campaign: 'd', error: null }, acceptedMs),
        send(3, { text: 'slow', chatId: '1-1@g.us' }),
        ...more,
      ],
    });
    const further = delivery(1, { campaign: 'd', runId: 2, messageId: 'm3', sentMs: 3_000 });
    const withSlow = lines.map((line) => {
      if (line.kind !== 'final') return line;
      const [first] = line.campaigns as [FinalCampaign];
      const runs = first.runs.map((run) => ({ ...run, runId: 2, dueMs: -1 }));
      const campaigns = [first, { ...first, campaign: 'd', text: 'slow', runs }];
      return { ...line, campaigns, deliveries: [...line.deliveries, further] };
    });
    return checkHistory(withSlow).filter((fault) => fault.startsWith('out of turn'));
  };
  expect(check(2_000)).toEqual([]);
  expect(check(500)).toEqual(['out of turn: run 1 of post before run 2 of slow']);
  const rest = { process: 'api', operation: 'rest', accountId: 1, text: '' } as const;
  const capped = (dailyCap: number) => [
    of('request', { request: 8, ...rest, rest: { dailyCap, quietHours: null } }, 0),
    of('answer', { request: 8, campaign: null, error: null }, 1),
  ];
  const before = send(0, { arrivedMs: 700, answeredMs: 705 });
  expect(check(500, [...capped(1), { ...before, atMs: 700 }])).toEqual([]);
  expect(check(500, [...capped(50), { ...before, atMs: 700 }])).toEqual([
    'out of turn: run 1 of post before run 2 of slow',
  ]);
});

/** The ledger was backed up at one instant and restored at another. */
const putBack = (fromMs: number, toMs: number) => [of('copied', {}, fromMs), of('put back', {}, toMs)];

describe('ignores unknowable events after a restored ledger:', () => {
  test.for<[string, Line[]]>([
    ['a pause', history({ more: [...halted('pause'), ...putBack(15, 50)] })],
    ['a campaign', history({ deliveries: [], isKept: false, more: putBack(0, 50) })],
    [
      'a receipt',
      history({ deliveries: [delivery(1), delivery(2, { delivered: 0 })], delivered: 1, more: putBack(0, 3_500) }),
    ],
    [
      'a receipt of a post whose run it begins again afterwards',
      history({
        deliveries: [delivery(1), delivery(2, { delivered: 0 })],
        delivered: 1,
        run: { startedMs: 3_100, finishedMs: 3_200 },
        more: putBack(0, 2_900),
      }),
    ],
    ['an erasure', history({ more: [...asked('erase'), ...putBack(5, 50)] })],
  ])('%s', ([, lines]) => {
    expect(checkHistory(lines)).toEqual([]);
  });

  test('and reports requests from before the backup or after the restore', () => {
    const told = (fromMs: number, toMs: number) =>
      checkHistory(history({ more: [...halted('pause'), ...putBack(fromMs, toMs)] }));
    expect(told(30, 50)).toEqual([expect.stringContaining('left after it was to pause')]);
    expect(told(2, 8)).toEqual([expect.stringContaining('left after it was to pause')]);
  });
});

describe('reports the fault', () => {
  test.for<[string, Line[]]>([
    ['lost: post', history({ deliveries: [delivery(1)] })],
    ['never ended', history({ status: 'running' })],
    [
      'not live: 61000 ms',
      history({ more: [of('stuck', { forMs: 61_000, running: 1, revising: 0, inHand: 1, untold: 0 })] }),
    ],
    ['in hand for ever', history({ inHand: 1 })],
    ['told as sent, and never left', history({ sends: [send(1)] })],
    ['left, and told as failed', history({ deliveries: [delivery(1), delivery(2, { status: 'failed' })] })],
    ['twice: m1', history({ sends: [send(1), send(2), send(1, { uncertain: true, arrivedMs: 9_000 })] })],
    ['under two ids', history({ sends: [send(1), send(2), send(2, { messageId: 'other', arrivedMs: 9_000 })] })],
    ['unasked', history({ sends: [send(1), send(2), send(3, { text: 'something else' })] })],
    [
      'repeated without a warning',
      history({ sends: [send(1), send(2), send(2, { verdict: 'copy', arrivedMs: 9_000 })] }),
    ],
    [
      'repeated with a difference',
      history({
        sends: [send(1), send(2), send(2, { verdict: 'copy', uncertain: true, chatId: '1-1@g.us', arrivedMs: 9_000 })],
      }),
    ],
    ['out of order', history({ sends: [send(2), send(1, { arrivedMs: 9_000 })] })],
    // A repeat says that an earlier attempt may have left. That excuses no other order.
    [
      'out of order',
      history({ sends: [send(2, { uncertain: true }), send(1, { uncertain: true, arrivedMs: 9_000 })] }),
    ],
    ['under-paced', history({ sends: [send(1), send(2, { arrivedMs: 1_100 })] })],
    [
      'past the fence',
      history({
        sends: [
          send(1),
          send(2, { process: 'worker 2', arrivedMs: 1_400, answeredMs: 1_401 }),
          send(2, { verdict: 'copy', uncertain: true, arrivedMs: 1_800 }),
        ],
      }),
    ],
    ['carried out twice', history({ more: created(2) })],
    ['told as done, and was not: group 5', history({ more: created(0) })],
    ['left after it was to pause', history({ sends: [send(1), send(2)], more: halted('pause') })],
    ['does not add up: delivered of the groups', history({ delivered: 3 })],
    ['receipts: c m2', history({ told: ['m1'] })],
    ['votes: c m1 counts', history({ more: [voted([0])] })],
    ['votes: c m1 counts', history({ more: [voted([1], 2), voted([0], 1)], polls: [poll([1, 0, 0])] })],
    ['the hours of run 1', history({ more: [voted([0])], polls: [{ ...poll([1, 0, 0]), isRunEven: false }] })],
    [
      'received, and reported as failed',
      history({ deliveries: [delivery(1), delivery(2, { status: 'failed', uncertain: true })] }),
    ],
    ['told as recalled, and was not', history({ deliveries: [delivery(1), delivery(2, { isRecalled: true })] })],
    ['told as corrected, and was not', history({ deliveries: [delivery(1), delivery(2, { isCorrected: true })] })],
    ['left after it was to erase: 2', history({ more: asked('erase') })],
    ['not erased: 1 campaigns', history({ more: asked('erase') })],
    [
      'left in quiet hours: m2',
      history({
        sends: [send(1), send(2, { arrivedMs: 3_600_000 })],
        more: asked('rest', { dailyCap: null, quietHours: { from: '00:30', to: '02:00' } }),
      }),
    ],
    [
      "more than a day's: 2",
      history({
        sends: [send(1, { arrivedMs: 100_000 }), send(2, { arrivedMs: 102_000 })],
        more: asked('rest', { dailyCap: 1, quietHours: null }),
      }),
    ],
    ['early: run 1', history({ run: { dueMs: 500, startedMs: 400 } })],
    ['early: m1 of post left', history({ run: { dueMs: 1_500, startedMs: 1_500 } })],
    ['before its run began', history({ run: { startedMs: 1_500 } })],
    ['too late: run 1', history({ run: { startedMs: 7 * HOUR_MS } })],
    ['never began, and has posts', history({ run: { startedMs: null } })],
    ['missed, and had begun', history({ run: { status: 'missed' } })],
    ['missed too soon', history({ deliveries: [], run: { status: 'missed', startedMs: null, finishedMs: HOUR_MS } })],
    ['cancelled without a request', history({ run: { status: 'cancelled' } })],
    ['completed after it was to cancel', history({ run: { finishedMs: 5_000 }, more: halted('cancel') })],
    ['unplanned: post was to run once', history({ run: { dueMs: 7 } })],
    [
      'expired too soon: m2',
      history({ sends: [send(1)], deliveries: [delivery(1), delivery(2, { ...UNSENT, error: 'expired: late' })] }),
    ],
    [
      'failed without a try: m2',
      history({ sends: [send(1)], deliveries: [delivery(1), delivery(2, { ...UNSENT, error: 'refused' })] }),
    ],
    ['never ended: m2', history({ deliveries: [delivery(1), delivery(2, { status: 'queued' })] })],
    ['late: m2', history({ sends: [send(1), send(2, { arrivedMs: 3_600_000 })] })],
    ['stale: m2', history({ sends: [send(1), send(2, { arrivedMs: 25 * HOUR_MS })] })],
    // A rejected repeat uses up no part of the cap.
    [
      'late: m2',
      history({
        sends: [send(1, { verdict: 'not a member', uncertain: true }), send(2, { arrivedMs: 3_600_000 })],
        deliveries: [delivery(1, { status: 'failed', uncertain: true }), delivery(2)],
        told: [],
        more: asked('rest', { dailyCap: 1, quietHours: null }),
      }),
    ],
    ['out of time: slept', history({ more: [of('slept', { forMs: 5_000 }, 500), of('slept', { forMs: 1 }, 600)] })],
    ['sent before it left: c m2', history({ deliveries: [delivery(1), delivery(2, { sentMs: 1_500 })] })],
    ['recall without a request: m1', history({ more: [recalled('m1')] })],
    ['timeline: post reports 1 sent', history({ timeline: [{ atMs: 0, sent: 1, delivered: 2, read: 0 }] })],
    ['timeline: post reports 5 delivered', history({ timeline: [{ atMs: 0, sent: 2, delivered: 5, read: 0 }] })],
    ['timeline: post has posts', history({ timeline: [{ atMs: 1_500, sent: 1, delivered: 2, read: 0 }] })],
    ['overview of account 1 on 1970-01-01 reports 3 sent', history({ overviews: [overview(3)] })],
    ['the activity of group 2 is {"posts":2', history({ activities: [activity(2)] })],
    ['another file: m2', history({ sends: [send(1), send(2, { file: 'ab' })] })],
    ['events: 0 campaign.accepted of post', history({ more: [events(['campaign.started', 'run.started'])] })],
    ['events: 2 run.started of run 1', history({ more: [events([...EVENTS, 'run.started'])] })],
    ['events: 1 campaign.late of run 1', history({ more: [events([...EVENTS, 'campaign.late'])] })],
    ['has ended, and no event says so', history({ more: [events(EVENTS.filter((one) => one !== 'run.completed'))] })],
    ['not told: campaign.completed of c', toldOf(MESSAGES.slice(0, -1))],
    ['events: post is completed, and its last end is undefined', toldOf(MESSAGES.slice(0, -1))],
    ['told, and did not happen: campaign.late', toldOf([...MESSAGES, message(0, { id: 'e9', type: 'campaign.late' })])],
    ['told, and did not happen: campaign.accepted', toldOf(MESSAGES.map((one) => ({ ...one, runId: 2 })))],
    ['told with a difference: message e1', toldOf([...MESSAGES, message(1, { runId: 2 }, 3_300)])],
    ['told out of order: run.started', toldOf([...MESSAGES, message(2, {}, 3_200.5)])],
    [
      'told out of order: run.started',
      toldOf([message(1, { verdict: 'rejected' }), ...MESSAGES.toSpliced(1, 1), message(1, {}, 3_300)]),
    ],
    [
      'told otherwise: group 1',
      toldOf(alsoTold('group.changed', [{ groupId: 1, change: 'removed', canSend: false }]), { groups: GROUPS }),
    ],
    ['told otherwise: group 1', toldOf(MESSAGES, { groups: GROUPS.map((one) => ({ ...one, canSend: false })) })],
    [
      'told otherwise: post, run 1, group 2 failed, and nothing was told',
      toldOf(MESSAGES, { deliveries: [delivery(1), delivery(2, { ...UNSENT, error: 'refused' })] }),
    ],
    [
      'told otherwise: post, run 1, group 2 is sent, and delivery.failed was told',
      toldOf(alsoTold('delivery.failed', [{ groupId: 2 }]), {
        deliveries: [delivery(1), delivery(2, { delivered: 0 })],
      }),
    ],
    [
      'told otherwise: replies to post, run 1, group 2',
      toldOf(MESSAGES, { deliveries: [delivery(1), delivery(2, { replies: 1 })] }),
    ],
    [
      'told otherwise: reactions to post, run 1, group 2',
      toldOf(alsoTold('message.reaction', [{ groupId: 2, reactions: 2 }]), {
        deliveries: [delivery(1), delivery(2, { reactions: 1 })],
      }),
    ],
    [
      'told while it was held: campaign.accepted',
      toldOf([
        ...MESSAGES,
        ...putBack(2_000, 3_000),
        of(
          'statement',
          { statement: 9, process: 'operator', connection: 1, sql: 'commit', outcome: 'COMMIT', fault: null },
          3_400,
        ),
        of('released', { others: 'send' }, 3_401),
      ]),
    ],
    ['warmed up too fast: 31 posts', history({ sends: manySends(31), more: warmedUp })],
    ['other groups: run 1 of post goes to 1 3', history({ deliveries: [delivery(1), delivery(2, { groupId: 3 })] })],
    [
      'another text: m2 of run 1 says "post, updated 9"',
      history({ sends: [send(1), send(2, { text: 'post, updated 9' })] }),
    ],
    ['another text: m1 of run 1 says "post"', history({ more: updated('post, updated 9'), run: { startedMs: 500 } })],
    [
      'failed without a cause: c m2 after 1 attempts',
      history({
        sends: [send(1), send(2, { verdict: 'refused' })],
        deliveries: [delivery(1), delivery(2, { ...UNSENT, error: 'refused' })],
      }),
    ],
    ['other groups than listed: account 1', history({ more: synced(['1-1@g.us']), groups: GROUPS })],
    ['made twice with one key: post', history({ more: keyed('other') })],
    ['not recalled', history({ sends: [send(1, { arrivedMs: 1, answeredMs: 2 }), send(2)], more: halted('recall') })],
  ])('%s', ([sentence, lines]) => {
    expect(checkHistory(lines).join('\n')).toContain(sentence);
  });
});
