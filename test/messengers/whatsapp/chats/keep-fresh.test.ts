/** What WhatsApp reports about groups reaches the ledger without anybody asking for a sync. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { countBlocked } from '../../../support/count-blocked.ts';
import { until } from '../../../support/ledger.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { linkFurther, statusWhen } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { workspaceOf } from '../../../support/workspaces.ts';
import { element } from '../../../../harness/whatsapp-peer/stanza.ts';
import {
  addCommunity,
  addGroup,
  lidOf,
  type Group,
  type Person as PeerPerson,
} from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, database, members, linked } = scene;
const { clock, db } = database;

interface Listed {
  group_metadata_id: number;
  group_name: string;
  participants: number;
  can_send: boolean;
}

async function listed(person: Person): Promise<Listed[]> {
  const { body } = await person.call<{ groups: Listed[] }>('venom/list-groups', { limit: 500 });
  return body.data.groups;
}

/** Counts how often the groups of all accounts were asked for. */
function countReads(): () => number {
  let reads = 0;
  peer.script.refuseQuery = ({ namespace, action }) => {
    if (namespace === 'w:g2' && action === 'participating') reads++;
    return undefined;
  };
  return () => reads;
}

/** A user with a synced group, of which they are the creator, 20 minutes ago. */
async function synced(make: (phone: PeerPerson) => Group = withMembers) {
  const { person, phone, companion } = await linked(0);
  const group = make(phone);
  await person.call('venom/sync-groups');
  await clock.advance({ minutes: 20 });
  const first = (await listed(person))[0];
  if (!first) throw new Error('there is no group');
  return { person, phone, companion, group, first };
}

const withMembers = (phone: PeerPerson) => addGroup(peer.world, phone, { subject: 'Choir' }, members);
/** Somebody else has founded it, and the phone is an admin. */
function foreign(phone: PeerPerson): Group {
  const founder = peer.addPerson(`49152${phone.number}`);
  const group = addGroup(peer.world, founder, { subject: 'Choir', isAnnouncement: true }, [...members, phone]);
  group.participants.set(lidOf(phone), 'admin');
  return group;
}

/** When the groups of the person's default account are to be read, in seconds from now. */
async function dueInSeconds(person: Person): Promise<number | null> {
  const { rows } = await sql<{ seconds: number | null }>`
    select extract(epoch from groups_sync_at - campanile_now())::float8 as seconds from accounts
    where workspace_id = ${workspaceOf(person)} and is_default`.execute(db);
  return rows[0]?.seconds ?? null;
}

describe('a minute after a group', () => {
  const cases: Array<
    [string, (phone: PeerPerson) => Group, (group: Group, phone: PeerPerson) => Promise<void>, object]
  > = [
    ['got another name', withMembers, (group) => peer.change(group, { subject: 'Band' }), { group_name: 'Band' }],
    ['got a member', withMembers, (group) => peer.join(group, peer.addPerson('4915100000071')), { participants: 4 }],
    ['lost a member', withMembers, (group) => peer.leave(group, members[0] as PeerPerson), { participants: 2 }],
    [
      'took the rank of an admin away',
      foreign,
      (group, phone) => peer.setRank(group, phone, 'member'),
      { can_send: false },
    ],
    [
      'made the account an admin',
      (phone) => {
        const group = foreign(phone);
        group.participants.set(lidOf(phone), 'member');
        return group;
      },
      (group, phone) => peer.setRank(group, phone, 'admin'),
      { can_send: true },
    ],
    [
      'became one for admins',
      (phone) => {
        const group = foreign(phone);
        Object.assign(group, { isAnnouncement: false }).participants.set(lidOf(phone), 'member');
        return group;
      },
      (group) => peer.change(group, { isAnnouncement: true }),
      { can_send: false },
    ],
    [
      'is a community with another name',
      (phone) => addCommunity(peer.world, phone, 'Village'),
      (community) => peer.change(community, { subject: 'Town' }),
      { group_name: 'Town' },
    ],
  ];
  test.each(cases)('%s, the list says so', async (_what, make, change, expected) => {
    const { person, phone, group, first } = await synced(make);
    await change(group, phone);
    expect(await dueInSeconds(person)).toBeLessThanOrEqual(60);
    await clock.advance({ minutes: 1 });
    const after = await until(
      () => listed(person),
      ([one]) => Object.entries(expected).every(([key, value]) => one?.[key as keyof Listed] === value),
    );
    expect(after).toMatchObject([{ group_metadata_id: first.group_metadata_id, ...expected }]);
  });

  test.each<[string, (group: Group, phone: PeerPerson) => Promise<void>]>([
    ['has removed the account', (group, phone) => peer.leave(group, phone)],
    ['was deleted', (group) => peer.disband(group)],
  ])('%s, it is gone', async (_what, end) => {
    const { person, phone, group } = await synced(foreign);
    await end(group, phone);
    await clock.advance({ minutes: 1 });
    expect(
      await until(
        () => listed(person),
        (groups) => groups.length === 0,
      ),
    ).toEqual([]);
  });

  test('was joined by the account, it is there', async () => {
    const { person, phone } = await synced();
    const group = addGroup(peer.world, peer.addPerson(`49153${phone.number}`), { subject: 'New one' }, members);
    await peer.join(group, phone);
    await clock.advance({ minutes: 1 });
    expect(
      await until(
        () => listed(person),
        (groups) => groups.length === 2,
      ),
    ).toMatchObject([{}, { group_name: 'New one' }]);
  });
});

describe('the groups of an account', () => {
  test('are read at most every 15 minutes, and once after many changes', async () => {
    const { person, group } = await synced();
    const reads = countReads();
    for (const subject of ['A', 'B', 'C']) await peer.change(group, { subject });
    await clock.advance({ minutes: 1 });
    await until(
      () => listed(person),
      ([one]) => one?.group_name === 'C',
    );
    expect(reads()).toBe(1);
    await peer.change(group, { subject: 'D' });
    const due = await dueInSeconds(person);
    expect(due).toBeGreaterThan(13 * 60);
    expect(due).toBeLessThanOrEqual(15 * 60);
    await clock.advance({ minutes: 15 });
    await until(
      () => listed(person),
      ([one]) => one?.group_name === 'D',
    );
    expect(reads()).toBe(2);
  });

  test('are not read for a change of the description or of admission', async () => {
    const { person, companion, group } = await synced();
    const before = (await dueInSeconds(person)) ?? 0;
    const { connection, outbox } = companion;
    const attributes = { from: group.id, type: 'w:gp2', participant: group.creator, t: '1', id: 'D1' };
    await outbox.put(connection, element('notification', attributes, [element('description', { id: 'D2' })]));
    expect(before - ((await dueInSeconds(person)) ?? 0)).toBeLessThan(60);
  });

  test('are read after a change whose notification is acknowledged once that is recorded', async () => {
    const { person, group } = await synced();
    let isAcknowledged = false;
    const told = await db.transaction().execute(async (trx) => {
      await sql`select from workspace_ledgers where workspace_id = ${workspaceOf(person)} for update`.execute(trx);
      const acknowledged = peer.change(group, { subject: 'Not yet' }).then(() => (isAcknowledged = true));
      await until(
        () => countBlocked(db),
        (count) => count > 0,
      );
      expect(isAcknowledged).toBe(false);
      return [acknowledged];
    });
    await Promise.all(told);
    expect(await dueInSeconds(person)).toBeLessThanOrEqual(60);
  });

  test('are read after a restart, if they changed right before it', async () => {
    const { person, group } = await synced();
    await peer.change(group, { subject: 'Before the restart' });
    await scene.restart();
    const after = async () => {
      // Until there is a connection, the read is put back again and again.
      await clock.advance({ seconds: 20 });
      return listed(person);
    };
    expect(await until(after, ([one]) => one?.group_name === 'Before the restart')).toHaveLength(1);
  });

  test('are read after a change that was reported while the service was down', async () => {
    const { person, group } = await synced();
    await scene.stop();
    const told = peer.change(group, { subject: 'While it was down' });
    await scene.start();
    await told;
    await statusWhen(person, 'connected');
    await clock.advance({ minutes: 1 });
    expect(
      await until(
        () => listed(person),
        ([one]) => one?.group_name === 'While it was down',
      ),
    ).toHaveLength(1);
  });

  test('are read a minute after the account was linked, also of a further one', async () => {
    const { person } = await linked(0);
    const second = peer.addPerson('447700920001');
    addGroup(peer.world, second, { subject: 'Of the second' }, members);
    const { accountId } = await linkFurtherUnsynced(person, second);
    // list-groups would read them.
    const isRead = async () => {
      const { rows } = await sql`
        select from accounts a join group_accounts g using (account_id)
        where a.account_id = ${accountId} and a.groups_synced_at is not null`.execute(db);
      return rows.length === 1;
    };
    expect(await isRead()).toBe(false);
    await clock.advance({ minutes: 1 });
    await until(isRead, (is) => is);
    expect(await listed(person)).toMatchObject([{ group_name: 'Of the second' }]);
  });
});

/** `linkFurther` without its sync. */
const linkFurtherUnsynced = (person: Person, phone: PeerPerson) =>
  linkFurther(
    peer,
    {
      ...person,
      call: ((path: string, body: unknown) =>
        path === 'venom/sync-groups' ? Promise.resolve(undefined) : person.call(path, body)) as Person['call'],
    },
    phone,
  );

interface Check {
  groups: { ok: number; problems: Array<{ code: string }> };
}
interface Analytics {
  campaign: { status: string };
  totals: { sent: number; failed: number; queued: number };
  runs: Array<{ status: string; sent: number; failed: number }>;
}

test('a daily plan follows what happens to its groups, and nobody presses sync', async () => {
  const { person, phone } = await linked(0);
  const founder = peer.addPerson(`49154${phone.number}`);
  const found = (subject: string, isAnnouncement = false) =>
    addGroup(peer.world, founder, { subject, isAnnouncement }, [...members, phone]);
  const [kept, left, announced, demoted] = [found('1'), found('2'), found('3'), found('4', true)];
  demoted.participants.set(lidOf(phone), 'admin');
  const groups = await listed(person);
  const ids = groups.map(({ group_metadata_id }) => group_metadata_id);
  const today = (await clock.now()).toTemporalInstant().toZonedDateTimeISO('UTC').toPlainDate();
  const dateIn = (days: number) => today.add({ days }).toString();
  const plan = {
    name: 'Daily',
    html: 'Good morning',
    group_metadata_ids: ids,
    is_schedule: true,
    start_date: dateIn(1),
    end_date: dateIn(3),
    schedule_time: '09:00:00',
    time_zone: 'UTC',
  };
  const check = async () => (await person.call<Check>('venom/check-campaign', plan)).body.data.groups;
  expect(await check()).toMatchObject({ ok: 4, problems: [] });
  const campaign_id = (await person.call('venom/add-campaign-batch', plan)).headers.get('x-campaign-id');
  /** Lets the day come, with the hour before nine, and returns what its run came to. */
  const live = async (day: number, isFresh: (found: Listed[]) => boolean) => {
    await clock.set(`${dateIn(day)}T08:55:00Z`);
    await until(() => listed(person), isFresh);
    await clock.set(`${dateIn(day)}T09:00:01Z`);
    const { runs } = await until(
      async () => {
        await skipWaiting(database, person);
        const path = 'analytics/get-campaign-group-analytics-master';
        return (await person.call<Analytics>(path, { campaign_id })).body.data;
      },
      ({ runs: [...all] }) => all.filter(({ status }) => status.startsWith('completed')).length === day,
    );
    return runs[day - 1];
  };
  expect(await live(1, (all) => all.length === 4)).toMatchObject({ sent: 4, failed: 0 });

  // WhatsApp reports none of it.
  left.participants.delete(lidOf(phone));
  demoted.participants.set(lidOf(phone), 'member');
  announced.isAnnouncement = true;
  const before = peer.received.length;
  const asked: string[] = [];
  peer.script.refuseQuery = ({ namespace, to }) => {
    if (namespace === 'w:g2') asked.push(to);
    return undefined;
  };
  expect(await live(2, (all) => all.length === 3 && all.filter((one) => one.can_send).length === 1)).toMatchObject({
    sent: 1,
    failed: 3,
  });
  expect(new Set(peer.received.slice(before).map(({ attrs }) => attrs['to']))).toEqual(new Set([kept.id]));
  expect(asked).not.toContain(left.id);
  const closed = (await check()).problems.flatMap(({ code }) => (code === 'same_text' ? [] : [code]));
  expect(closed.toSorted()).toEqual(['group_gone', 'no_sending', 'no_sending']);

  await peer.setRank(demoted, phone, 'admin');
  await peer.join(left, phone);
  expect(await live(3, (all) => all.length === 4 && all.filter((one) => one.can_send).length === 3)).toMatchObject({
    sent: 3,
    failed: 1,
  });
});
