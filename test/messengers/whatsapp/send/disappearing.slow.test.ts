/** Posts to groups with disappearing messages. The peer reports a post without the expiration as an error. */
import { expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';

const DAY = 86_400;
const scene = await setWhatsAppScene();
const { peer, database, linked, finished } = scene;

/** A user with a group, and the expirations of its posts. */
async function inGroup() {
  const { person, groups } = await linked(1);
  const group = [...peer.world.groups.values()].at(-1);
  if (!group) throw new Error('the group is not there');
  const before = peer.arrivals.length;
  const expirations = () => {
    const shown = peer.arrivals.slice(before).map(({ message }) => message.imageMessage ?? message.extendedTextMessage);
    return [...new Set(shown.map((content) => content?.contextInfo?.expiration || undefined))];
  };
  return { person, groups, group, expirations };
}

test('sends a text, and a picture with its own, with the expiration', async () => {
  const { person, groups, group, expirations } = await inGroup();
  group.expiration = DAY;
  await finished(person, await sendCampaign(person, groups, 'gone tomorrow'));
  await finished(person, await sendCampaign(person, groups, 'gone as well', await drawPlain(20, 20, 'jpeg')));
  await finished(person, await sendCampaign(person, groups, 'z'.repeat(2_000), await drawPlain(20, 20, 'png')));
  expect(expirations()).toEqual([DAY]);
});

test('follows a change of the setting, and its end', async () => {
  const { person, groups, group, expirations } = await inGroup();
  await finished(person, await sendCampaign(person, groups, 'it stays'));
  expect(expirations()).toEqual([undefined]);
  await peer.change(group, { expiration: 7 * DAY });
  await finished(person, await sendCampaign(person, groups, 'a week'));
  expect(expirations()).toEqual([undefined, 7 * DAY]);
  await peer.change(group, { expiration: undefined });
  await finished(person, await sendCampaign(person, groups, 'it stays again'));
  expect(expirations()).toEqual([undefined, 7 * DAY]);
});

test('gives the expiration to a correction, too', async () => {
  const { person, groups, group } = await inGroup();
  group.expiration = DAY;
  const campaign = await sendCampaign(person, groups, 'with a mistake');
  await finished(person, campaign);
  await person.call('venom/correct-campaign', { campaign_id: campaign, html: 'without' });
  const shown = await until(
    async () => {
      await skipWaiting(database, person);
      return [...postsNow(peer, group.id).values()].flat();
    },
    (texts) => texts.every((text) => text === 'without'),
  );
  expect(shown).toHaveLength(4);
});
