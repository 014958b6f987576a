/** Two numbers of a workspace in the same groups: a post that WhatsApp does not take from one leaves by the other. */
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { progressOf, sendCampaign, type Status } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import {
  addGroup,
  companionLid,
  lidOf,
  type Companion,
  type Group,
  type Person,
} from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
let numbers = 0;

/** A workspace with two linked numbers, both admins of an announcement group, and the ids of group and second account. */
async function createPair() {
  const { person, phone, companion } = await linked(0);
  const number = `4477009100${String(++numbers).padStart(2, '0')}`;
  const secondPhone = peer.addPerson(number);
  const group = addGroup(peer.world, phone, { subject: 'News', isAnnouncement: true }, [...members, secondPhone]);
  group.participants.set(lidOf(secondPhone), 'admin');
  const added = await person.call<{ account_id: number }>('venom/add-account', {
    name: 'Second',
    whatsapp_number: `+${number}`,
  });
  const accountId = added.body.data.account_id;
  const ask = { account_id: accountId };
  const { body } = await until(
    () => person.call<Status>('venom/connect-account', ask),
    (answer) => typeof answer.body.data.qr === 'string',
  );
  const second = await peer.scan(secondPhone, body.data.qr ?? '');
  await until(
    () => person.call<Status>('venom/account-status', ask),
    (answer) => answer.body.data.status === 'connected',
  );
  await person.call('venom/sync-groups');
  await person.call('venom/sync-groups', ask);
  const groups = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const groupIds = groups.body.data.groups.map(({ group_metadata_id }) => group_metadata_id);
  return { person, phone, companion, second, secondPhone, group, groupIds };
}

/** How often each device has shown the text of one of these companions. */
function shownBy(text: string, companions: Companion[]): number[][] {
  const shown = peer.arrivals.filter((arrival) => arrival.text === text);
  return companions.map((companion) => {
    const own = shown.filter(({ from }) => from === companionLid(companion));
    return [...Map.groupBy(own, ({ device }) => device).values()].map(({ length }) => length);
  });
}

describe('after the last sync the first number is', () => {
  // The members have three devices, and each of the two numbers a phone.
  test.each<[string, number, (group: Group, phone: Person) => void]>([
    ['demoted', 5, (group, phone) => group.participants.set(lidOf(phone), 'member')],
    ['removed from the group', 4, (group, phone) => group.participants.delete(lidOf(phone))],
  ])('%s: its post leaves by the second', async (what, devices, change) => {
    const { person, phone, companion, second, group, groupIds } = await createPair();
    await finished(person, await sendCampaign(person, groupIds, `before it was ${what}`));
    expect(shownBy(`before it was ${what}`, [companion, second])).toEqual([[1, 1, 1, 1, 1], []]);
    change(group, phone);
    const { totals } = await finished(person, await sendCampaign(person, groupIds, `once it was ${what}`));
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(shownBy(`once it was ${what}`, [companion, second])).toEqual([[], Array.from({ length: devices }, () => 1)]);
  });
});

test('a post of which a part is there stays with its number', async () => {
  const { person, companion, second, groupIds } = await createPair();
  const verdicts = ['accept', { refuse: 403 }] as const;
  let posts = 0;
  peer.script.judge = () => verdicts[posts++] ?? 'accept';
  const text = `half ${'x'.repeat(1_100)}`;
  const campaign = await sendCampaign(person, groupIds, text, await drawPlain(30, 20, 'png'));
  const { totals, groups } = await finished(person, campaign);
  expect(totals).toMatchObject({ sent: 0, failed: 1 });
  expect(groups[0]?.last_error).toMatch(/^outcome_unknown: A part of the post was sent/);
  expect(posts).toBe(2);
  expect(shownBy(text, [companion, second])).toEqual([[], []]);
  expect((await progressOf(person, campaign)).totals.failed).toBe(1);
});
