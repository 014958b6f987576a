import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../../src/platform/database/connect.ts';
import { createLog } from '../../../../src/platform/log/log.ts';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import type { Messenger, MessengerSession } from '../../../../src/messengers/messenger.ts';
import { createWhatsApp } from '../../../../src/messengers/whatsapp/whatsapp.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner, until } from '../../../support/ledger.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';

/** The number of members that makes a group large. */
const MANY = Array.from({ length: 100 }, (_, index) => `1555${String(index).padStart(7, '0')}`);
let peer: WhatsAppPeer;
let database: TestDatabase;
let messenger: Messenger;
const sessions: MessengerSession[] = [];

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
  for (const number of MANY) peer.addPerson(number).isAway = true;
  messenger = createWhatsApp({
    db: connectDatabase(database.address, { log: createLog('error') }),
    log: createLog('error'),
    vault: createVault({ key: Buffer.alloc(32, 1) }),
    url: peer.url,
    rootKey: undefined,
    timing: { fanOutWaitMs: 60_000, answerMs: 60_000 },
  });
});
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await messenger.close();
  await peer.stop();
  await database.drop();
});

/** A linked account with a group of these members. */
async function linked(phoneNumber: string, people: readonly string[]) {
  const phone = peer.addPerson(phoneNumber);
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  const connected = Promise.withResolvers<void>();
  const session = await messenger.link({ accountId, workspaceId, phoneNumber }, 'qr', (state) => {
    if (state.status === 'linking') void peer.scan(phone, state.code ?? '');
    if (state.status === 'connected') connected.resolve();
  });
  sessions.push(session);
  await connected.promise;
  const { sendTo: chatId } = await session.createGroup({ name: 'Group', participants: people });
  const send = async () => {
    const messageId = `3EB0${randomBytes(9).toString('hex').toUpperCase()}`;
    const to = { chatId, messageId, uncertain: false, resend: false };
    const [result] = await session.send({ text: 'Hello', media: null }, [to], () => true);
    return result?.kind;
  };
  return { chatId, send };
}

test('prepares first posts to large groups one after the other, without delaying small groups', async () => {
  const first = await linked('447700900001', MANY);
  const second = await linked('447700900002', MANY);
  const small = await linked('447700900003', MANY.slice(0, 3));
  const held = Promise.withResolvers<'accept'>();
  const arrived: string[] = [];
  peer.script.judge = ({ chatId }) => {
    arrived.push(chatId);
    return chatId === first.chatId ? held.promise : 'accept';
  };
  const sending = first.send();
  await until(
    () => arrived,
    ([chatId]) => chatId === first.chatId,
  );
  const waiting = second.send();
  expect(await small.send()).toBe('sent');
  expect(await small.send()).toBe('sent');
  expect(arrived).toEqual([first.chatId, small.chatId, small.chatId]);
  held.resolve('accept');
  expect(await Promise.all([sending, waiting])).toEqual(['sent', 'sent']);

  // The members have the sender key now, and a post to them needs no more than others.
  const heldAgain = Promise.withResolvers<'accept'>();
  peer.script.judge = ({ chatId }) => (chatId === first.chatId ? heldAgain.promise : 'accept');
  const again = first.send();
  expect(await second.send()).toBe('sent');
  heldAgain.resolve('accept');
  expect(await again).toBe('sent');
});
