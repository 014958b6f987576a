/**
 * A year of a team with a moved clock, recounted: each post once, in its group and at its hour, the reports of the weeks, and who was told
 * what, in whose language.
 */
import { readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { execute, readValue } from '../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { checkAccounts, checkRuns } from '../../src/operations/doctor/check-database.ts';
import { sweepRuns } from '../../src/sending/campaigns/begin/expire-runs.ts';
import { giveBackLate } from '../../src/sending/approvals/write-events.ts';
import { recordWaits } from '../../src/sending/senders/watch-waits.ts';
import { KIND_RULES, NOTICE_KINDS } from '../../src/notifications/notices/kinds.ts';
import type { Person } from '../support/app.ts';
import { EVERY_SHARD } from '../support/begin-runs.ts';
import { until } from '../support/ledger.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import { callIn, join } from '../support/team.ts';
import { linkByQr, statusWhen } from '../support/whatsapp.ts';
import { setWhatsAppScene } from '../support/whatsapp-scene.ts';
import { addGroup } from '../../harness/whatsapp-peer/world.ts';

const mails = await startMailServer();
afterAll(() => mails.close());
const METRICS_TOKEN = 'the token of the metrics';
const GAP = { minMs: 60_000, maxMs: 60_000 };
const scene = await setWhatsAppScene(undefined, {
  smtpUrl: mails.url,
  mailFrom: 'campanile@example.com',
  publicUrl: 'https://campanile.example.com',
  signUp: 'open',
  whatsappGap: GAP,
  whatsappWarmUpGap: GAP,
  metricsToken: METRICS_TOKEN,
});
const { peer, members, database, linked } = scene;
const { db, clock } = database;

const ZONE = 'Europe/Berlin';
const YEAR = 2032;
/** The instant of a local time such as `03-28T09:00`. */
const at = (local: string) => Temporal.PlainDateTime.from(`${YEAR}-${local}`).toZonedDateTime(ZONE).toInstant();
const dateOf = (local: string) => `${YEAR}-${local.slice(0, 5)}`;
const GROUPS = ['Choir', 'Chess', 'Hikers'] as const;
type Name = (typeof GROUPS)[number];

/** Good Friday, Easter Monday, Whit Monday and All Saints. */
const HOLIDAYS = ['03-26', '03-29', '05-17', '11-01'];
const isHoliday = (date: Temporal.PlainDate) => HOLIDAYS.includes(date.toString().slice(5));

/** Each day of a span but for the holidays, as `MM-DD`. */
function daysOf(first: string, last: string, step = 1): string[] {
  const days: string[] = [];
  for (
    let date = Temporal.PlainDate.from(`${YEAR}-${first}`);
    Temporal.PlainDate.compare(date, Temporal.PlainDate.from(`${YEAR}-${last}`)) <= 0;
    date = date.add({ days: step })
  )
    if (!isHoliday(date)) days.push(date.toString().slice(5));
  return days;
}

const PEOPLE = {
  owner: { language: 'de', time_zone: ZONE },
  manager: { language: 'pt-BR', time_zone: 'Europe/Lisbon' },
  author: { language: 'es', time_zone: 'Europe/Madrid' },
  analyst: { language: 'hi', time_zone: 'Asia/Kolkata' },
  operator: { language: 'id', time_zone: 'Asia/Jakarta' },
} as const;
type Role = keyof typeof PEOPLE;
const ROLES = Object.keys(PEOPLE) as Role[];

/** The alerts about posts that do not leave, by the figures of /metrics, as deploy/monitoring/alerts.yml has them. */
const ALERTS: Record<string, { expr: string; fires: (figures: Figures) => boolean }> = {
  CampanileRunsLate: { expr: 'max(campanile_runs_late) > 0', fires: (of) => of('campanile_runs_late') > 0 },
  CampanileAccountsWaiting: { expr: 'campanile_accounts_waiting{reason=~', fires: (of) => of(WAITING) > 0 },
  CampanileNothingLeaves: {
    expr: '> 0.5 * max(campanile_accounts_due)',
    fires: (of) => of(WAITING) > 0.5 * of('campanile_accounts_due'),
  },
  CampanileAccountStopped: {
    expr: 'max(campanile_accounts_stopped) > 0',
    fires: (of) => of('campanile_accounts_stopped') > 0,
  },
  CampanileLoggedOut: {
    expr: 'max(campanile_accounts{status="logged_out"})',
    fires: (of) => of('campanile_accounts{status="logged_out"}') > 0,
  },
};
const WAITING = /^campanile_accounts_waiting\{reason="(offline|no_worker|version_refused|unexplained)"\}/;
/** Returns the sum of a metric, or of all that match. */
type Figures = (metric: string | RegExp) => number;

interface Listed {
  notices: Array<{
    place: number;
    kind: string;
    campaign: { name: string } | null;
    approval: { name: string } | null;
    waits_for: string | null;
  }>;
}

/** What is said on a day when something does not leave. */
interface Said {
  when: string;
  alerts: string[];
  doctor: string[];
  page: string | null;
}

test('a year of a team has each post once, and tells each person once what happened, in their language', async () => {
  const { person: owner, phone } = await linked(0);
  const chats = GROUPS.map((subject) => addGroup(peer.world, phone, { subject }, [...members]));
  await owner.call('venom/sync-groups');
  const { app } = scene;
  const workspaceId = String(
    await readValue<number>(db)`select workspace_id from memberships where user_id = ${owner.userId}`,
  );
  const team = { owner } as Record<Role, Person>;
  for (const role of ['manager', 'author', 'analyst'] as const) {
    team[role] = await app.signUp(role);
    await join(app, { owner, workspaceId, role }, team[role]);
  }
  team.operator = await app.signUp('operator');
  await execute(db)`update users set is_admin = true where user_id = ${team.operator.userId}`;
  await execute(db)`update users set email_verified_at = campanile_now()`;
  for (const role of ROLES) await team[role].call('user/update_profile', PEOPLE[role]);
  await clock.set(Temporal.ZonedDateTime.from(`${YEAR - 1}-12-31T12:00[${ZONE}]`).toInstant());

  const ask = async <Data>(who: Role, path: string, body: object = {}) =>
    callIn<Data>(app, team[who], workspaceId, path, body);
  const call = async <Data>(who: Role, path: string, body: object = {}): Promise<Data> => {
    const answer = await ask<Data>(who, path, body);
    expect([path, answer.status, answer.body.message]).toEqual([path, 200, undefined]);
    return answer.body.data;
  };
  const listed = await call<{ groups: Array<{ group_metadata_id: number; group_name: string }> }>(
    'owner',
    'venom/list-groups',
  );
  const idOf = (name: Name) =>
    listed.groups.find(({ group_name }) => group_name === name)?.group_metadata_id ?? Number.NaN;
  await call('owner', 'venom/update-account', { quiet_hours: { from: '22:00', to: '07:00' }, daily_cap: 20 });
  await call('owner', 'workspace/set-approval-rules', { approval: 'authors' });

  // What the members' phones have shown, by when the clock stood where.
  let standing = '';
  const shownAt: string[] = [];
  const posts = () =>
    [
      ...Map.groupBy(
        peer.arrivals.filter(({ text }) => text !== ''),
        ({ messageId }) => messageId,
      ).values(),
    ].map((devices) => ({
      group: GROUPS[chats.findIndex(({ id }) => id === devices[0]?.chatId)],
      text: devices[0]?.text,
      isOnce: new Set(devices.map(({ device }) => device)).size === devices.length,
    }));
  const see = () => {
    while (shownAt.length < posts().length) shownAt.push(standing);
  };
  const rest = () =>
    until(() => readValue<number>(db)`select count(*)::int from lanes where in_hand_run_id is not null`, 0);
  const hint = () => execute(db)`select pg_notify('campanile_runs', ''), pg_notify('campanile_lanes', '')`;
  const noticed = NOTICE_KINDS.map((kind) => KIND_RULES[kind].event);
  /** Notices were made of all events, and mails were sent that are due. */
  const isTold = () =>
    until(
      () => readValue<boolean>(db)`
        select not exists (
            select from events
            where type = any(${noticed}::text[]) and (position is null or position > (select position from notice_reader)))
          and not exists (select from notice_turns where waiting > 0 and due_at <= campanile_now())
          and not exists (select from mails where sent_at is null and due_at <= campanile_now())`,
      true,
    );
  async function goTo(local: string): Promise<void> {
    await rest();
    await isTold();
    see();
    standing = local;
    await clock.set(at(local).add({ seconds: 1 }));
    await hint();
  }
  /** The loops that look twice a minute, once a minute or once an hour have come round. */
  async function look(): Promise<void> {
    // A worker is alive.
    await execute(db)`update workers set beat_at = campanile_now()`;
    await recordWaits(db, EVERY_SHARD, ZONE);
    await sweepRuns(db, EVERY_SHARD);
    await giveBackLate(db);
  }

  const planned: string[] = [];
  const expected: string[] = [];
  const line = (local: string, group: Name, text: string) => `${local} ${group} ${text}`;
  const minutesAfter = (local: string, minutes: number) =>
    Temporal.PlainDateTime.from(`${YEAR}-${local}`).add({ minutes }).toString({ smallestUnit: 'minute' }).slice(5);
  async function shows(local: string, group: Name, text: string): Promise<void> {
    expected.push(line(local, group, text));
    await until(
      () => posts().length,
      (count) => count >= expected.length,
    );
  }
  /** A run leaves for these groups, a minute apart. */
  async function leaves(local: string, groups: readonly Name[], text: string): Promise<void> {
    for (const [index, group] of groups.entries()) {
      await goTo(minutesAfter(local, index));
      if (index > 0) await clock.advance({ seconds: 5 });
      await hint();
      await shows(minutesAfter(local, index), group, text);
    }
  }

  interface Plan {
    name: string;
    groups: readonly Name[];
    days: readonly string[];
    time: string;
    weekdays?: number[];
  }
  const bodyOf = ({ name, groups, days, time, weekdays }: Plan) => ({
    name,
    html: name,
    group_metadata_ids: groups.map(idOf),
    is_schedule: true,
    start_date: dateOf(days[0] ?? ''),
    end_date: dateOf(days.at(-1) ?? ''),
    schedule_time: `${time}:00`,
    time_zone: ZONE,
    ...(weekdays && { weekdays }),
    skip_dates: HOLIDAYS.map(dateOf).filter((date) => date > dateOf(days[0] ?? '') && date < dateOf(days.at(-1) ?? '')),
  });
  async function plan(what: Plan, who: Role = 'manager'): Promise<string> {
    planned.push(...what.days.map((day) => `${day}T${what.time} ${what.name}`));
    const answer = await ask(who, 'venom/add-campaign-batch', bodyOf(what));
    expect([what.name, answer.status, answer.body.message]).toEqual([what.name, 200, undefined]);
    return answer.headers.get('x-campaign-id') ?? '';
  }

  const told: string[] = [];
  const seen = new Map<Role, number>();
  let read = mails.mails.length;
  /** Everything that happened has been told: no event, no summed-up notice and no mail waits. */
  async function tell(month: string): Promise<void> {
    await rest();
    await look();
    await isTold();
    // What was summed up within a minute.
    await clock.advance({ minutes: 3 });
    await isTold();
    const emailOf = new Map(ROLES.map((role) => [`${team[role].name}@example.com`, role]));
    for (const role of ROLES) {
      const { notices } = (await team[role].call<Listed>('user/list_notices', { limit: 100 })).body.data;
      for (const one of notices.filter(({ place }) => place > (seen.get(role) ?? 0)).toReversed())
        told.push(
          [month, role, 'bell', one.kind, one.campaign?.name ?? one.approval?.name, one.waits_for]
            .filter(Boolean)
            .join(' '),
        );
      seen.set(role, Math.max(seen.get(role) ?? 0, ...notices.map(({ place }) => place)));
    }
    for (const mail of mails.mails.slice(read))
      told.push(`${month} ${emailOf.get(mail.to) ?? mail.to} mail ${mail.subject}`);
    read = mails.mails.length;
  }

  const rules = await readFile(joinPath(import.meta.dirname, '../../deploy/monitoring/alerts.yml'), 'utf8');
  async function firing(): Promise<string[]> {
    const answer = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const figures: Figures = (metric) =>
      text
        .split('\n')
        .filter((row) => (typeof metric === 'string' ? row.startsWith(`${metric} `) : metric.test(row)))
        .reduce((sum, row) => sum + Number(row.split(' ').at(-1)), 0);
    return Object.entries(ALERTS).flatMap(([name, { expr, fires }]) => {
      expect(rules).toContain(`alert: ${name}`);
      expect(rules).toContain(expr);
      return fires(figures) ? [name] : [];
    });
  }
  const said: Said[] = [];
  /** What the operator and the page of a campaign say; figures of /metrics may be some seconds old. */
  async function saySo(campaign_id: string, alerts: string[]): Promise<void> {
    await until(async () => (await firing()).join(), alerts.join());
    const findings = [...[await checkRuns(db)].flat(), ...[await checkAccounts(db)].flat()];
    const { waits_for } = await call<{ waits_for?: { reason: string } | null }>('author', 'venom/get-campaign', {
      campaign_id,
    });
    said.push({
      when: standing,
      alerts,
      doctor: findings.filter(({ level }) => level !== 'ok').map(({ message }) => message),
      page: waits_for?.reason ?? null,
    });
  }

  const unplug = async (how: 'account' | 'host') => {
    if (how === 'host') peer.script.isReachable = false;
    else peer.script.refuseLogin = 500;
    peer.cut(phone);
    await statusWhen(team.owner, 'reconnecting');
  };
  const plugIn = async () => {
    peer.behave();
    await statusWhen(team.owner, 'connected');
    await hint();
  };

  // The plans of the year.
  const mondays = daysOf('01-05', '12-27', 7);
  const pair: readonly Name[] = ['Chess', 'Hikers'];
  const weekly = await plan({ name: 'Weekly', groups: pair, days: mondays, time: '09:00', weekdays: [1] });
  const spring = daysOf('03-24', '04-02');
  await plan({ name: 'Spring', groups: ['Choir'], days: spring, time: '08:30' });
  const autumn = daysOf('10-28', '11-03');
  const inQuietHours = await plan({ name: 'Autumn', groups: ['Choir'], days: autumn, time: '06:30' });
  const months = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'));
  for (const month of months)
    await plan({ name: `Letter ${month}`, groups: ['Choir'], days: [`${month}-03`], time: '18:00' });

  const agenda: Array<readonly [local: string, act: () => Promise<void>]> = [];
  const on = (local: string, act: () => Promise<void>) => agenda.push([local, act]);
  const TROUBLED = new Set(['04-12', '05-10', '06-14']);
  for (const day of mondays) if (!TROUBLED.has(day)) on(`${day}T09:00`, () => leaves(`${day}T09:00`, pair, 'Weekly'));
  for (const day of spring) on(`${day}T08:30`, () => leaves(`${day}T08:30`, ['Choir'], 'Spring'));
  for (const month of months) on(`${month}-03T18:00`, () => leaves(`${month}-03T18:00`, ['Choir'], `Letter ${month}`));
  for (const day of autumn) {
    on(`${day}T06:30`, async () => {
      await goTo(`${day}T06:30`);
      await until(
        async () =>
          (
            await call<{ waits_for?: { reason: string } | null }>('author', 'venom/get-campaign', {
              campaign_id: inQuietHours,
            })
          ).waits_for?.reason,
        'quiet_hours',
      );
    });
    on(`${day}T07:00`, () => leaves(`${day}T07:00`, ['Choir'], 'Autumn'));
  }
  for (const month of months)
    on(`${month}-28T23:30`, async () => {
      await goTo(`${month}-28T23:30`);
      await tell(month);
    });

  // An approval in time, and one that nobody gives.
  const askFor = async (name: string, day: string, groups: readonly Name[] = GROUPS) => {
    const approval_id = crypto.randomUUID();
    const body = { approval_id, ...bodyOf({ name, groups, days: [day], time: '10:00' }) };
    return { approval_id, ...(await call<{ sha256: string }>('author', 'venom/request-approval', body)) };
  };
  let fair = '';
  on('01-13T11:00', async () => {
    await goTo('01-13T11:00');
    const { approval_id, sha256 } = await askFor('Fair', '01-14');
    planned.push('01-14T10:00 Fair');
    const decided = { approval_id, sha256, decision: 'approve' };
    fair = (await call<{ campaign_id: string }>('manager', 'venom/decide-approval', decided)).campaign_id;
  });
  on('01-14T10:00', () => leaves('01-14T10:00', GROUPS, 'Fair'));
  on('01-20T11:00', async () => {
    await goTo('01-20T11:00');
    await askFor('Forgotten', '01-21');
  });
  on('01-21T11:00', async () => {
    await goTo('01-21T11:00');
    await look();
  });

  // An account that is away for a night: one run is missed.
  on('02-08T20:00', async () => {
    await goTo('02-08T20:00');
    const evening = await plan({ name: 'Evening', groups: ['Choir'], days: ['02-08'], time: '20:30' });
    await unplug('account');
    await goTo('02-08T20:32');
    await look();
    await goTo('02-08T20:47');
    await look();
    await saySo(evening, ['CampanileRunsLate', 'CampanileAccountsWaiting', 'CampanileNothingLeaves']);
    await goTo('02-09T02:31');
    await look();
    await saySo(evening, []);
    await goTo('02-09T08:00');
    await plugIn();
  });

  // The whole host is without a network for twenty minutes, in the middle of a run.
  on('04-12T09:00', async () => {
    await leaves('04-12T09:00', ['Chess'], 'Weekly');
    await rest();
    await unplug('host');
    await goTo('04-12T09:02');
    await look();
    await saySo(weekly, []);
    await goTo('04-12T09:18');
    await look();
    await saySo(weekly, ['CampanileAccountsWaiting', 'CampanileNothingLeaves']);
    await goTo('04-12T09:20');
    await plugIn();
    await shows('04-12T09:20', 'Hikers', 'Weekly');
    await rest();
    await look();
    await saySo(weekly, []);
  });

  // An administrator disables the owner for a day.
  on('05-10T08:00', async () => {
    await goTo('05-10T08:00');
    await call('operator', 'admin/disable_user', { user_id: owner.userId });
    await goTo('05-10T09:20');
    await look();
    await saySo(weekly, []);
    await goTo('05-10T15:10');
    await look();
    await goTo('05-11T08:00');
    await call('operator', 'admin/enable_user', { user_id: owner.userId });
    team.owner = await app.signIn(owner.name);
    await look();
    await statusWhen(team.owner, 'connected');
  });

  // A run begins, and its account is away until it expires.
  on('06-14T09:00', async () => {
    await leaves('06-14T09:00', ['Chess'], 'Weekly');
    await rest();
    await unplug('account');
    await goTo('06-14T09:05');
    await look();
    await goTo('06-14T09:20');
    await look();
    await saySo(weekly, ['CampanileAccountsWaiting', 'CampanileNothingLeaves']);
    await goTo('06-15T11:10');
    await look();
    await saySo(weekly, []);
    await goTo('06-15T12:00');
    await plugIn();
  });

  // A phone ends the link.
  on('07-13T12:00', async () => {
    await goTo('07-13T12:00');
    peer.unlink(phone);
    await statusWhen(team.owner, 'logged_out');
    await saySo(weekly, ['CampanileLoggedOut']);
    await goTo('07-13T13:00');
    phone.companions.clear();
    await linkByQr(peer, team.owner, phone);
    await saySo(weekly, []);
  });

  // A daily cap leaves one post over, which leaves at the hour of its plan.
  on('08-10T09:00', async () => {
    await goTo('08-10T09:00');
    await call('owner', 'venom/update-account', { daily_cap: 2 });
    await plan({ name: 'Capped', groups: GROUPS, days: ['08-10'], time: '10:00' });
    await leaves('08-10T10:00', ['Choir', 'Chess'], 'Capped');
    await goTo('08-10T10:30');
    await look();
    await goTo('08-11T00:10');
    await look();
    await leaves('08-11T10:00', ['Hikers'], 'Capped');
    await call('owner', 'venom/update-account', { daily_cap: 20 });
  });

  // Keys that have expired free their places.
  const createKey = async (name: string, expires_at?: string) => {
    const body = { name, scopes: ['read'], ...(expires_at !== undefined && { expires_at }) };
    return (await ask('owner', 'user/create_api_key', body)).status;
  };
  on('02-16T12:00', async () => {
    await goTo('02-16T12:00');
    team.owner = await app.signIn(owner.name);
    for (let key = 0; key < 50; key++) expect(await createKey(`Key ${key}`, `${YEAR}-09-01T00:00:00Z`)).toBe(200);
    expect(await createKey('One more')).toBe(409);
  });
  on('09-02T12:00', async () => {
    await goTo('09-02T12:00');
    team.owner = await app.signIn(owner.name);
    // They end by the clock of the process, which stands still.
    await execute(db)`update api_keys set expires_at = now() - interval '1 second'`;
    expect(await createKey('One more')).toBe(200);
  });

  // A post is taken back, and one that is too old stays.
  on('09-07T10:00', async () => {
    await goTo('09-07T09:00');
    const campaign_id = await plan({ name: 'Sale', groups: pair, days: ['09-07'], time: '10:00' });
    await leaves('09-07T10:00', pair, 'Sale');
    await goTo('09-07T10:05');
    expect((await ask('manager', 'venom/recall-campaign', { campaign_id })).status).toBe(200);
    const recalled = async () => {
      const { groups } = await call<{ groups: Array<{ recalled?: boolean | number }> }>(
        'manager',
        'analytics/get-campaign-group-analytics-master',
        { campaign_id },
      );
      return groups.filter((group) => Boolean(group.recalled)).length;
    };
    await until(async () => {
      await clock.advance({ minutes: 1 });
      await execute(db)`select pg_notify('campanile_revisions', ''), pg_notify('campanile_lanes', '')`;
      return recalled();
    }, 2);
    const { status, body } = await ask('manager', 'venom/recall-campaign', { campaign_id: fair });
    expect([status, (body as { error_code?: string }).error_code]).toEqual([409, 'too_late']);
  });

  // An author leaves: what they asked for can still be decided on, and tells nobody.
  on('12-08T11:00', async () => {
    await goTo('12-08T11:00');
    const { approval_id, sha256 } = await askFor('Farewell', '12-15', ['Choir']);
    await goTo('12-09T11:00');
    await call('owner', 'workspace/remove-member', { user_id: team.author.userId });
    await call('manager', 'venom/decide-approval', { approval_id, sha256, decision: 'reject' });
    const { approvals } = await call<{ approvals: object[] }>('manager', 'venom/list-approvals');
    expect(approvals).toMatchObject([{ name: 'Forgotten', state: 'changes_requested', reason: 'time_passed' }]);
  });

  for (const [when, act] of agenda.toSorted(([one], [other]) => (one < other ? -1 : 1)))
    await act().catch((error: unknown) => {
      throw new Error(`on ${when}`, { cause: error });
    });
  await goTo('12-31T12:00');
  see();

  // Each post once, in its group, at its hour.
  expect(posts().map(({ group, text }, index) => `${shownAt[index]} ${group} ${text}`)).toEqual(expected);
  expect(posts().every(({ isOnce }) => isOnce)).toBe(true);

  // Each run was due at its local time, and says what became of it.
  const runs: string[] = [];
  for (const [first, last] of [
    ['01-01', '03-31'],
    ['04-01', '06-30'],
    ['07-01', '09-30'],
    ['10-01', '12-31'],
  ] as const) {
    const { runs: some } = await call<{ runs: Array<{ name: string; due_at: string; status: string }> }>(
      'owner',
      'venom/list-runs',
      { start_date: dateOf(first), end_date: dateOf(last), limit: 1_000 },
    );
    for (const { name, due_at, status } of some) {
      const local = Temporal.Instant.from(due_at).toZonedDateTimeISO(ZONE).toPlainDateTime();
      runs.push(
        `${local.toString({ smallestUnit: 'minute' }).slice(5)} ${name}${status === 'completed' ? '' : ` ${status}`}`,
      );
    }
  }
  const ENDS: Record<string, string> = {
    '02-08T20:30 Evening': ' missed',
    '05-10T09:00 Weekly': ' missed',
    '06-14T09:00 Weekly': ' completed_with_errors',
  };
  expect(runs.toSorted()).toEqual(planned.map((run) => `${run}${ENDS[run] ?? ''}`).toSorted());

  // The reports of the weeks add up to what the phones have shown.
  const weeks: Array<[from: string, sent: number]> = [];
  const counted: typeof weeks = [];
  for (
    let monday = Temporal.PlainDate.from(`${YEAR - 1}-12-29`);
    Temporal.PlainDate.compare(monday, Temporal.PlainDate.from(`${YEAR}-12-31`)) <= 0;
    monday = monday.add({ weeks: 1 })
  ) {
    const sunday = monday.add({ days: 6 });
    const span = { start_date: `${monday}`, end_date: `${sunday}`, limit: 1 };
    const { totals } = await call<{ totals: { sent: number } }>('analyst', 'analytics/get-report', {
      ...span,
      end_date: `${sunday}`,
    });
    weeks.push([`${monday}`, totals.sent]);
    const isIn = (local: string) => dateOf(local) >= `${monday}` && dateOf(local) <= `${sunday}`;
    counted.push([`${monday}`, shownAt.filter(isIn).length]);
  }
  expect(weeks).toEqual(counted);
  const whole = { start_date: `${YEAR}-01-01`, end_date: `${YEAR}-12-31` };
  const { totals } = await call<{ totals: { sent: number; failed: number; missed_runs: number } }>(
    'owner',
    'analytics/get-report',
    whole,
  );
  expect(totals).toMatchObject({ sent: expected.length, failed: 1, missed_runs: 2 });

  // Who was told what, and what the operator saw.
  expect(said).toEqual(SAID);
  expect(told.map(withoutSeconds).toSorted()).toEqual(TOLD.toSorted());
});

/** How long a step takes depends on the machine. */
const withoutSeconds = (line: string) => line.replaceAll(/\b(\d\d:\d\d):\d\d\b/g, '$1');

/** What the operator and the page say on the days on which something does not leave. */
const OFFLINE =
  '1 of 1 accounts with something to send have sent nothing for 15 minutes. This service cannot reach WhatsApp right now. It keeps trying by itself.';
const SAID: Said[] = [
  {
    when: '02-08T20:47',
    alerts: ['CampanileRunsLate', 'CampanileAccountsWaiting', 'CampanileNothingLeaves'],
    doctor: ['Late runs: 1 (nothing was tried a minute after their time)', OFFLINE],
    page: 'offline',
  },
  {
    when: '02-09T02:31',
    alerts: [],
    doctor: ['Missed runs: 1 within the last 24 hours (could not begin within 6 hours)'],
    page: null,
  },
  { when: '04-12T09:02', alerts: [], doctor: [], page: 'offline' },
  {
    when: '04-12T09:18',
    alerts: ['CampanileAccountsWaiting', 'CampanileNothingLeaves'],
    doctor: [OFFLINE],
    page: 'offline',
  },
  { when: '04-12T09:20', alerts: [], doctor: [], page: null },
  { when: '05-10T09:20', alerts: [], doctor: [], page: 'disabled' },
  {
    when: '06-14T09:20',
    alerts: ['CampanileAccountsWaiting', 'CampanileNothingLeaves'],
    doctor: [OFFLINE],
    page: 'offline',
  },
  { when: '06-15T11:10', alerts: [], doctor: [], page: null },
  { when: '07-13T12:00', alerts: ['CampanileLoggedOut'], doctor: ['1 of 5 accounts: logged out'], page: null },
  { when: '07-13T13:00', alerts: [], doctor: [], page: null },
];

/** By month, person and way, in the language and the time zone of the person. The analyst and the operator have nothing to act on. */
const TOLD = [
  '01 owner bell campaign_done Letter 01',
  '01 owner bell campaign_waiting Fair',
  '01 owner bell campaign_done Fair',
  '01 owner bell campaign_waiting Forgotten',
  '01 owner mail Fair wartet auf Ihre Freigabe.',
  '01 owner mail Forgotten wartet auf Ihre Freigabe.',
  '01 manager bell campaign_done Letter 01',
  '01 manager bell campaign_waiting Fair',
  '01 manager bell campaign_done Fair',
  '01 manager bell campaign_waiting Forgotten',
  '01 manager mail Fair espera sua aprovação.',
  '01 manager mail Forgotten espera sua aprovação.',
  '01 author bell campaign_decided Fair',
  '01 author bell campaign_decided Forgotten',
  '01 author mail Fair ya no espera aprobación. Se aprobó.',
  '01 author mail Forgotten ya no espera aprobación. Su hora pasó antes de la aprobación. No se envió nada. Elige otra hora y vuelve a pedir la aprobación.',
  '02 owner bell campaign_done Letter 02',
  '02 owner bell account_waiting offline',
  '02 owner bell campaign_late Evening',
  '02 owner bell campaign_missed Evening',
  '02 owner mail Ihr Hauptkonto kann nicht senden, und Beiträge warten darauf. Dieser Dienst erreicht WhatsApp gerade nicht. Er versucht es von selbst weiter. Es kann seit 08.02.2032, 20:00 MEZ nicht senden.',
  '02 owner mail Evening konnte nicht rechtzeitig beginnen; zu diesem Termin wurde nichts gesendet. Der Termin war am 08.02.2032, 20:30 MEZ.',
  '02 manager bell campaign_done Letter 02',
  '02 manager bell account_waiting offline',
  '02 manager bell campaign_late Evening',
  '02 manager bell campaign_missed Evening',
  '02 manager mail Sua conta principal não pode enviar, e há publicações que esperam por ela. Este serviço não consegue falar com o WhatsApp agora. Ele continua tentando sozinho. Não pode enviar desde 8 de fev. de 2032, 19:00 GMT+0.',
  '02 manager mail Evening não pôde começar a tempo; por isso, este envio não foi feito. Estava prevista para 8 de fev. de 2032, 19:30 GMT+0.',
  '03 owner bell campaign_done Letter 03',
  '03 manager bell campaign_done Letter 03',
  '04 owner bell campaign_done Spring',
  '04 owner bell campaign_done Letter 04',
  '04 owner bell account_waiting offline',
  '04 owner mail Ihr Hauptkonto kann nicht senden, und Beiträge warten darauf. Dieser Dienst erreicht WhatsApp gerade nicht. Er versucht es von selbst weiter. Es kann seit 12.04.2032, 09:00 MESZ nicht senden.',
  '04 manager bell campaign_done Spring',
  '04 manager bell campaign_done Letter 04',
  '04 manager bell account_waiting offline',
  '04 manager mail Sua conta principal não pode enviar, e há publicações que esperam por ela. Este serviço não consegue falar com o WhatsApp agora. Ele continua tentando sozinho. Não pode enviar desde 12 de abr. de 2032, 08:00 GMT+1.',
  '05 owner bell campaign_done Letter 05',
  '05 owner bell campaign_missed Weekly',
  '05 owner mail Weekly konnte nicht rechtzeitig beginnen; zu diesem Termin wurde nichts gesendet. Der Termin war am 10.05.2032, 09:00 MESZ.',
  '05 manager bell campaign_done Letter 05',
  '05 manager bell campaign_missed Weekly',
  '05 manager mail Weekly não pôde começar a tempo; por isso, este envio não foi feito. Estava prevista para 10 de mai. de 2032, 08:00 GMT+1.',
  '06 owner bell campaign_done Letter 06',
  '06 owner bell campaign_failed Weekly',
  '06 owner bell account_waiting offline',
  '06 owner mail Einige Beiträge von Weekly konnten nicht gesendet werden. Der Termin war am 14.06.2032, 09:00 MESZ.',
  '06 owner mail Ihr Hauptkonto kann nicht senden, und Beiträge warten darauf. Dieser Dienst erreicht WhatsApp gerade nicht. Er versucht es von selbst weiter. Es kann seit 14.06.2032, 09:00 MESZ nicht senden.',
  '06 manager bell campaign_done Letter 06',
  '06 manager bell campaign_failed Weekly',
  '06 manager bell account_waiting offline',
  '06 manager mail Algumas publicações de Weekly não puderam ser enviadas. Estava prevista para 14 de jun. de 2032, 08:00 GMT+1.',
  '06 manager mail Sua conta principal não pode enviar, e há publicações que esperam por ela. Este serviço não consegue falar com o WhatsApp agora. Ele continua tentando sozinho. Não pode enviar desde 14 de jun. de 2032, 08:00 GMT+1.',
  '07 owner bell campaign_done Letter 07',
  '07 owner bell account_unlinked',
  '07 owner mail Ihr Konto ist nicht mehr verknüpft. Es sendet nichts, bis Sie es wieder verknüpfen.',
  '07 manager bell campaign_done Letter 07',
  '07 manager bell account_unlinked',
  '07 manager mail Sua conta não está mais conectada. Ela não envia nada até você conectá-la de novo.',
  '08 owner bell campaign_done Letter 08',
  '08 owner bell campaign_done Capped',
  '08 manager bell campaign_done Letter 08',
  '08 manager bell campaign_done Capped',
  '09 owner bell campaign_done Letter 09',
  '09 owner bell campaign_done Sale',
  '09 manager bell campaign_done Letter 09',
  '09 manager bell campaign_done Sale',
  '10 owner bell campaign_done Letter 10',
  '10 manager bell campaign_done Letter 10',
  '11 owner bell campaign_done Autumn',
  '11 owner bell campaign_done Letter 11',
  '11 manager bell campaign_done Autumn',
  '11 manager bell campaign_done Letter 11',
  '12 owner bell campaign_done Letter 12',
  '12 owner bell campaign_waiting Farewell',
  '12 owner mail Farewell wartet auf Ihre Freigabe.',
  '12 manager bell campaign_done Letter 12',
  '12 manager bell campaign_waiting Farewell',
  '12 manager mail Farewell espera sua aprovação.',
];
