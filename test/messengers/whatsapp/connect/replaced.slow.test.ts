/** A link that another program uses, too: the service backs off. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../../src/platform/database/connect.ts';
import { createLog } from '../../../../src/platform/log/log.ts';
import { sleep } from '../../../../src/platform/time/time.ts';
import { createVault } from '../../../../src/platform/secrets/secret-box.ts';
import type { Messenger, MessengerSession, SessionState } from '../../../../src/messengers/messenger.ts';
import { createWhatsApp } from '../../../../src/messengers/whatsapp/whatsapp.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { createOwner, until } from '../../../support/ledger.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../../../harness/whatsapp-peer/peer.ts';

const STEADY_MS = 20;
let peer: WhatsAppPeer;
let database: TestDatabase;
const sessions: MessengerSession[] = [];
const messengers: Messenger[] = [];

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  database = await createTestDatabase();
});
afterAll(async () => {
  await Promise.all(sessions.map((session) => session.close()));
  await Promise.all(messengers.map((messenger) => messenger.close()));
  await peer.stop();
  await database.drop();
});

/** The resources of a worker. */
function createMessenger(cooldownMs: number): Messenger {
  const messenger = createWhatsApp({
    db: connectDatabase(database.address, { log: createLog('fatal') }),
    log: createLog('fatal'),
    vault: createVault({ key: Buffer.alloc(32, 1) }),
    url: peer.url,
    rootKey: undefined,
    timing: { firstPauseMs: 20, longestPauseMs: 100, answerMs: 1_000, cooldownMs, steadyMs: STEADY_MS },
  });
  messengers.push(messenger);
  return messenger;
}

async function linked(phoneNumber: string, messenger: Messenger) {
  const phone = peer.addPerson(phoneNumber);
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  const account = { accountId, workspaceId, phoneNumber };
  const told: SessionState[] = [];
  const session = await messenger.link(account, 'qr', (state) => {
    told.push(state);
    if (state.status === 'linking') void peer.scan(phone, state.code ?? '');
  });
  sessions.push(session);
  const last = (status: SessionState['status']) =>
    until(
      () => told.at(-1),
      (state) => state?.status === status,
    );
  await last('connected');
  return { account, phone, session, told, last };
}

test('backs off exponentially while another program takes the link over again and again', async () => {
  const { phone, session, told, last } = await linked('447700900001', createMessenger(100));
  const { sendTo: chatId } = await session.createGroup({ name: 'Group', participants: [] });
  for (let taken = 0; taken < 5; taken++) {
    await last('connected');
    await sleep(2 * STEADY_MS);
    peer.replace(phone);
    await last('paused');
  }
  const rests = told.flatMap((state) => (state.status === 'paused' ? [state.cooldownMs] : []));
  expect(rests).toHaveLength(5);
  expect(rests).toEqual(rests.toSorted((one, other) => one - other));
  expect(rests.at(-1)).toBeGreaterThan(8 * (rests[0] ?? Infinity) * 0.75);

  const to = {
    chatId,
    messageId: `3EB0${randomBytes(9).toString('hex').toUpperCase()}`,
    uncertain: false,
    resend: false,
  };
  expect(await session.send({ text: 'Hello', media: null }, [to], () => true)).toMatchObject([{ kind: 'offline' }]);
  expect(peer.received).toEqual([]);
});

test('never takes the connection back when another worker serves the account', async () => {
  const { account, phone, session, told } = await linked('447700900002', createMessenger(50));
  const theirs: SessionState[] = [];
  const other = await createMessenger(50).open(account, (state) => theirs.push(state));
  if (other) sessions.push(other);
  // It notices the other worker after its cool-down, or when it stores credentials of a new link.
  await session.ended;
  const connections = told.filter(({ status }) => status === 'connected');
  expect(connections).toHaveLength(1);
  await until(
    () => theirs,
    (states) => states.some(({ status }) => status === 'connected'),
  );
  expect(theirs.map(({ status }) => status)).toEqual(['reconnecting', 'connected']);
  expect([...phone.companions.values()].map(({ connection }) => connection !== undefined)).toEqual([true]);
});
