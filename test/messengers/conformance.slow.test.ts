import { createLog } from '../../src/platform/log/log.ts';
import { createVault } from '../../src/platform/secrets/secret-box.ts';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { readMessages } from '../../src/messengers/sandbox/messages.ts';
import { createSandbox } from '../../src/messengers/sandbox/sandbox.ts';
import { createWhatsApp } from '../../src/messengers/whatsapp/whatsapp.ts';
import { createTestDatabase } from '../support/database.ts';
import { createOwner } from '../support/ledger.ts';
import { expectMessenger } from '../support/messenger-conformance.ts';
import { startWhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';
import { postsNow } from '../../harness/whatsapp-peer/posts-now.ts';

const PEOPLE = ['4915100000002', '4915100000003', '4915100000004'];
const PHONE_NUMBER = '4915100000001';

expectMessenger('the sandbox', async () => {
  const database = await createTestDatabase();
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  const pool = connectDatabase(database.address, { log: createLog('error') });
  const shown = async (chatId: string) =>
    (await readMessages(database.db, workspaceId, chatId, { after: 0, limit: 100 })).map(({ text }) => text);
  const messenger = createSandbox({ db: pool, log: createLog('error'), speed: 0 });
  return {
    messenger,
    account: { accountId, workspaceId, phoneNumber: PHONE_NUMBER },
    agree: () => Promise.resolve(),
    people: PEOPLE,
    shown,
    seenNow: shown,
    async filesIn(chatId) {
      const messages = await readMessages(database.db, workspaceId, chatId, { after: 0, limit: 100 });
      return messages.flatMap(({ files, text }) =>
        (files ?? []).map(({ caption }, index) => caption ?? (index === 0 ? text : '')),
      );
    },
    async stop() {
      await messenger.close();
      await database.drop();
    },
  };
});

expectMessenger('WhatsApp', async () => {
  const database = await createTestDatabase();
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  const peer = await startWhatsAppPeer();
  const phone = peer.addPerson(PHONE_NUMBER);
  for (const number of PEOPLE) peer.addPerson(number, [5]);
  const messenger = createWhatsApp({
    db: connectDatabase(database.address, { log: createLog('error') }),
    log: createLog('error'),
    vault: createVault({ key: Buffer.alloc(32, 1) }),
    url: peer.url,
    rootKey: Buffer.from(peer.rootKey, 'hex'),
    mediaCa: peer.certificate,
    timing: { firstPauseMs: 20, longestPauseMs: 200, answerMs: 40_000, fileWaitMs: 40_000 },
  });
  return {
    messenger,
    account: { accountId, workspaceId, phoneNumber: PHONE_NUMBER },
    agree: async ({ code = '' }) => void (await peer.scan(phone, code)),
    people: PEOPLE,
    async shown(chatId) {
      const inChat = peer.arrivals.filter((arrival) => arrival.chatId === chatId);
      const byDevice = [...Map.groupBy(inChat, ({ device }) => device).values()];
      const texts = byDevice.map((arrivals) => arrivals.map(({ text }) => text));
      // Every device shows the same.
      if (new Set(texts.map((one) => JSON.stringify(one))).size > 1)
        throw new Error('devices differ in what they show');
      return texts[0] ?? [];
    },
    seenNow: (chatId) => Promise.resolve([...postsNow(peer, chatId).values()][0] ?? []),
    // Only files are in these chats.
    filesIn: (chatId) => Promise.resolve([...postsNow(peer, chatId).values()][0] ?? []),
    async stop() {
      await messenger.close();
      await peer.stop();
      await database.drop();
    },
  };
});
