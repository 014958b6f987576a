/** The sandbox while it waits for a database connection. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { connectDatabase } from '../../src/platform/database/connect.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { readMessages } from '../../src/messengers/sandbox/messages.ts';
import { createSandbox } from '../../src/messengers/sandbox/sandbox.ts';
import { createTestDatabase } from '../support/database.ts';
import { createOwner } from '../support/ledger.ts';

test('does not send a post that waits for a connection once another worker holds the account', async () => {
  const database = await createTestDatabase();
  const { accountId, workspaceId } = await createOwner(database.db, 0);
  const log = createLog('error');
  const db = connectDatabase(database.address, { log, poolSize: 1 });
  const sandbox = createSandbox({ db, log, speed: 0 });
  const session = await sandbox.open({ accountId, workspaceId, phoneNumber: '4915100000001' }, () => {});
  const [group] = (await session?.listGroups([]))?.chats ?? [];
  const chatId = group?.sendTo ?? '';
  let isHeld = true;
  const mayGoOn = () => isHeld;
  const to = [{ chatId, messageId: 'A1', uncertain: false, resend: false }];

  const sent = await db.connection().execute(async (only) => {
    const waiting = session?.send({ text: 'late', media: null }, to, mayGoOn);
    await sql`select 1`.execute(only);
    isHeld = false;
    return { waiting };
  });
  expect(await sent.waiting).toMatchObject([{ kind: 'offline' }]);
  expect(await readMessages(database.db, workspaceId, chatId, { after: 0, limit: 10 })).toEqual([]);
  await sandbox.close();
  await database.drop();
});
