/** Posts of a number that cannot do it itself are deleted and pinned by another number of the workspace, an admin of their group. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { until } from '../../../support/ledger.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { linkFurther, sendCampaign, statusWhen } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { upload } from '../../../support/upload.ts';
import { workspaceOf } from '../../../support/workspaces.ts';
import { albumsNow, postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';
import { pinsNow } from '../../../../harness/whatsapp-peer/require-reach.ts';
import { addGroup, companionLid, lidOf, numberOf, type Group } from '../../../../harness/whatsapp-peer/world.ts';

interface Row {
  recalled?: number;
  pinned?: number;
  pins_waiting?: number;
  pin_error?: string | null;
  last_error: string | null;
}

const scene = await setWhatsAppScene();
const { peer, database, members, linked, finished } = scene;
let numbers = 0;

/** A workspace with two linked numbers in one group, of which the default one is the creator and the second an admin. */
async function createPair(about: Partial<Group> = {}) {
  const { person, phone } = await linked(0);
  const secondPhone = peer.addPerson(`4477009200${String(++numbers).padStart(2, '0')}`);
  const group = addGroup(peer.world, phone, { subject: 'News', ...about }, [...members, secondPhone]);
  group.participants.set(lidOf(secondPhone), 'admin');
  const { accountId, companion: second } = await linkFurther(peer, person, secondPhone);
  await person.call('venom/sync-groups');
  const listed = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const groupIds = listed.body.data.groups.map(({ group_metadata_id }) => group_metadata_id);
  return { person, phone, second, secondPhone, accountId, group, groupIds };
}

type Pair = Awaited<ReturnType<typeof createPair>>;

async function post({ person, groupIds }: Pair, text: string): Promise<string> {
  const campaign = await sendCampaign(person, groupIds, text);
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1 });
  return campaign;
}

async function ban({ person, phone }: Pair): Promise<void> {
  peer.ban(phone);
  await statusWhen(person, 'logged_out');
}

const rowsWhen = (person: Person, campaign_id: string, holds: (row: Row) => boolean) =>
  until(
    async () => {
      await skipWaiting(database, person);
      const path = 'analytics/get-campaign-group-analytics-master';
      return (await person.call<{ groups: Row[] }>(path, { campaign_id })).body.data.groups;
    },
    (rows) => rows.length > 0 && rows.every(holds),
  );

/** The stanzas of changes in a group, and the keys that devices have read in them, each once. */
function changesIn({ id }: Group) {
  const changed = peer.arrivals.filter(
    ({ chatId, message }) => chatId === id && (message.protocolMessage ?? message.pinInChatMessage),
  );
  const byId = new Map(changed.map((one) => [one.messageId, one]));
  return [...byId.values()].map(({ messageId, from, message }) => {
    const { key } = message.protocolMessage ?? message.pinInChatMessage ?? {};
    const stanza = peer.received.find(({ attrs }) => attrs['id'] === messageId);
    return { from, edit: stanza?.attrs['edit'], key: key && { ...key } };
  });
}

const shown = (group: Group) => [...postsNow(peer, group.id).values()].flat();
const pinned = (group: Group) => [...pinsNow(peer, group.id).values()].map(({ length }) => length);

describe.each(['lid', 'pn'] as const)('in a group that addresses by %s', (addressing) => {
  test('a recall and pins of a banned number are done by the other, which names the sender as the group does', async () => {
    const pair = await createPair({ addressing });
    const { person, phone, second, group } = pair;
    const campaign_id = await post(pair, `banned ${addressing}`);
    const { messageId } = peer.arrivals.findLast(({ chatId }) => chatId === group.id) ?? {};
    await ban(pair);
    const participant = addressing === 'pn' ? numberOf(phone) : lidOf(phone);
    const key = { remoteJid: group.id, fromMe: false, id: messageId, participant };

    await person.call('venom/pin-campaign', { campaign_id, pin_for: '24h' });
    await rowsWhen(person, campaign_id, (row) => row.pinned === 1);
    expect(pinned(group)).toEqual(pinned(group).map(() => 1));
    await person.call('venom/unpin-campaign', { campaign_id });
    await rowsWhen(person, campaign_id, (row) => row.pinned === 0 && row.pins_waiting === 0);
    expect(pinned(group)).toEqual(pinned(group).map(() => 0));

    expect(await person.call('venom/recall-campaign', { campaign_id })).toMatchObject({ status: 200 });
    await rowsWhen(person, campaign_id, ({ recalled }) => recalled === 1);
    expect(shown(group)).toEqual([]);
    const from = companionLid(second);
    expect(changesIn(group)).toEqual([
      { from, edit: '2', key },
      { from, edit: '2', key },
      { from, edit: '8', key },
    ]);
  });

  test('all parts of an album of a removed number are deleted by the other', async () => {
    const pair = await createPair({ addressing });
    const { person, accountId, group, groupIds } = pair;
    const media = [];
    for (const height of [20, 21]) {
      const { body } = await upload(scene.app.url, person.token, await drawPlain(30, height, 'png'));
      media.push({ media_id: body.data.media_id });
    }
    const campaign = { name: 'Album', html: 'Look', group_metadata_ids: groupIds, media };
    const { campaign_id } = (await person.call<{ campaign_id: string }>('venom/add-campaign', campaign)).body.data;
    await finished(person, campaign_id);
    expect(shown(group).length).toBeGreaterThan(6);

    const { accounts } = (
      await person.call<{ accounts: Array<{ account_id: number; is_default: boolean }> }>('venom/list-accounts')
    ).body.data;
    const first = accounts.find(({ is_default: isDefault }) => isDefault)?.account_id;
    await person.call('venom/set-default-account', { account_id: accountId });
    await person.call('venom/disconnect-account', { account_id: first });
    expect(await person.call('venom/remove-account', { account_id: first })).toMatchObject({ status: 200 });
    await until(
      async () =>
        (await sql`select from accounts where workspace_id = ${workspaceOf(person)}`.execute(database.db)).rows,
      ({ length }) => length === 1,
    );
    await person.call('venom/recall-campaign', { campaign_id });
    await rowsWhen(person, campaign_id, ({ recalled }) => recalled === 1);
    expect(shown(group)).toEqual([]);
    expect([...albumsNow(peer, group.id).values()].flat()).toEqual([]);
  });
});

test.each([
  ['demoted where only admins post', { isAnnouncement: true }],
  ['demoted where only admins pin', { isLocked: true }],
])('what a number may not do any more, because it was %s, is done by the other', async (_, about) => {
  const pair = await createPair(about);
  const { person, phone, second, group } = pair;
  const campaign_id = await post(pair, `demoted ${Object.keys(about)[0] ?? ''}`);
  await peer.setRank(group, phone, 'member');
  await person.call('venom/pin-campaign', { campaign_id, pin_for: '7d' });
  await rowsWhen(person, campaign_id, (row) => row.pinned === 1 && row.pin_error === null);
  expect(changesIn(group)).toMatchObject([{ from: companionLid(second), edit: '2', key: { fromMe: false } }]);
  await person.call('venom/recall-campaign', { campaign_id });
  await rowsWhen(person, campaign_id, ({ recalled }) => recalled === 1);
  expect(shown(group)).toEqual([]);
});

test('a number that is no admin any more deletes nothing: the recall waits for its sender', async () => {
  const pair = await createPair();
  const { person, secondPhone, group } = pair;
  const campaign_id = await post(pair, 'stays');
  await peer.setRank(group, secondPhone, 'member');
  await ban(pair);
  await person.call('venom/recall-campaign', { campaign_id });
  await until(
    async () =>
      (
        await sql<{ isBack: boolean }>`
          select v.account_id = d.account_id as "isBack" from revisions v join deliveries d using (workspace_id, run_id, position)
          where v.workspace_id = ${workspaceOf(person)} and v.wanted = 'recall'`.execute(database.db)
      ).rows,
    ([row]) => row?.isBack === true,
  );
  expect(changesIn(group)).toEqual([]);
  expect(shown(group)).toContain('stays');
});
