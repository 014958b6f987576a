/** A mail server that takes long over one recipient delays no other user's mail. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sql } from 'kysely';
import { listenForNotifications, type Notifications } from '../../../src/platform/database/listen.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createMailLinks } from '../../../src/platform/mail/mail-links.ts';
import { queueMail } from '../../../src/platform/mail/mail-store.ts';
import { sendMails } from '../../../src/platform/mail/send-mails.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { JWT_SECRET } from '../../support/http/server.ts';
import { createOwner, type Owner } from '../../support/ledger.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';

const SLOW_USERS = 3;

let database: TestDatabase;
let notifications: Notifications;
let server: MailServer;
const log = createLog('silent');

beforeEach(async () => {
  database = await createTestDatabase();
  notifications = listenForNotifications(database.address, { log });
  server = await startMailServer();
});
afterEach(async () => {
  await notifications.close();
  await server.close();
  await database.drop();
});

const start = () =>
  sendMails({
    db: database.db,
    log,
    notifications,
    links: createMailLinks(JWT_SECRET),
    mail: { smtpUrl: server.url, from: 'post@campanile.example', publicUrl: 'https://campanile.example' },
  });

async function createUser(email: string): Promise<Owner> {
  const owner = await createOwner(database.db, 1);
  await sql`update users set email = ${email} where user_id = ${owner.userId}`.execute(database.db);
  return owner;
}

const queue = ({ userId }: Owner, kind: 'password_changed' | 'factors_changed' = 'password_changed') =>
  queueMail(database.db, { kind, userId });

test('sends a mail while the server stalls on the recipients of others', async () => {
  const letGo = server.hold(/slow/);
  for (let user = 0; user < SLOW_USERS; user++) {
    const owner = await createUser(`slow${user}@example.com`);
    await queue(owner);
    await queue(owner, 'factors_changed');
  }
  await queue(await createUser('bystander@example.com'));
  const mails = start();
  try {
    await server.received('bystander@example.com');
    expect(server.mails).toHaveLength(1);
  } finally {
    letGo();
    await mails.stop();
  }
});
