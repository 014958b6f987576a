/** Acknowledgements that come late or never: the sender key is distributed once all the same, and members see the post once. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { until } from '../../../support/ledger.ts';
import { sendCampaign, timesShown, type Linked } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { children, elementsOf } from '../../../../harness/whatsapp-peer/stanza.ts';
import type { Verdict } from '../../../../harness/whatsapp-peer/state.ts';
import { addGroup, lidOf, type Group } from '../../../../harness/whatsapp-peer/world.ts';

/** A post is given up after five answers that took longer, as they would on a busy machine if this were short. */
const ANSWER_MS = 8_000;
const scene = await setWhatsAppScene({ answerMs: ANSWER_MS, lateAckMs: 120_000 });
const { peer, database, linked, finished } = scene;
const MEMBERS = 30;
let made = 0;

async function linkedWithGroup() {
  const somebody = await linked(0);
  const members = Array.from({ length: MEMBERS }, () => peer.addPerson(`1666${String(++made).padStart(7, '0')}`));
  const { person, phone } = somebody;
  const chat = addGroup(peer.world, phone, { subject: `Late ${++made}` }, members);
  await person.call('venom/sync-groups');
  const { body } = await person.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', {
    search: chat.subject,
  });
  return { ...somebody, chat, ids: body.data.groups.map((group) => group.group_metadata_id) };
}

/** The ids of the posts to a group, and the number of members who get the sender key with each. */
const postsTo = (chat: Group, { phone }: Pick<Linked, 'phone'>) =>
  peer.received
    .filter(({ attrs }) => attrs['to'] === chat.id)
    .map((stanza) => {
      const keyed = children(stanza, 'participants').flatMap(elementsOf);
      return { id: stanza.attrs['id'], keys: keyed.filter(({ attrs }) => attrs['jid'] !== lidOf(phone)).length };
    });

/** Waits until a post was tried again, and waits for the acknowledgement of the one before. */
const deferred = ({ person }: Pick<Linked, 'person'>, posts = 1) =>
  until(
    async () => {
      await skipWaiting(database, person);
      const { rows } = await sql`
        select from deliveries where status = 'queued' and error like 'WhatsApp may still%'`.execute(database.db);
      return rows.length;
    },
    (count) => count >= posts,
  );

/** These answers, one a post, and then the usual ones. */
function answer(...verdicts: Verdict[]) {
  peer.script.judge = () => verdicts.shift() ?? 'accept';
}

test('a late acknowledgement makes the post a sent one, and nothing is sent again', async () => {
  const somebody = await linkedWithGroup();
  const late = Promise.withResolvers<void>();
  answer({ answerAfter: late.promise });
  const campaign = await sendCampaign(somebody.person, somebody.ids, 'late');
  await deferred(somebody);
  late.resolve();
  expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  expect(postsTo(somebody.chat, somebody)).toEqual([{ id: expect.anything(), keys: MEMBERS }]);
  expect(timesShown(peer, 'late')).toEqual(Array.from({ length: MEMBERS + 1 }, () => 1));
});

test('another post to the group waits for it, and needs no keys', async () => {
  const somebody = await linkedWithGroup();
  const late = Promise.withResolvers<void>();
  answer({ answerAfter: late.promise });
  const campaigns = [await sendCampaign(somebody.person, somebody.ids, 'first')];
  await deferred(somebody);
  campaigns.push(await sendCampaign(somebody.person, somebody.ids, 'second'));
  await deferred(somebody, 2);
  late.resolve();
  for (const campaign of campaigns)
    expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  expect(postsTo(somebody.chat, somebody).map(({ keys }) => keys)).toEqual([MEMBERS, 0]);
});

test('a late rejection counts as well', async () => {
  const somebody = await linkedWithGroup();
  const late = Promise.withResolvers<void>();
  answer({ refuse: 403, answerAfter: late.promise });
  const campaign = await sendCampaign(somebody.person, somebody.ids, 'not here');
  await deferred(somebody);
  late.resolve();
  expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 0, failed: 1 });
  expect(postsTo(somebody.chat, somebody)).toHaveLength(1);
});

test('a post whose acknowledgement never comes is repeated under its id, without keys', async () => {
  await scene.restart({ answerMs: ANSWER_MS, lateAckMs: 2 * ANSWER_MS });
  const somebody = await linkedWithGroup();
  answer('lose the answer');
  const campaign = await sendCampaign(somebody.person, somebody.ids, 'never');
  expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  const [first, ...repeats] = postsTo(somebody.chat, somebody);
  expect(first?.keys).toBe(MEMBERS);
  expect(repeats.length).toBeGreaterThan(0);
  for (const repeat of repeats) expect(repeat).toEqual({ id: first?.id, keys: 0 });
  expect(timesShown(peer, 'never')).toEqual(Array.from({ length: MEMBERS + 1 }, () => 1));
});

test('a post is repeated with its keys after the connection broke: they may be lost', async () => {
  const somebody = await linkedWithGroup();
  answer('cut before');
  const campaign = await sendCampaign(somebody.person, somebody.ids, 'cut');
  expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  expect(postsTo(somebody.chat, somebody).map(({ keys }) => keys)).toEqual([MEMBERS, MEMBERS]);
});
