/** A lock on new private chats (reach-out time lock), and code 463 outside of a post: a warning and longer gaps, and never a pause. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import {
  addOwnChannel,
  createGroups,
  progressOf,
  sendCampaign,
  statusOf,
  timesShown,
  type Linked,
  type Status,
} from '../../../support/whatsapp.ts';
import { skipWaiting } from '../../../support/skip-waiting.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { tellRestriction } from '../../../../harness/whatsapp-peer/phones.ts';

const GAP_SECONDS = 60;
const HOUR_MS = 3_600_000;
const LOCKED = 'new private chats';
const gap = { minMs: GAP_SECONDS * 1_000, maxMs: GAP_SECONDS * 1_000 };
const scene = await setWhatsAppScene({ answerGapMs: 40 }, { whatsappGap: gap });
const { peer, linked, finished, members, database } = scene;

type Warned = Status & { warning?: string; warned_until?: string };
const stateOf = ({ person }: Linked): Promise<Warned> => statusOf(person);
const warned = (somebody: Linked) =>
  until(
    () => stateOf(somebody),
    ({ warning }) => warning?.includes(LOCKED) ?? false,
  );

/** Posts, and resolves to the seconds that the account waits before its next post. */
async function gapAfterPost(somebody: Linked, groups: readonly number[], text: string): Promise<number> {
  const { person } = somebody;
  const campaign = await sendCampaign(person, groups, text);
  expect((await finished(person, campaign)).totals).toMatchObject({ sent: groups.length, failed: 0 });
  const { rows } = await sql<{ left: number }>`
    select extract(epoch from next_send_at - campanile_now())::float8 as left from lanes
    order by next_send_at desc limit 1`.execute(database.db);
  return rows[0]?.left ?? 0;
}

test('posts to groups and channels under a lock on new private chats, with a warning and longer gaps', async () => {
  const somebody = await linked(1);
  const { groupId } = await addOwnChannel(peer, somebody);
  expect(await gapAfterPost(somebody, somebody.groups, 'before')).toBeLessThanOrEqual(GAP_SECONDS);
  const ends = new Date(Date.now() + HOUR_MS);
  peer.script.restrictedUntil = ends;
  tellRestriction(somebody.companion, ends);
  const state = await warned(somebody);
  expect(state.status).toBe('connected');
  expect(Math.abs(Date.parse(state.warned_until ?? '') - ends.getTime())).toBeLessThan(120_000);
  expect(await gapAfterPost(somebody, somebody.groups, 'to a group')).toBeGreaterThan(2 * GAP_SECONDS);
  expect(await gapAfterPost(somebody, [groupId], 'to a channel')).toBeGreaterThan(2 * GAP_SECONDS);
  expect((await stateOf(somebody)).status).toBe('connected');
  tellRestriction(somebody.companion, undefined);
  await until(
    () => stateOf(somebody),
    ({ warning, warned_until }) => warning === undefined && warned_until === undefined,
  );
  expect(await gapAfterPost(somebody, somebody.groups, 'afterwards')).toBeLessThanOrEqual(GAP_SECONDS);
});

test('keeps the warning across a restart, until WhatsApp says that the lock is over', async () => {
  const somebody = await linked(1);
  peer.script.restrictedUntil = new Date(Date.now() + HOUR_MS);
  tellRestriction(somebody.companion, peer.script.restrictedUntil);
  await warned(somebody);
  await scene.restart();
  expect(await gapAfterPost(somebody, somebody.groups, 'after a restart')).toBeGreaterThan(2 * GAP_SECONDS);
  expect((await stateOf(somebody)).warning).toContain(LOCKED);
  peer.script.restrictedUntil = undefined;
  await scene.restart();
  await until(
    () => stateOf(somebody),
    ({ status, warning }) => status === 'connected' && warning === undefined,
  );
});

test('warns, and does not pause, when WhatsApp answers a new group with 463', async () => {
  const somebody = await linked(1);
  peer.script.refuseQuery = ({ namespace, action }) => (namespace === 'w:g2' && action === 'create' ? 463 : undefined);
  const group = { group_name: 'Locked', participants: members.map(({ number }) => number) };
  expect((await somebody.person.call('venom/create-group', group)).status).toBe(503);
  expect((await warned(somebody)).status).toBe('connected');
  const campaign = await sendCampaign(somebody.person, somebody.groups, 'despite the group');
  expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
});

test('warns, and posts to other groups, when a query before a post is answered with 463', async () => {
  const somebody = await linked(0);
  const stranger = peer.addPerson('4915100000009');
  const [locked = 0] = await createGroups(somebody.person, 1, [stranger]);
  const [open = 0] = await createGroups(somebody.person, 1, members);
  let isLocked = true;
  const lid = (users: readonly string[]) => users.some((jid) => stranger.devices.some((device) => device.jid === jid));
  peer.script.refuseQuery = ({ namespace, users }) =>
    isLocked && namespace === 'encrypt' && lid(users) ? 463 : undefined;
  const campaign = await sendCampaign(somebody.person, [locked, open], 'one of them');
  await until(
    async () => {
      await skipWaiting(database, somebody.person);
      return progressOf(somebody.person, campaign);
    },
    ({ totals }) => totals.sent === 1,
  );
  expect((await warned(somebody)).status).toBe('connected');
  isLocked = false;
  expect((await finished(somebody.person, campaign)).totals).toMatchObject({ sent: 2, failed: 0 });
});

test('warns, and gives the answer up, when the answer to a retry receipt is rejected with 463', async () => {
  const somebody = await linked(1);
  const campaign = await sendCampaign(somebody.person, somebody.groups, 'asked again');
  await finished(somebody.person, campaign);
  const post = peer.arrivals.find(({ text }) => text === 'asked again');
  const device = members[0]?.devices[0];
  if (!post || !device) throw new Error('nobody shows the post');
  let answers = 0;
  peer.script.judge = ({ stanza }) => {
    if (stanza.attrs['participant'] === undefined) return 'accept';
    answers += 1;
    return { refuse: 463 };
  };
  await peer.askAgain(somebody.companion, { chatId: post.chatId, messageId: post.messageId, device });
  expect((await warned(somebody)).status).toBe('connected');
  const next = await sendCampaign(somebody.person, somebody.groups, 'after the answer');
  expect((await finished(somebody.person, next)).totals).toMatchObject({ sent: 1, failed: 0 });
  expect(answers).toBe(1);
  expect(timesShown(peer, 'after the answer')).toHaveLength(4);
});
