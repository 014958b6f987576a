/** Files without a text: one message on WhatsApp. A text can be added to a picture later, but not to a sound. */
import { describe, expect, test } from 'vitest';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { TAKEN } from '../../../support/inputs/sample-files.ts';
import { until } from '../../../support/ledger.ts';
import { addOwnChannel, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';

const { peer, linked, finished } = await setWhatsAppScene();
const somebody = await linked(1);
const picture = await drawPlain(30, 20, 'png');
const sound = TAKEN.find(([name]) => name === 'MP3')?.[1] ?? Buffer.alloc(0);

/** The messages that each device has shown since, as the kind of file and the text. */
const shownSince = (before: number) => peer.arrivals.slice(before).map(({ media, text }) => [media?.kind, text]);

async function lastErrorOf(campaign_id: string): Promise<string> {
  const read = async () => {
    const path = 'analytics/get-campaign-group-analytics-master';
    const { body } = await somebody.person.call<{ groups: Array<{ last_error: string | null }> }>(path, {
      campaign_id,
    });
    return body.data.groups[0]?.last_error ?? null;
  };
  return (await until(read, (error) => error !== null)) ?? '';
}

const correct = (campaign_id: string, html: string) =>
  somebody.person.call('venom/correct-campaign', { campaign_id, html });

describe.each([
  ['image', picture],
  ['audio', sound],
])('an %s without a text', (kind, file) => {
  test('is one message in a group', async () => {
    const before = peer.arrivals.length;
    const { person, groups } = somebody;
    await finished(person, await sendCampaign(person, groups, '<p></p>', file));
    expect(shownSince(before)).toEqual(Array.from({ length: 4 }, () => [kind, '']));
  });

  test('is one message in a channel', async () => {
    const { person } = somebody;
    const { channel, groupId } = await addOwnChannel(peer, somebody);
    await finished(person, await sendCampaign(person, [groupId], '', file));
    expect(channel.posts).toHaveLength(1);
  });
});

test('a picture gets a caption, and loses it again, by corrections', async () => {
  const { person, groups } = somebody;
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(person, groups, '', picture);
  await finished(person, campaign);
  const chatId = peer.arrivals[before]?.chatId ?? '';
  const shows = (text: string) =>
    until(
      () => [...postsNow(peer, chatId).values()].map((texts) => texts.at(-1)),
      (texts) => texts.every((one) => one === text),
    );
  await correct(campaign, 'A caption');
  expect(await shows('A caption')).toContain('A caption');
  await correct(campaign, '');
  expect(await shows('')).toContain('');
});

test('a correction is refused where WhatsApp cannot show it', async () => {
  const { person, groups } = somebody;
  const alone = await sendCampaign(person, groups, '', sound);
  await finished(person, alone);
  await correct(alone, 'Below a sound');
  expect(await lastErrorOf(alone)).toContain('no text below a sound');
  const long = await sendCampaign(person, groups, 'x'.repeat(1_100), picture);
  await finished(person, long);
  await correct(long, '');
  expect(await lastErrorOf(long)).toContain('a message cannot become empty');
});
