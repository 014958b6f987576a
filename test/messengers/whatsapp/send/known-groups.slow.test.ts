/** The cached metadata of groups, and its invalidation. */
import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { followGroups } from '../../../../src/messengers/whatsapp/chats/follow-groups.ts';
import type { Group as GroupMetadata } from '../../../../src/messengers/whatsapp/client/group.ts';
import type { Node, StanzaPattern } from '../../../../src/messengers/whatsapp/client/node.ts';
import { createGroupCache, packGroup, unpackGroup } from '../../../../src/messengers/whatsapp/chats/group-cache.ts';
import { createChatCache, type ChatCache } from '../../../../src/messengers/whatsapp/chats/chat-cache.ts';
import { sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { addCommunity, addGroup, lidOf, type Group, type Person } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;

/** A user with synced groups that were created on the phone. Counts the queries about each of them. */
async function synced(count: number, make: (phone: Person, subject: string) => Group = withMembers) {
  const { person, phone } = await linked(0);
  const groups = Array.from({ length: count }, (_, index) => make(phone, `Made on the phone ${index}`));
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number; can_send: boolean }> }>(
    'venom/list-groups',
  );
  const asked: string[] = [];
  peer.script.refuseQuery = ({ namespace, to, action }) => {
    if (namespace === 'w:g2' && action === 'query') asked.push(to);
    return undefined;
  };
  const ids = body.data.groups.map(({ group_metadata_id }) => group_metadata_id);
  const send = async (text: string) => (await finished(person, await sendCampaign(person, ids, text))).totals;
  const [group] = groups;
  if (!group) throw new Error('there is no group');
  return { group, asked, send, listed: body.data.groups };
}

const withMembers = (phone: Person, subject: string) => addGroup(peer.world, phone, { subject }, members);

describe('a campaign after a sync', () => {
  test('asks for no group’s metadata', async () => {
    const { asked, send } = await synced(12);
    expect(await send('to all of them')).toMatchObject({ sent: 12, failed: 0, recipients: 24 });
    expect(asked).toEqual([]);
  });

  test('asks for no community’s metadata', async () => {
    const { asked, send } = await synced(2, (phone, subject) => addCommunity(peer.world, phone, subject));
    expect(await send('to whole communities')).toMatchObject({ sent: 2, failed: 0 });
    expect(asked).toEqual([]);
  });

  test('asks for a group whose members the list did not show completely, and reaches all', async () => {
    peer.script.listsMembersUpTo = 2;
    const { group, asked, send } = await synced(1);
    expect(await send('to those who were not shown, too')).toMatchObject({ sent: 1, recipients: 2 });
    expect(asked).toEqual([group.id]);
  });

  test('can go to a group for admins whose list of members did not show that the account is one', async () => {
    peer.script.listsMembersUpTo = 1;
    const founder = peer.addPerson('4915100000092');
    const { send, listed } = await synced(1, (phone, subject) => {
      const group = addGroup(peer.world, founder, { subject, isAnnouncement: true }, members);
      group.participants.set(lidOf(phone), 'admin');
      return group;
    });
    expect(listed).toMatchObject([{ can_send: true }]);
    expect(await send('from an admin')).toMatchObject({ sent: 1, failed: 0 });
  });

  test('asks again for a group that a member has joined since, and reaches them', async () => {
    const { group, asked, send } = await synced(3);
    const newcomer = peer.addPerson('4915100000091');
    await peer.join(group, newcomer);
    await send('welcome');
    expect(asked).toEqual([group.id]);
    const seen = peer.arrivals.filter(({ device }) => device === newcomer.devices[0]?.jid);
    expect(seen.map(({ text }) => text)).toEqual(['welcome']);
  });

  test('asks again for a group whose settings have changed, and not after a change of its name', async () => {
    const { group, asked, send } = await synced(1);
    await peer.change(group, { subject: 'Another name' });
    await send('named anew');
    expect(asked).toEqual([]);
    await peer.change(group, { isAnnouncement: true });
    await send('among admins');
    expect(asked).toEqual([group.id]);
  });
});

describe('the cached metadata of a group', () => {
  const group: GroupMetadata = {
    id: '1203630@g.us',
    subject: 'Choir',
    size: 3,
    participants: [
      { id: '771@lid', phoneNumber: '491511@s.whatsapp.net', admin: 'superadmin' },
      { id: '491512@s.whatsapp.net', lid: '772@lid', admin: null },
      { id: '773@lid', admin: 'admin' },
    ],
  };

  test('is complete after packing and unpacking', () => {
    expect(unpackGroup(packGroup(group))).toEqual(group);
    expect(unpackGroup(packGroup({ ...group, participants: [] })).participants).toEqual([]);
  });

  test('is separate for each account, within a shared limit', async () => {
    const memory = createGroupCache({ most: 140 });
    const read: string[] = [];
    const fetchGroup = (id: string) => {
      read.push(id);
      return Promise.resolve({ ...group, id });
    };
    const told: string[] = [];
    const onGroup = ({ id }: GroupMetadata) => void told.push(id);
    const [ann, ben] = [0, 1].map(() => createChatCache({ memory, fetchGroup, onGroup })) as [ChatCache, ChatCache];
    ann.cacheGroup(group);
    await ann.group(group.id);
    await ann.group(group.id);
    expect({ read, told }).toEqual({ read: [], told: [group.id] });
    await ben.group(group.id);
    expect(read).toEqual([group.id]);
    for (const id of ['a@g.us', 'b@g.us', 'c@g.us']) await ben.group(id);
    expect(ann.cachedGroup(group.id)).toBeUndefined();
    expect((await ben.cachedGroup('c@g.us'))?.participants).toEqual(group.participants);
  });

  test('comes from a list if it is complete there, until a change is reported', () => {
    const learned: GroupMetadata[] = [];
    const forgotten: string[] = [];
    const stanzas = new EventEmitter();
    const client = {
      onStanza: ({ tag }: StanzaPattern, listener: (stanza: Node) => void) => void stanzas.on(tag, listener),
    };
    followGroups(client, {
      cacheGroup: (learnt) => void learned.push(learnt),
      invalidateGroup: (id) => void forgotten.push(id),
    });
    const described = (id: string, size: number): Node => ({
      tag: 'group',
      attrs: { id, subject: 'Choir', size: String(size), addressing_mode: 'lid' },
      content: [{ tag: 'participant', attrs: { jid: '771@lid', type: 'admin' } }],
    });
    const groups = [described('1203630', 1), described('1203631', 300)];
    stanzas.emit('iq', { tag: 'iq', attrs: {}, content: [{ tag: 'groups', attrs: {}, content: groups }] });
    expect(learned).toMatchObject([{ id: '1203630@g.us', participants: [{ id: '771@lid', admin: 'admin' }] }]);
    const notify = (tag: string) =>
      stanzas.emit('notification', {
        tag: 'notification',
        attrs: { from: '1203630@g.us', type: 'w:gp2' },
        content: [{ tag, attrs: {} }],
      });
    notify('subject');
    notify('add');
    expect(forgotten).toEqual(['1203630@g.us']);
  });
});
