/** Events on WhatsApp: phones show them, and answers are opened and counted as votes are. */
import { expect, test } from 'vitest';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup } from '../../../../harness/whatsapp-peer/phones.ts';
import { sealedAnswer } from '../../../../harness/whatsapp-peer/seal-vote.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
const [ann, ben] = members as [PeerPerson, PeerPerson];

const EVENT = {
  name: 'Spring fair',
  description: 'Bring a chair',
  place: 'Market square',
  start_at: '2032-06-05T09:00:00.900+02:00',
  end_at: '2032-06-05T12:00:00+02:00',
};

interface Result {
  voters: number;
  unreadable: number;
  votes: number[];
}

test('is shown with name, place and whole seconds, and answers count: the newest of each member', async () => {
  const { person, companion, phone: author, groups } = await linked(1);
  const before = peer.arrivals.length;
  const body = { name: 'Event', html: '', event: EVENT, group_metadata_ids: groups };
  const { campaign_id } = (await person.call<{ campaign_id: string }>('venom/add-campaign', body)).body.data;
  await finished(person, campaign_id);
  const post = peer.arrivals[before];
  if (!post) throw new Error('nothing was posted');
  const { eventMessage: event } = post.message;
  expect(event).toMatchObject({ name: EVENT.name, description: EVENT.description, location: { name: EVENT.place } });
  expect(Number(event?.startTime)).toBe(Math.floor(Date.parse(EVENT.start_at) / 1_000));
  expect(Number(event?.endTime)).toBe(Date.parse(EVENT.end_at) / 1_000);
  const now = Date.now();
  const answer = (by: PeerPerson, said: Parameters<typeof sealedAnswer>[1], at: number, as: 'lid' | 'number' = 'lid') =>
    postInGroup(companion, {
      chatId: post.chatId,
      by,
      message: sealedAnswer({ post, author, by, at, voterAs: as }, said),
      as,
    });
  await answer(ann, 'going', now);
  await answer(ann, 'maybe', now - 60_000, 'number');
  await answer(ben, 'going', now, 'number');
  await answer(ben, 'not_going', now + 1);
  const { polls } = (await person.call<{ polls: Result[] }>('analytics/get-poll-results', { campaign_id })).body.data;
  expect(polls).toMatchObject([{ kind: 'event', voters: 2, unreadable: 0, votes: [1, 0, 1] }]);
});
