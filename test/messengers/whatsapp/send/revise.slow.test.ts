/** Recalls and corrections on WhatsApp, as people see them on their phones. */
import { proto } from 'baileys';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { createGroups, sendCampaign } from '../../../support/whatsapp.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postsNow } from '../../../../harness/whatsapp-peer/posts-now.ts';

interface Outcome {
  recalled?: number;
  corrected?: number;
  last_error: string | null;
}

// Some answers are lost on purpose.
const scene = await setWhatsAppScene({ answerMs: 1_500 });
const { peer, database, members, linked, finished } = scene;
const somebody = await linked(0);

/** A campaign that has arrived in that many groups, or in a channel. */
async function posted(what: number | 'channel', text: string) {
  const { person } = somebody;
  const groups = what === 'channel' ? [await createChannel(person)] : await createGroups(person, what, members);
  const campaign = await sendCampaign(person, groups, text);
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: groups.length });
  const chats = [...new Set(peer.arrivals.filter((one) => one.text === text).map(({ chatId }) => chatId))];
  /** The messages that each device and the channel show in all chats of the campaign. */
  const shown = () => chats.flatMap((chatId) => [...postsNow(peer, chatId).values()]);
  const outcomes = async () => {
    const path = 'analytics/get-campaign-group-analytics-master';
    return (await person.call<{ groups: Outcome[] }>(path, { campaign_id: campaign })).body.data.groups;
  };
  /** Waits until no revision is pending in any group. */
  const settled = (holds: (outcome: Outcome) => boolean) =>
    until(
      async () => {
        await skipWaiting(database, person);
        return outcomes();
      },
      (all) => all.every(holds),
    );
  return { ...somebody, campaign, chats, shown, settled };
}

async function createChannel(person: Person): Promise<number> {
  const { body } = await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
  return body.data.group_metadata_id;
}

const recall = (person: Person, campaign_id: string) => person.call('venom/recall-campaign', { campaign_id });
const correct = (person: Person, campaign_id: string, html: string) =>
  person.call('venom/correct-campaign', { campaign_id, html });

test('deletes a recalled post from every device, and answers no retry receipt for it', async () => {
  const { person, companion, campaign, chats, shown, settled } = await posted(2, 'The fair is on Monday');
  expect(shown()).toEqual(Array.from({ length: 8 }, () => ['The fair is on Monday']));
  const before = peer.arrivals.find(({ chatId }) => chatId === chats[0]);
  expect(await recall(person, campaign)).toMatchObject({ status: 200, body: { data: { groups: 2 } } });
  expect(await settled(({ recalled }) => recalled === 1)).toMatchObject([{ last_error: null }, { last_error: null }]);
  expect(shown()).toEqual(Array.from({ length: 8 }, () => []));
  const device = members[0]?.devices[1];
  if (!before || !device) throw new Error('nothing was shown');
  const received = peer.received.length;
  await peer.askAgain(companion, { chatId: before.chatId, messageId: before.messageId, device });
  expect(peer.received.slice(received).filter(({ attrs }) => attrs['id'] === before.messageId)).toEqual([]);
});

test('shows the corrected text on every device, also after a second correction', async () => {
  const { person, campaign, shown, settled } = await posted(2, 'It begins at nine');
  await correct(person, campaign, 'It begins at <b>ten</b>');
  await settled(({ corrected }) => corrected === 1);
  expect(shown()).toEqual(Array.from({ length: 8 }, () => ['It begins at *ten*']));
  await correct(person, campaign, 'It begins at nine');
  await until(
    () => Promise.resolve(shown()),
    (texts) => texts.every(([text]) => text === 'It begins at nine'),
  );
});

test('repeats a change whose acknowledgement is lost or whose connection broke', async () => {
  const { person, campaign, shown, settled } = await posted(1, 'Bring chairs');
  let seen = 0;
  peer.script.judge = () => (++seen === 1 ? 'lose the answer' : seen === 2 ? 'cut before' : 'accept');
  await correct(person, campaign, 'Bring tables');
  await settled(({ corrected }) => corrected === 1);
  expect(seen).toBeGreaterThanOrEqual(3);
  expect(shown()).toEqual(Array.from({ length: 4 }, () => ['Bring tables']));
});

test('reports a final rejection, and leaves the post as it is', async () => {
  const { person, campaign, shown, settled } = await posted(1, 'Stays');
  peer.script.judge = () => ({ refuse: 403 });
  await recall(person, campaign);
  const [outcome] = await settled(({ last_error }) => last_error !== null);
  expect(outcome).toMatchObject({ recalled: 0, last_error: expect.stringContaining('may not post here') });
  expect(shown()).toEqual(Array.from({ length: 4 }, () => ['Stays']));
});

test.each([
  { what: 'a correction', after: { minutes: 15 }, how: 'changed for 15 minutes', where: 1 as const },
  { what: 'a recall', after: { hours: 60 }, how: 'deleted for everyone for 60 hours', where: 1 as const },
  { what: 'a correction', after: { days: 30 }, how: '30 days', where: 'channel' as const },
  { what: 'a recall', after: { days: 30 }, how: '30 days', where: 'channel' as const },
])(
  '$what that comes too late is refused with “$how”, and WhatsApp is not even asked',
  async ({ what, after, how, where }) => {
    const text = `Too old ${what} ${how}`;
    const { person, campaign, shown } = await posted(where, text);
    await database.clock.advance(after);
    await database.clock.advance({ seconds: 1 });
    const received = peer.received.length;
    const { body } = await (what === 'a recall' ? recall(person, campaign) : correct(person, campaign, 'Newer'));
    expect(body).toMatchObject({ code: 409, error_code: 'too_late' });
    expect(body.message).toMatch(/^Too late/);
    expect(body.message).toContain(how);
    expect(peer.received.length).toBe(received);
    expect(shown().flat()).toContain(text);
  },
);

test('corrects the caption of a file, up to its maximum length', async () => {
  const { person, campaign, shown, settled } = await posted(1, 'Below a picture');
  // As if the post had had a picture: the stored message decides.
  const picture = { mimetype: 'image/jpeg', directPath: '/v/1', fileLength: 7, caption: 'Below a picture' };
  const { rows } = await sql<{ message: Buffer }>`
    update whatsapp_posts p set message = ${Buffer.from(proto.Message.encode({ imageMessage: picture }).finish())}
    from whatsapp_sent s
    where s.account_id = p.account_id and s.post_hash = p.post_hash and s.message_id = ${peer.arrivals.at(-1)?.messageId}
    returning p.message`.execute(database.db);
  expect(rows).toHaveLength(1);
  await correct(person, campaign, 'Below another');
  await settled(({ corrected }) => corrected === 1);
  const edited = peer.arrivals.at(-1)?.message.protocolMessage?.editedMessage;
  expect(edited?.imageMessage).toMatchObject({ directPath: '/v/1', caption: 'Below another' });
  const before = peer.received.length;
  await correct(person, campaign, 'x'.repeat(1_025));
  const [outcome] = await settled(({ last_error }) => last_error !== null);
  expect(outcome?.last_error).toContain('1024 characters');
  expect(peer.received.length).toBe(before);
  expect(shown()).toHaveLength(4);
});

test('edits and deletes a post in a channel', async () => {
  const { person, campaign, shown, settled } = await posted('channel', 'Open on Sunday');
  await database.clock.advance({ days: 10 });
  await correct(person, campaign, 'Closed on Sunday');
  await settled(({ corrected }) => corrected === 1);
  expect(shown()).toEqual([['Closed on Sunday']]);
  await recall(person, campaign);
  await settled(({ recalled }) => recalled === 1);
  expect(shown()).toEqual([[]]);
});

test('reports that a post is not in the channel any more', async () => {
  const { person, campaign, chats, settled } = await posted('channel', 'Deleted by hand');
  const channel = peer.world.channels.get(chats[0] ?? '');
  if (channel) channel.posts = [];
  await recall(person, campaign);
  const [outcome] = await settled(({ last_error }) => last_error !== null);
  expect(outcome?.last_error).toContain('not there any more');
});
