/** The history sync that a phone sends to a newly linked device. */
import { randomBytes } from 'node:crypto';
import { proto } from 'baileys';
import { afterAll, expect, test } from 'vitest';
import { until } from '../../../support/ledger.ts';
import { namesOfKeys, progressOf, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { sendReceipt } from '../../../../harness/whatsapp-peer/phones.ts';
import { tellHistory } from '../../../../harness/whatsapp-peer/tell-history.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, database, linked, finished } = scene;
const { INITIAL_BOOTSTRAP, INITIAL_STATUS_V3, RECENT, PUSH_NAME, FULL } = proto.Message.HistorySyncType;

/** The client downloads history files from a known host only; here the peer serves them. */
const files: string[] = [];
const { fetch } = globalThis;
globalThis.fetch = (wanted, how) => {
  const { hostname, pathname } = new URL(wanted instanceof Request ? wanted.url : wanted);
  if (!hostname.endsWith('whatsapp.net')) return fetch(wanted, how);
  files.push(pathname);
  const found = peer.uploads.find(({ directPath }) => directPath === pathname);
  return Promise.resolve(new Response(found && new Uint8Array(found.bytes), { status: found ? 200 : 404 }));
};
afterAll(() => {
  globalThis.fetch = fetch;
});

const friends = Array.from({ length: 5 }, (_, index) => peer.addPerson(`49151000300${index}`));

test('stores the LID mappings, downloads no full history, and stores no message', async () => {
  const asked = new Set<string>();
  peer.script.refuseQuery = ({ namespace }) => void asked.add(namespace);
  const { person, companion } = await linked(0);
  const [ann, ben, cem, dan, eve] = friends as [PeerPerson, PeerPerson, PeerPerson, PeerPerson, PeerPerson];
  const { uploads } = peer;
  const told = [
    await tellHistory(companion, { syncType: INITIAL_BOOTSTRAP, people: [ann], said: 'What a secret', uploads }),
    await tellHistory(companion, { syncType: INITIAL_STATUS_V3, people: [eve], uploads }),
    await tellHistory(companion, { syncType: PUSH_NAME, people: [ben], uploads }),
    await tellHistory(companion, { syncType: RECENT, people: [cem], said: 'What a secret', uploads }),
    await tellHistory(companion, { syncType: FULL, people: [dan], said: 'What a secret', uploads }),
  ];
  for (const { answer } of told) expect(answer).toMatchObject({ tag: 'receipt', attrs: { type: 'peer_msg' } });
  const numbers = await until(
    () => namesOfKeys(database, person, 'lid-mapping'),
    (names) => names.includes(cem.number),
  );
  expect(friends.map(({ number }) => numbers.includes(number))).toEqual([true, true, true, false, false]);
  expect(files).toEqual([told[2]?.directPath, told[3]?.directPath]);
  for (const name of await namesOfKeys(database, person, 'tctoken')) expect(name).not.toContain('@');
  // The settings of private chats are not stored either.
  expect([...asked]).not.toContain('w:sync:app:state');
});

test('counts a member with a known LID mapping as one person from the first receipt on', async () => {
  const { person, companion, groups } = await linked(1);
  const stranger = peer.addPerson('491510003010');
  const { uploads } = peer;
  await tellHistory(companion, { syncType: INITIAL_BOOTSTRAP, people: [stranger], uploads });
  await until(
    () => namesOfKeys(database, person, 'lid-mapping'),
    (names) => names.includes(stranger.number),
  );
  const campaign = await sendCampaign(person, groups, 'to one');
  await finished(person, campaign);
  const post = peer.arrivals.at(-1);
  if (!post) throw new Error('nothing was posted');
  const about = { chatId: post.chatId, messageIds: [post.messageId], by: stranger };
  await sendReceipt(companion, { ...about, as: 'number' });
  await sendReceipt(companion, { ...about, as: 'lid' });
  expect((await progressOf(person, campaign)).totals).toMatchObject({ delivered: 1 });
});

test('does not open a file that is too large, and does not wait for it', async () => {
  const { companion } = await linked(0);
  const { uploads } = peer;
  const before = files.length;
  // Random bytes cannot be compressed.
  const noise = randomBytes(1.2 * 1024 * 1024).toString('base64');
  await tellHistory(companion, { syncType: RECENT, people: friends, said: noise, uploads });
  await tellHistory(companion, { syncType: RECENT, people: friends, uploads });
  await expect.poll(() => files.length).toBe(before + 1);
});
