/** WhatsApp queues messages for an offline device, and delivers as many at a time as are requested. */
import { EventEmitter } from 'node:events';
import type { WASocket } from 'baileys';
import { expect, test } from 'vitest';
import { createLog } from '../../../../src/platform/log/log.ts';
import { drainOfflineQueue } from '../../../../src/messengers/whatsapp/client/drain-offline-queue.ts';
import type { Node } from '../../../../src/messengers/whatsapp/client/node.ts';
import { progressOf, sendCampaign } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { sendReceipt } from '../../../../harness/whatsapp-peer/phones.ts';
import type { Person as PeerPerson } from '../../../../harness/whatsapp-peer/world.ts';

const scene = await setWhatsAppScene();
const { peer, members, linked, finished } = scene;
const [ann, ben] = members as [PeerPerson, PeerPerson];

test('requests no more of the queue while nothing can be recorded (backpressure)', async () => {
  const ws = new EventEmitter() as unknown as WASocket['ws'];
  const asked: Node[] = [];
  const sendNode = (node: Node) => Promise.resolve(void asked.push(node));
  const told = Promise.withResolvers<void>();
  const recorded = Promise.withResolvers<boolean>();
  const canRecord = () => {
    told.resolve();
    return recorded.promise;
  };
  drainOfflineQueue({ ws, sendNode }, { log: createLog('fatal'), canRecord });
  const waited = { tag: 'receipt', attrs: { offline: '1' } };
  ws.emit('frame', waited);
  await told.promise;
  ws.emit('frame', waited);
  expect(asked).toEqual([]);
  recorded.resolve(true);
  await expect.poll(() => asked).toHaveLength(1);
});

test('receives all 260 queued receipts, and then new ones', async () => {
  const { person, companion, groups } = await linked(1);
  const campaign = await sendCampaign(person, groups);
  await finished(person, campaign);
  const post = peer.arrivals.at(-1);
  if (!post) throw new Error('nothing was posted');
  const { chatId, messageId } = post;
  await scene.stop();
  // Events about unknown posts, followed by one that counts.
  const others = Array.from({ length: 259 }, (_, index) => `3EB0${index}`);
  const waiting = [...others, messageId].map((id) => sendReceipt(companion, { chatId, messageIds: [id], by: ann }));
  await scene.start();
  await expect.poll(() => companion.connection).toBeDefined();
  waiting.push(sendReceipt(companion, { chatId, messageIds: [messageId], by: ben, type: 'read' }));
  await Promise.all(waiting);
  expect((await progressOf(person, campaign)).totals).toMatchObject({ delivered: 2, read: 1 });
});
