/** Queries about channels: their kinds, their frequency, and their query ids. */
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { addOwnChannel, progressOf, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import type { Channel } from '../../../../harness/whatsapp-peer/world.ts';

// WhatsApp has retired the usual query ids.
const NUMBERS = { create: '1111111111', read: '2222222222', list: '3333333333' };
const scene = await setWhatsAppScene({ answerMs: 1_500 }, { whatsappQueryIds: NUMBERS });
const { peer, database, linked, finished } = scene;

/** The queries about channels since the test began: the query id, or the kind and the channel. */
let asked: string[] = [];

beforeEach(() => {
  asked = [];
  peer.script.queryIds = NUMBERS;
  peer.script.refuseQuery = ({ namespace, queryId, action, chatId }) => {
    if (namespace === 'w:mex') asked.push(queryId);
    if (namespace === 'newsletter') asked.push(`${action} of ${chatId}`);
    return undefined;
  };
});

const countOf = (what: string) => asked.filter((one) => one === what).length;

const viewsOf = (person: Person, campaign: string, views: number) =>
  until(
    async () => (await progressOf(person, campaign)).groups[0]?.views,
    (found) => found === views,
  );

function lastPost({ posts }: Channel) {
  const post = posts.at(-1);
  if (!post) throw new Error('nothing was posted');
  return post;
}

/** The stored server ids of the posts. */
async function numbersKept({ posts }: Channel): Promise<Array<number | null>> {
  const ids = posts.map(({ messageId }) => messageId);
  const { rows } = await sql<{ server_id: number | null }>`
    select s.server_id from unnest(${ids}::text[]) with ordinality i (message_id, nr)
    left join whatsapp_sent s using (message_id) order by i.nr`.execute(database.db);
  return rows.map(({ server_id }) => server_id);
}

test('accepts both of WhatsApp’s terms for channels before the first channel is created', async () => {
  const { person, phone } = await linked(0);
  expect([...phone.acceptedTerms]).toEqual([]);
  expect((await person.call('venom/create-channel', { name: 'First' })).status).toBe(200);
  expect([...phone.acceptedTerms].toSorted()).toEqual(['20601217', '20601218']);
});

test('asks for no metadata of a channel that was created here or listed', async () => {
  const { person, phone } = await linked(0);
  const { body } = await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'Ours' });
  await finished(person, await sendCampaign(person, [body.data.group_metadata_id], 'in the new one'));
  const { groupId } = await addOwnChannel(peer, { person, phone });
  const campaign = await sendCampaign(person, [groupId], 'in the listed one');
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, recipients: 40 });
  expect(countOf(NUMBERS.create)).toBe(1);
  expect(countOf(NUMBERS.list)).toBeGreaterThan(0);
  expect(countOf(NUMBERS.read)).toBe(0);
});

test('asks for no right to post in a channel, also after a rejected post', async () => {
  const { person, phone } = await linked(0);
  const { channel, groupId } = await addOwnChannel(peer, { person, phone });
  channel.owner = peer.addPerson('4915100000055');
  expect((await finished(person, await sendCampaign(person, [groupId], 'refused'))).totals).toMatchObject({
    failed: 1,
  });
  channel.owner = phone;
  expect((await finished(person, await sendCampaign(person, [groupId], 'taken'))).totals).toMatchObject({ sent: 1 });
  expect(countOf(NUMBERS.read)).toBe(0);
});

test('polls counts without the posts, by stored server ids, also after a restart', async () => {
  const { person, phone } = await linked(0);
  const { channel, groupId } = await addOwnChannel(peer, { person, phone });
  const campaign = await sendCampaign(person, [groupId], 'z'.repeat(2_000), await drawPlain(20, 20, 'png'));
  await finished(person, campaign);
  expect(await numbersKept(channel)).toEqual(channel.posts.map(({ serverId }) => serverId));
  asked = [];
  lastPost(channel).views = 31;
  await viewsOf(person, campaign, 31);
  await scene.restart();
  lastPost(channel).views = 38;
  await viewsOf(person, campaign, 38);
  expect(countOf(`message_updates of ${channel.id}`)).toBeGreaterThan(1);
  expect(countOf(`messages of ${channel.id}`)).toBe(0);
});

test('finds the server id of a post whose acknowledgement was lost, and stores it', async () => {
  const { person, phone } = await linked(0);
  const { channel, groupId } = await addOwnChannel(peer, { person, phone });
  let seen = 0;
  peer.script.judge = () => (++seen === 1 ? 'lose the answer' : 'accept');
  const campaign = await sendCampaign(person, [groupId], 'lost answer');
  await finished(person, campaign);
  await until(
    () => numbersKept(channel),
    ([number]) => number === lastPost(channel).serverId,
  );
  const read = countOf(`messages of ${channel.id}`);
  lastPost(channel).views = 5;
  await viewsOf(person, campaign, 5);
  expect(countOf(`messages of ${channel.id}`)).toBe(read);
});

test('reads posts in full where WhatsApp does not answer requests for counts', async () => {
  const { person, phone } = await linked(0);
  const { channel, groupId } = await addOwnChannel(peer, { person, phone });
  peer.script.tellsNoCounts = true;
  const campaign = await sendCampaign(person, [groupId], 'counted all the same');
  await finished(person, campaign);
  lastPost(channel).views = 7;
  await viewsOf(person, campaign, 7);
  lastPost(channel).views = 9;
  await viewsOf(person, campaign, 9);
  expect(countOf(`messages of ${channel.id}`)).toBeGreaterThan(0);
});
