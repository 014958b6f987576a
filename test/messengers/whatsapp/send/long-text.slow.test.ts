/** A text that is too long for a caption follows its file. Neither is lost or shown twice, also after failures in between. */
import { describe, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { drawPlain } from '../../../support/inputs/pictures.ts';
import { addOwnChannel, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';
import type { Verdict } from '../../../../harness/whatsapp-peer/state.ts';

// Some answers are lost on purpose.
const scene = await setWhatsAppScene({ answerMs: 1_500 });
const { peer, linked, finished } = scene;
const somebody = await linked(1);
const editor = await linked(0);
const picture = await drawPlain(30, 20, 'png');
const longText = (about: string) => `${about} ${'x'.repeat(1_100)}`;

/** A channel without posts. */
async function newChannel() {
  const { channel, groupId } = await addOwnChannel(peer, editor, 7);
  return { ...editor, channel, groups: [groupId] };
}

/** Sets the verdicts on the next posts, in order; later posts are accepted. */
function judgeInTurn(...verdicts: Verdict[]): void {
  peer.script.judge = () => verdicts.shift() ?? 'accept';
}

/** The messages that each device has shown since, as the kind of file or the text. */
function shownSince(before: number): string[][] {
  const arrivals = peer.arrivals.slice(before);
  const byDevice = Map.groupBy(arrivals, ({ chatId, device }) => `${chatId} ${device}`);
  return [...byDevice.values()].map((all) => all.map(({ media, text }) => media?.kind ?? text));
}

describe('in a group', () => {
  test('a text of 1,024 characters is a caption, and a longer one is a message of its own', async () => {
    const { person, groups } = somebody;
    const before = peer.arrivals.length;
    const fits = 'y'.repeat(1_024);
    await finished(person, await sendCampaign(person, groups, fits, picture));
    expect(peer.arrivals.slice(before).map(({ media, text }) => [media?.kind, text])).toEqual(
      Array.from({ length: 4 }, () => ['image', fits]),
    );
    const then = peer.arrivals.length;
    await finished(person, await sendCampaign(person, groups, `${fits}y`, picture));
    expect(shownSince(then)).toEqual(Array.from({ length: 4 }, () => ['image', `${fits}y`]));
  });

  test.each<[string, Verdict[]]>([
    ['the answer to the file is lost', ['lose the answer']],
    ['the answer to the text is lost', ['accept', 'lose the answer']],
    ['the connection breaks before the text', ['accept', 'cut before']],
    ['the connection breaks after the text', ['accept', 'cut after']],
    ['the text is refused for the moment', ['accept', { refuse: 500 }]],
    ['the account has to rest before the text', ['accept', { refuse: 429 }]],
  ])('both are shown once when %s', async (what, verdicts) => {
    const { person, groups } = somebody;
    const before = peer.arrivals.length;
    judgeInTurn(...verdicts);
    const text = longText(what);
    const { totals } = await finished(person, await sendCampaign(person, groups, text, picture));
    expect(totals).toMatchObject({ sent: 1, failed: 0 });
    expect(shownSince(before)).toEqual(Array.from({ length: 4 }, () => ['image', text]));
  });

  test('a delivery fails with the reason when its text is rejected', async () => {
    const { person, groups } = somebody;
    judgeInTurn('accept', { refuse: 403 });
    const campaign = await sendCampaign(person, groups, longText('refused'), picture);
    const { totals, groups: outcomes } = await finished(person, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(outcomes[0]?.last_error).toMatch(/^outcome_unknown: A part of the post was sent, and the rest was not/);
  });
});

test.each(['group', 'channel'])('deletes both in a %s when the campaign is recalled', async (kind) => {
  const { person, groups } = kind === 'group' ? await linked(1) : await newChannel();
  const before = peer.arrivals.length;
  const campaign = await sendCampaign(person, groups, longText(`recalled in a ${kind}`), picture);
  await finished(person, campaign);
  const chatId = peer.arrivals[before]?.chatId ?? '';
  expect([...postsNow(peer, chatId).values()].map(({ length }) => length)).toContain(2);
  await person.call('venom/recall-campaign', { campaign_id: campaign });
  await until(
    () => [...postsNow(peer, chatId).values()],
    (devices) => devices.every(({ length }) => length === 0),
  );
});

describe('in a channel', () => {
  test.each<[string, Verdict[]]>([
    ['nothing breaks', []],
    ['the answer to the file is lost', ['lose the answer']],
    ['the connection breaks after the file', ['cut after']],
    ['the answer to the text is lost', ['accept', 'lose the answer']],
    ['the text is refused for the moment', ['accept', { refuse: 500 }]],
    ['the account has to rest before the text', ['accept', { refuse: 429 }]],
    ['the file is refused for the moment', [{ refuse: 500 }]],
  ])('both are posted once when %s', async (what, verdicts) => {
    const { person, groups } = await newChannel();
    const before = peer.arrivals.length;
    judgeInTurn(...verdicts);
    const text = longText(what);
    const { totals } = await finished(person, await sendCampaign(person, groups, text, picture));
    expect(totals).toMatchObject({ sent: 1, failed: 0, recipients: 7 });
    expect(shownSince(before)).toEqual([['image', text]]);
  });

  test('a text that may have left is sent again only when its owner asks for it, without the file', async () => {
    const { person, groups, channel } = await newChannel();
    const before = peer.arrivals.length;
    judgeInTurn('accept', 'cut before');
    const text = longText('lost');
    const campaign = await sendCampaign(person, groups, text, picture);
    const { totals, groups: outcomes } = await finished(person, campaign);
    expect(totals).toMatchObject({ sent: 0, failed: 1 });
    expect(outcomes[0]?.last_error).toMatch(/^outcome_unknown/);
    expect(channel.posts).toHaveLength(1);
    await person.call('venom/retry-campaign', { campaign_id: campaign });
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
    expect(shownSince(before)).toEqual([['image', text]]);
  });

  test('a file that never arrived is not sent again by itself, and neither is its text', async () => {
    const { person, groups, channel } = await newChannel();
    judgeInTurn('cut before');
    const campaign = await sendCampaign(person, groups, longText('never'), picture);
    const { groups: outcomes } = await finished(person, campaign);
    expect(outcomes[0]?.last_error).toMatch(/^outcome_unknown/);
    expect(channel.posts).toHaveLength(0);
  });
});
