/** New groups and communities as today's clients create them, people who could not be added, and invite links. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { issueToken } from '../../../../harness/whatsapp-peer/phones.ts';
import { addCommunity, addGroup, lidOf, type Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, database, linked, members, finished } = scene;

interface Created {
  group_name: string;
  group_metadata_id: number;
  not_added?: Array<{ phone_number: string; reason: string }>;
  invite_link?: string;
}

function create(person: Person, participants: readonly PeerPerson[], more: object = {}) {
  const numbers = participants.map(({ number }) => `+${number}`);
  return person.call<Created>('venom/create-group', { group_name: 'New', participants: numbers, ...more });
}

const groupsOf = (phone: PeerPerson) =>
  [...peer.world.groups.values()].filter(({ creator }) => creator === lidOf(phone));

describe('a new group', () => {
  test('has its members, also if their LIDs are known', async () => {
    const { person, phone } = await linked(0);
    const { data } = (await create(person, members)).body;
    expect(data).toEqual({ group_name: 'New', group_metadata_id: expect.any(Number) });
    // Their LIDs are known after the first post.
    await finished(person, await sendCampaign(person, [data.group_metadata_id], 'Hello'));
    expect((await create(person, members)).status).toBe(200);
    expect(groupsOf(phone).map(({ participants }) => participants.size)).toEqual([3, 3]);
  });

  test('says who could not be added and why, with a link for them', async () => {
    const { person, phone } = await linked(0);
    const [one, two, three, four] = ['1', '2', '3', '4'].map((digit) => peer.addPerson(`49151000010${digit}`));
    if (!one || !two || !three || !four) throw new Error('nobody was added');
    const unknown = { ...one, number: '4915199999999' };
    const codes = new Map<PeerPerson, number | 'left out'>([
      [two, 403],
      [three, 408],
      [four, 500],
    ]);
    peer.script.refuseMember = (who) => codes.get(who);
    peer.script.hidesCreator = true;
    const { body } = await create(person, [one, two, three, four, unknown], { with_not_added: true });
    const [group] = groupsOf(phone);
    expect(body.data).toMatchObject({
      not_added: [
        { phone_number: `+${two.number}`, reason: 'privacy' },
        { phone_number: `+${three.number}`, reason: 'left_recently' },
        { phone_number: `+${four.number}`, reason: 'other' },
        { phone_number: `+${unknown.number}`, reason: 'other' },
      ],
      invite_link: `https://chat.whatsapp.com/${group?.invite}`,
    });
    expect(group?.participants.size).toBe(2);
    const { body: list } = await person.call<{ groups: Array<{ participants: number }> }>('venom/list-groups', {});
    expect(list.data.groups).toMatchObject([{ participants: 2 }]);
  });

  test('misses nobody whose number WhatsApp writes without its mobile digit', async () => {
    const { person } = await linked(0);
    const ana = peer.addPerson('551112345678');
    const written = { ...ana, number: '5511912345678' };
    const { body } = await create(person, [written], { with_not_added: true });
    expect(body.data).toMatchObject({ not_added: [] });
  });

  test('gets the privacy tokens of people who have issued one, also after a restart', async () => {
    const { person, companion } = await linked(0);
    const careful = peer.addPerson('4915100001077');
    const token = Buffer.from('a token of a careful person');
    peer.script.refuseMember = (_who, given) => (given.equals(token) ? undefined : 403);
    const before = await create(person, [careful], { with_not_added: true });
    expect(before.body.data.not_added).toHaveLength(1);
    await issueToken(companion, careful, token);
    const after = await create(person, [careful], { with_not_added: true });
    expect(after.body.data.not_added).toEqual([]);
    await scene.restart();
    // The account connects again first.
    const { body } = await until(
      () => create(person, [careful], { with_not_added: true }),
      ({ status }) => status === 200,
    );
    expect(body).toMatchObject({ data: { not_added: [] } });
    // The database does not show who the account's contacts are.
    const { rows } = await sql<{ name: string }>`select name from account_keys where kind = 'tctoken'`.execute(
      database.db,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { name } of rows) expect(name).not.toMatch(new RegExp(`${careful.number}|${careful.lid}|@`));
  });

  test('gets no privacy token that was issued more than three weeks ago', async () => {
    const { person, companion } = await linked(0);
    const [recent, former] = [peer.addPerson('4915100001078'), peer.addPerson('4915100001079')];
    const given = new Map<PeerPerson, string>();
    peer.script.refuseMember = (who, token) => void given.set(who, token.toString());
    const daysAgo = (days: number) => String(Math.floor(Date.now() / 1_000) - days * 24 * 3_600);
    await issueToken(companion, recent, Buffer.from('recent'), daysAgo(20));
    await issueToken(companion, former, Buffer.from('former'), daysAgo(22));
    await create(person, [recent, former]);
    expect([given.get(recent), given.get(former)]).toEqual(['recent', '']);
  });
});

test('a new community has no general chat, and only admins add groups to it', async () => {
  const { person, phone } = await linked(0);
  const created = await person.call('venom/create-community', { community_name: 'Town', description: 'All of it' });
  expect(created.status).toBe(200);
  expect(groupsOf(phone)).toMatchObject([
    { isCommunity: true, isDefault: false, membersMayAddGroups: false },
    { isCommunity: false, isDefault: true },
  ]);
});

test('a new community has a general chat, and its members may add groups, if that is asked for', async () => {
  const { person, phone } = await linked(0);
  const asked = { community_name: 'Village', general_chat: true, members_may_add_groups: true };
  expect((await person.call('venom/create-community', asked)).status).toBe(200);
  const [community, announcements, general] = groupsOf(phone);
  expect(community).toMatchObject({ isCommunity: true, membersMayAddGroups: true });
  expect(announcements).toMatchObject({ isDefault: true, isAnnouncement: true, parent: community?.id });
  expect(general).toMatchObject({ isDefault: false, isAnnouncement: false, parent: community?.id });
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ kind: string; group_name: string }> }>('venom/list-groups', {});
  const listed = body.data.groups.map(({ kind, group_name }) => [kind, group_name]).toSorted();
  expect(listed).toEqual([
    ['community', 'Village'],
    ['group', 'General'],
  ]);
});

test('a new community is there although its announcement group cannot be read', async () => {
  const { person } = await linked(0);
  peer.script.refuseQuery = ({ action }) => (action === 'sub_groups' ? 403 : undefined);
  expect((await person.call('venom/create-community', { community_name: 'Read later' })).status).toBe(200);
});

test('says of which groups the account is an admin, where the list shows it', async () => {
  const { person, phone } = await linked(0);
  const founder = peer.addPerson('4915100001098');
  addGroup(peer.world, phone, { subject: 'Own' });
  addGroup(peer.world, founder, { subject: 'Of somebody' }, [phone]);
  addCommunity(peer.world, phone, 'Old town');
  const roles = async () => {
    await person.call('venom/sync-groups');
    const { body } = await person.call<{
      groups: Array<{ group_name: string; accounts: Array<{ is_admin: boolean | null }> }>;
    }>('venom/list-groups', { with_accounts: true });
    return Object.fromEntries(body.data.groups.map((one) => [one.group_name, one.accounts[0]?.is_admin]));
  };
  expect(await roles()).toEqual({ Own: true, 'Of somebody': false, 'Old town': true });
  peer.script.listsMembersUpTo = 0;
  expect(await roles()).toMatchObject({ Own: null, 'Of somebody': null });
});

describe('an invite link', () => {
  interface Listed {
    groups: Array<{ group_metadata_id: number; invite_link: string | null }>;
  }
  const listed = async (person: Person) => (await person.call<Listed>('venom/list-groups', {})).body.data.groups;
  const linkOf = (person: Person, groupId: number | undefined, more: object = {}) =>
    person.call<{ invite_link: string }>('venom/get-invite-link', { group_metadata_id: groupId, ...more });

  test('of a listed group is asked for once, until it is to be refreshed', async () => {
    const { person, phone } = await linked(0);
    const group = addGroup(peer.world, phone, { subject: 'Listed' });
    const [found] = await listed(person);
    expect(found?.invite_link).toBeNull();
    let asked = 0;
    peer.script.refuseQuery = ({ action }) => void (asked += Number(action === 'invite'));
    const link = `https://chat.whatsapp.com/${group.invite}`;
    for (let times = 0; times < 2; times++)
      expect((await linkOf(person, found?.group_metadata_id)).body.data).toEqual({ invite_link: link });
    expect(asked).toBe(1);
    await person.call('venom/sync-groups');
    expect((await listed(person))[0]?.invite_link).toBe(link);
    group.invite = 'another';
    const { body } = await linkOf(person, found?.group_metadata_id, { refresh: true });
    expect(body.data.invite_link).toBe('https://chat.whatsapp.com/another');
  });

  test('is refused if the account is no admin, and unknown for the group of another account', async () => {
    const { person, phone } = await linked(0);
    addGroup(peer.world, peer.addPerson('4915100001099'), { subject: 'Of somebody' }, [phone]);
    const [found] = await listed(person);
    const { status, body } = await linkOf(person, found?.group_metadata_id);
    expect({ status, body }).toMatchObject({ status: 409, body: { error_code: 'messenger_refused' } });
    const other = await linked(0);
    expect((await linkOf(other.person, found?.group_metadata_id)).status).toBe(404);
  });
});

test('an account that warms up creates at most five groups a day', async () => {
  const { person } = await linked(0);
  await person.call('venom/update-account', { warm_up: true });
  for (let times = 0; times < 5; times++) expect((await create(person, [])).status).toBe(200);
  const { status, body, headers } = await create(person, []);
  expect({ status, body }).toMatchObject({ status: 429, body: { error_code: 'creation_limit_reached' } });
  expect(body.message).toContain(
    '5 groups, communities and channels created in 24 hours while your number is warming up',
  );
  expect(Number(headers.get('retry-after'))).toBeGreaterThan(23 * 60 * 60);
  await person.call('venom/update-account', { warm_up: false });
  expect((await create(person, [])).status).toBe(200);
});
