/** The signed prekey of an account is renewed, and messages that were encrypted to the former one are read. */
import { afterEach, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { progressOf, sendCampaign, statusWhen, type Linked } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { postInGroup, reactionTo } from '../../../../harness/whatsapp-peer/phones.ts';

const scene = await setWhatsAppScene({ queryMs: 2_000 });
const { peer, members, linked, finished, database } = scene;

const keyOf = ({ companion }: Linked) => {
  const { bundle } = companion;
  if (!bundle) throw new Error('the client has uploaded no keys');
  return bundle.signedPreKey;
};
/** Connects again. A key that is due is renewed before the post has left. */
const restarted = async (somebody: Linked) => {
  await scene.restart();
  await statusWhen(somebody.person, 'connected');
  await finished(somebody.person, await sendCampaign(somebody.person, somebody.groups, 'connected again'));
};

/** The attempts to renew a key, by their number; each is answered with the next of `answers`, then accepted. */
function watchRotations(...answers: Array<number | 'lose the answer'>): { seen: number } {
  const rotations = { seen: 0 };
  peer.script.refuseQuery = ({ namespace, action }) => {
    if (namespace !== 'encrypt' || action !== 'rotate') return undefined;
    rotations.seen += 1;
    return answers.shift();
  };
  return rotations;
}

let present: Linked | undefined;
// The keys of each account fall due with the clock that all share.
afterEach(async () => {
  await present?.person.call('venom/disconnect-account');
  present = undefined;
});

/** A user whose post has arrived in a group. Nobody else is linked. */
async function posted() {
  const somebody = await linked(1);
  present = somebody;
  const campaign = await sendCampaign(somebody.person, somebody.groups, `of ${somebody.phone.number}`);
  await finished(somebody.person, campaign);
  const post = peer.arrivals.findLast(({ text }) => text === `of ${somebody.phone.number}`);
  if (!post) throw new Error('nothing was posted');
  const reactions = async () => (await progressOf(somebody.person, campaign)).totals.reactions;
  return { ...somebody, post, reactions };
}

test('is renewed after 27 days and not before, and a message to the former key is read', async () => {
  const rotations = watchRotations();
  const somebody = await posted();
  const { companion, post, reactions } = somebody;
  const former = keyOf(somebody);
  await database.clock.advance({ days: 26 });
  await restarted(somebody);
  expect(rotations.seen).toBe(0);
  await database.clock.advance({ days: 2 });
  await restarted(somebody);
  const renewed = await until(
    () => keyOf(somebody),
    (key) => key.keyId !== former.keyId,
  );
  // A member who has asked for keys before, and writes now.
  const [ann, ben] = members;
  if (!ann || !ben || !companion.bundle) throw new Error('there are no members');
  companion.bundle.signedPreKey = former;
  await postInGroup(companion, { chatId: post.chatId, by: ann, message: reactionTo(post) });
  await until(reactions, (count) => count === 1);
  companion.bundle.signedPreKey = renewed;
  await postInGroup(companion, { chatId: post.chatId, by: ben, message: reactionTo(post) });
  await until(reactions, (count) => count === 2);
  await restarted(somebody);
  expect(rotations.seen).toBe(1);
});

test('is read from when the answer of WhatsApp was lost, and the same one is uploaded again', async () => {
  const somebody = await posted();
  const { companion, post, reactions } = somebody;
  const former = keyOf(somebody);
  const rotations = watchRotations('lose the answer');
  await database.clock.advance({ days: 28 });
  await restarted(somebody);
  const next = await until(
    () => keyOf(somebody),
    (key) => key.keyId !== former.keyId,
  );
  // WhatsApp gives it to others, and the client does not know that.
  const [ann] = members;
  if (!ann) throw new Error('there are no members');
  await postInGroup(companion, { chatId: post.chatId, by: ann, message: reactionTo(post) });
  await until(reactions, (count) => count === 1);
  await restarted(somebody);
  await until(
    () => rotations.seen,
    (seen) => seen === 2,
  );
  expect(keyOf(somebody)).toEqual(next);
});

test('stays when WhatsApp rejects the new one, which is not uploaded again before the next is due', async () => {
  const somebody = await posted();
  const former = keyOf(somebody);
  const rotations = watchRotations(406);
  await database.clock.advance({ days: 28 });
  await restarted(somebody);
  await until(
    () => rotations.seen,
    (seen) => seen === 1,
  );
  await database.clock.advance({ days: 2 });
  await restarted(somebody);
  expect(rotations.seen).toBe(1);
  expect(keyOf(somebody)).toEqual(former);
  await database.clock.advance({ days: 28 });
  await restarted(somebody);
  await until(
    () => keyOf(somebody).keyId,
    (keyId) => keyId !== former.keyId,
  );
});

test('is tried again a day after an error of the server', async () => {
  const somebody = await posted();
  const former = keyOf(somebody);
  const rotations = watchRotations(500);
  await database.clock.advance({ days: 28 });
  await restarted(somebody);
  await until(
    () => rotations.seen,
    (seen) => seen === 1,
  );
  await restarted(somebody);
  expect(rotations.seen).toBe(1);
  await database.clock.advance({ days: 1, hours: 1 });
  await restarted(somebody);
  await until(
    () => keyOf(somebody).keyId,
    (keyId) => keyId !== former.keyId,
  );
});
