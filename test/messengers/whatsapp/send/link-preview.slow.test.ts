/** Link previews on WhatsApp: every phone shows the same card, in every kind of chat, after a retry and after a correction. */
import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { until } from '../../../support/ledger.ts';
import { previewsOfLoopback } from '../../../support/link-previews.ts';
import { pageWithCard, startWebSite, type WebSite } from '../../../support/servers/web-site.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { addOwnChannel } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import type { Arrival } from '../../../../harness/whatsapp-peer/state.ts';
import { addCommunity, addGroup } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene({}, previewsOfLoopback());
const { peer, database, members, linked, finished } = scene;
let site: WebSite;
let link: string;
let picture: Buffer;
beforeAll(async () => {
  site = await startWebSite();
  picture = await drawPlain(1_200, 600, 'jpeg');
  site.serve('/fair.jpg', { type: 'image/jpeg', body: picture });
  site.serve('/fair', {
    type: 'text/html',
    body: pageWithCard({ title: 'Spring fair', description: 'At nine', image: '/fair.jpg' }),
  });
  link = `${site.url}/fair`;
});
afterAll(() => site.close());

async function send(person: Person, groups: number[], html: string, more: object = { fetch_link_preview: true }) {
  const body = { name: 'Cards', html, group_metadata_ids: groups, ...more };
  const answer = await person.call<{ campaign_id: string }>('venom/add-campaign', body);
  expect(answer.status).toBe(200);
  return answer.body.data.campaign_id;
}

const shownWith = (text: string): Arrival[] => peer.arrivals.filter((arrival) => arrival.text === text);
const hashOf = (bytes: Buffer | undefined) => bytes && createHash('sha256').update(bytes).digest('hex');
const cardsOf = (arrivals: readonly Arrival[]) =>
  arrivals.map(({ card }) => card && { ...card, picture: hashOf(card.picture), thumbnail: hashOf(card.thumbnail) });

test('shows the same card in groups, an announcement group and a channel, from one fetch and one upload each', async () => {
  const { person, phone, groups } = await linked(3);
  const community = addCommunity(peer.world, phone, 'Old town');
  const announcements = [...peer.world.groups.values()].find(({ parent }) => parent === community.id);
  for (const member of members) announcements?.participants.set(`${member.lid}@lid`, 'member');
  addGroup(peer.world, phone, { subject: 'By hand' }, members);
  const { channel } = await addOwnChannel(peer, { person, phone });
  await person.call('venom/sync-groups');
  const listed = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
    limit: 500,
  });
  const ids = listed.body.data.groups.map((group) => group.group_metadata_id);
  expect(ids.length).toBeGreaterThan(groups.length);
  const uploads = peer.uploads.length;
  const text = `See ${link} today`;

  const campaign = await send(person, ids, text);
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: ids.length, failed: 0 });

  const cards = cardsOf(shownWith(text));
  expect(cards.length).toBeGreaterThan(ids.length);
  const [first] = cards;
  expect(first).toMatchObject({ url: link, title: 'Spring fair', description: 'At nine', width: 800, height: 400 });
  expect(cards).toEqual(cards.map(() => first));
  const shown = shownWith(text)[0]?.card;
  expect(await sharp(shown?.picture).metadata()).toMatchObject({ format: 'jpeg', width: 800, height: 400 });
  expect(await sharp(shown?.thumbnail).metadata()).toMatchObject({ format: 'jpeg', width: 96, height: 48 });
  expect(site.requested).toEqual(['/fair', '/fair.jpg']);
  expect(
    peer.uploads
      .slice(uploads)
      .map(({ place, kind }) => `${place} ${kind}`)
      .toSorted(),
  ).toEqual(['channels thumbnail-link', 'chats thumbnail-link']);
  expect(channel.posts).toMatchObject([{ mediaType: 'url' }]);
});

test('shows the same card to a device that asks for the post again, also after a restart', async () => {
  const { person, companion, groups } = await linked(1);
  const text = `Again ${link}`;
  await finished(person, await send(person, groups, text));
  const [arrival] = shownWith(text);
  const device = members[0]?.devices[1];
  if (!arrival || !device) throw new Error('nothing was shown');
  await scene.restart();
  const before = peer.received.length;
  await peer.askAgain(companion, { chatId: arrival.chatId, messageId: arrival.messageId, device });
  await until(
    () => Promise.resolve(peer.received.slice(before)),
    (received) => received.some(({ attrs }) => attrs['id'] === arrival.messageId),
  );
  const again = peer.received.slice(before).find(({ attrs }) => attrs['id'] === arrival.messageId);
  expect(again?.attrs).toMatchObject({ type: 'media' });
});

test('sends the same card in the second attempt of a post that WhatsApp did not acknowledge', async () => {
  const { person, groups } = await linked(2);
  const text = `Attempt ${link}`;
  let attempts = 0;
  Object.assign(peer.script, { judge: () => (++attempts === 1 ? { refuse: 500 } : 'accept') });
  const campaign = await send(person, groups, text);
  await until(
    async () => {
      await skipWaiting(database, person);
      return shownWith(text);
    },
    (arrivals) => arrivals.length === 8,
  );
  await finished(person, campaign);
  const cards = cardsOf(shownWith(text));
  expect(cards).toEqual(cards.map(() => cards[0]));
  expect(cards[0]).toMatchObject({ title: 'Spring fair' });
});

test('shows a card without its picture if WhatsApp rejects that, and waits for a host that is down', async () => {
  const { person, groups } = await linked(1);
  const image = (await drawPlain(300, 200, 'png')).toString('base64');
  const own = { link_preview: { url: link, title: 'Rejected', image } };
  Object.assign(peer.script, {
    refuseUpload: ({ kind }: { kind?: string }) => (kind === 'thumbnail-link' ? 415 : undefined),
  });
  await finished(person, await send(person, groups, `Rejected ${link}`, own));
  expect(cardsOf(shownWith(`Rejected ${link}`))).toMatchObject(
    Array.from({ length: 4 }, () => ({ title: 'Rejected', picture: undefined })),
  );

  let isDown = true;
  Object.assign(peer.script, { refuseUpload: () => (isDown ? 503 : undefined) });
  const other = (await drawPlain(310, 210, 'png')).toString('base64');
  const campaign = await send(person, groups, `Down ${link}`, {
    link_preview: { url: link, title: 'Down', image: other },
  });
  await until(
    () =>
      person.call<{ totals: { queued: number } }>('analytics/get-campaign-group-analytics-master', {
        campaign_id: campaign,
      }),
    ({ body }) => body.data.totals.queued === 1,
  );
  isDown = false;
  await until(
    async () => {
      await skipWaiting(database, person);
      return shownWith(`Down ${link}`);
    },
    (arrivals) => arrivals.length === 4,
  );
  expect(shownWith(`Down ${link}`)[0]?.card?.picture).toBeDefined();
});

test('a correction shows another card, the same, or none, in groups and in a channel', async () => {
  const { person, phone, groups } = await linked(1);
  const { groupId: id, channel } = await addOwnChannel(peer, { person, phone });
  const campaign_id = await send(person, [...groups, id], `First ${link}`);
  await finished(person, campaign_id);
  const chatId = shownWith(`First ${link}`).find((one) => one.chatId !== channel.id)?.chatId;

  async function correct(html: string, more: object): Promise<Arrival['card'][]> {
    expect((await person.call('venom/correct-campaign', { campaign_id, html, ...more })).status).toBe(200);
    await until(
      async () => {
        await skipWaiting(database, person);
        return channel.posts.map(({ message }) => message.extendedTextMessage?.text);
      },
      (texts) => texts.at(-1) === html,
    );
    const edits = await until(
      async () => {
        await skipWaiting(database, person);
        return peer.arrivals.filter(
          (one) =>
            one.chatId === chatId && one.message.protocolMessage?.editedMessage?.extendedTextMessage?.text === html,
        );
      },
      (found) => found.length === 4,
    );
    const inChannel = channel.posts.at(-1)?.message.extendedTextMessage;
    const [first] = edits;
    expect([inChannel?.title ?? '', inChannel?.matchedText ?? '']).toEqual([
      first?.card?.title ?? '',
      first?.card?.url ?? '',
    ]);
    return edits.map(({ card }) => card);
  }

  const kept = await correct(`Second ${link}`, {});
  expect(kept).toMatchObject(Array.from({ length: 4 }, () => ({ title: 'Spring fair', width: 800 })));
  expect((await correct(`Third ${link}`, { link_preview: { url: link, title: 'Mine' } }))[0]).toMatchObject({
    title: 'Mine',
    picture: undefined,
  });
  expect(await correct('Fourth', {})).toEqual([undefined, undefined, undefined, undefined]);
});
