/**
 * A daily plan of a workspace with two numbers, through a month in which they are banned, linked anew, demoted, thrown out and removed:
 * recounted from what the members' devices have shown.
 */
import { expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { linkByQr, linkFurther, statusWhen, type Totals } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { addGroup, lidOf, type Companion, type Group, type Person } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, database, linked } = scene;

const ZONE = 'Europe/Berlin';
const TEXT = 'Good morning';
/** The clocks go forward on the 28th of March. */
const FIRST = Temporal.PlainDate.from('2032-03-15');
const DAYS = 31;

/** Who posts in a group on a day: the first number, the second, or nobody. */
type Sender = 'A' | 'B' | '-';
/** By group, in the order of the plan: both numbers are members of the first three and admins of the news, the others have one number each. */
const NAMES = ['Choir', 'Chess', 'Hikers', 'News', 'Only A', 'Only B'];

/** What has happened before the run of a day, until the next entry. */
const EXPECTED: ReadonlyArray<readonly [fromDay: number, senders: string]> = [
  [1, 'AAAAAB'],
  // A is banned, and linked again after the run of the 10th day.
  [6, 'BBBB-B'],
  [10, 'BBBBAB'],
  [11, 'AAAAAB'],
  // A is demoted where only admins post.
  [14, 'AAABAB'],
  // A is thrown out of the third group.
  [17, 'AABBAB'],
  // A loses its connection shortly before the run, and is banned after it: a person hands over.
  [19, 'BBBB-B'],
  [20, 'BBBBAB'],
  [21, 'AABBAB'],
  // A loses its connection before the run for ten minutes: after two of them B takes over by itself.
  [23, 'BBBBAB'],
  [24, 'AABBAB'],
  // B is removed.
  [26, 'AA--A-'],
  // A is an admin again.
  [28, 'AA-AA-'],
];
const sendersOn = (day: number): Sender[] => [...(EXPECTED.findLast(([from]) => from <= day)?.[1] ?? '')] as Sender[];
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

interface Account {
  account_id: number;
  status: string;
  queued: number;
}

test('each group gets each post once, from a number that may post there, and what reaches nobody says why', async () => {
  const { person, phone, companion } = await linked(0);
  const b = peer.addPerson('447700910099');
  const both = [...members, b];
  const groupsOf = (creator: Person, others: readonly Person[], names: readonly string[]) =>
    names.map((subject) => addGroup(peer.world, creator, { subject }, others));
  const shared = groupsOf(phone, both, NAMES.slice(0, 3));
  const news = addGroup(peer.world, phone, { subject: 'News', isAnnouncement: true }, both);
  news.participants.set(lidOf(b), 'admin');
  const chats: Group[] = [
    ...shared,
    news,
    ...groupsOf(phone, members, ['Only A']),
    ...groupsOf(b, members, ['Only B']),
  ];
  await person.call('venom/sync-groups');
  const second = await linkFurther(peer, person, b);
  const companions: Record<'A' | 'B', Companion[]> = { A: [companion], B: [second.companion] };

  const call = async <Data>(path: string, body: object = {}): Promise<Data> => {
    const answer = await person.call<Data>(path, body);
    expect([path, answer.status, answer.body.message]).toEqual([path, 200, undefined]);
    return answer.body.data;
  };
  const accounts = async () => (await call<{ accounts: Account[] }>('venom/list-accounts')).accounts;
  const accountA = (await accounts()).find(({ account_id }) => account_id !== second.accountId)?.account_id ?? 0;
  const at = (day: number, time: string) =>
    FIRST.add({ days: day - 1 })
      .toZonedDateTime({ timeZone: ZONE, plainTime: time })
      .toInstant();
  const { clock } = database;

  await clock.set(at(0, '12:00'));
  const { groups } = await call<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
    'venom/list-groups',
  );
  const ids = NAMES.map((name) => groups.find(({ group_name }) => group_name === name)?.group_metadata_id ?? 0);
  const planned = await person.call('venom/add-campaign-batch', {
    name: 'Daily',
    html: TEXT,
    group_metadata_ids: ids,
    is_schedule: true,
    start_date: `${FIRST}`,
    end_date: `${FIRST.add({ days: DAYS - 1 })}`,
    schedule_time: '09:00:00',
    time_zone: ZONE,
  });
  const campaign_id = planned.headers.get('x-campaign-id');
  const analytics = (of: object = {}) =>
    call<{
      totals: Totals & { deliveries: number };
      groups: Array<{
        group_metadata_id: number;
        sent: number;
        failed: number;
        queued: number;
        last_error: string | null;
      }>;
      accounts: Array<{ account_id: number; sent: number }>;
    }>('analytics/get-campaign-group-analytics-master', { campaign_id, ...of });

  /** Each post once: the message as the members' devices have shown it. */
  const posts = () =>
    [
      ...Map.groupBy(
        peer.arrivals.filter(({ text }) => text === TEXT),
        ({ messageId }) => messageId,
      ).values(),
    ].map((shown) => ({
      group: chats.findIndex(({ id }) => id === shown[0]?.chatId),
      by: shown[0]?.from,
      isOnce: new Set(shown.map(({ device }) => device)).size === shown.length,
    }));

  const isLeft = () => Promise.resolve(posts().length);
  const reachedBy = (day: number) =>
    sum(Array.from({ length: day }, (_, index) => sendersOn(index + 1).filter((one) => one !== '-').length));

  /** A cannot connect from shortly before the run, which counts as a blip when the run begins. */
  const cutA = async (day: number) => {
    await clock.set(at(day, '08:59:50'));
    peer.script.refuseLogin = 500;
    peer.cut(phone);
    await statusWhen(person, 'reconnecting');
  };
  const waitingForA = (count: number) =>
    until(accounts, (all) => all.find(({ account_id }) => account_id === accountA)?.queued === count);

  const linkA = async (day: number) => {
    // The run has begun, and its senders are chosen.
    await until(
      () => analytics(),
      ({ totals }) => totals.deliveries === day * NAMES.length,
    );
    phone.isBanned = false;
    phone.companions.clear();
    companions.A.push(await linkByQr(peer, person, phone));
  };
  const before: Record<number, () => Promise<void>> = {
    6: async () => {
      peer.ban(phone);
      await statusWhen(person, 'logged_out');
    },
    14: () => peer.setRank(news, phone, 'member'),
    17: () => peer.leave(chats[2] as Group, phone),
    19: () => cutA(19),
    22: async () => void (await call('workspace/update-workspace', { failover_minutes: 2, fails_back: true })),
    23: () => cutA(23),
    26: async () => {
      await call('venom/disconnect-account', { account_id: second.accountId });
      await call('venom/remove-account', { account_id: second.accountId });
    },
    28: () => peer.setRank(news, phone, 'admin'),
  };
  const after: Record<number, () => Promise<void>> = {
    10: () => linkA(10),
    19: async () => {
      await waitingForA(3);
      peer.ban(phone);
      peer.behave();
      await statusWhen(person, 'logged_out');
      await clock.set(at(19, '09:20'));
      await until(
        () => call<{ notices: Array<{ kind: string }> }>('user/list_notices'),
        ({ notices }) => notices.some(({ kind }) => kind === 'account_waiting'),
      );
      let handedOver = 0;
      // What is in hand is not handed over before its turn has ended.
      await until(
        async () => {
          const answer = await call<{ handed_over: number }>('venom/hand-over-deliveries', { account_id: accountA });
          return (handedOver += answer.handed_over);
        },
        (count) => count === 2,
      );
    },
    20: () => linkA(20),
    23: async () => {
      await waitingForA(3);
      await clock.set(at(23, '09:03'));
      await waitingForA(1);
      // What B has not sent by then returns to A.
      await until(isLeft, (count) => count >= reachedBy(23) - 1);
      peer.behave();
      await clock.set(at(23, '09:10'));
      await statusWhen(person, 'connected');
    },
  };

  for (let day = 1; day <= DAYS; day++) {
    await clock.set(at(day, '08:00'));
    await before[day]?.();
    await clock.set(at(day, '09:00:01'));
    await after[day]?.();
    const reached = reachedBy(day);
    await until(isLeft, (count) => count >= reached);
    await until(
      () => analytics(),
      ({ totals }) => totals.sent >= reached,
    );
  }
  await clock.set(at(DAYS + 3, '12:00'));
  const {
    totals,
    groups: figures,
    accounts: shares,
  } = await until(
    () => analytics({ with_accounts: true }),
    ({ totals: { queued } }) => queued === 0,
  );

  const plan = Array.from({ length: DAYS }, (_, index) => sendersOn(index + 1));
  const countOf = (group: number, sender: Sender) => plan.filter((day) => day[group] === sender).length;
  const byCompanion = (sender: 'A' | 'B') =>
    new Set(companions[sender].map(({ person: { lid }, device }) => `${lid}:${device}@lid`));
  const shown = posts();
  expect(shown.every(({ isOnce }) => isOnce)).toBe(true);
  for (const group of NAMES.keys()) {
    const own = shown.filter((one) => one.group === group);
    for (const sender of ['A', 'B'] as const)
      expect([NAMES[group], sender, own.filter(({ by }) => byCompanion(sender).has(by ?? '')).length]).toEqual([
        NAMES[group],
        sender,
        countOf(group, sender),
      ]);
    const figure = figures.find(({ group_metadata_id }) => group_metadata_id === ids[group]);
    expect(figure, NAMES[group]).toMatchObject({ sent: own.length, failed: countOf(group, '-') });
    expect(typeof figure?.last_error, NAMES[group]).toBe(countOf(group, '-') > 0 ? 'string' : 'object');
  }
  expect(totals).toMatchObject({ sent: shown.length, failed: DAYS * NAMES.length - shown.length });
  expect(sum(shares.map(({ sent }) => sent))).toBe(shown.length);
});
