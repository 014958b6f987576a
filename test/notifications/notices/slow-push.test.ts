/** A push service that does not answer delays no other user's notices. */
import { execute } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSafeHttpClient, type Egress } from '../../../src/platform/http-client/safe-http-client.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { readAllowedHosts } from '../../../src/platform/network/allowed-hosts.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { loadPushKeys } from '../../../src/notifications/notices/push-keys.ts';
import { deliverNotices } from '../../../src/notifications/notices/deliver-notices.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, until, type Owner } from '../../support/ledger.ts';
import { startPushService, type PushService } from '../../support/servers/push-service.ts';

const SLOW_PEOPLE = 40;

let database: TestDatabase;
let pushes: PushService;
let egress: Egress;
const vault = createVault({ key: Buffer.alloc(32, 3) });

beforeEach(async () => {
  database = await createTestDatabase();
  pushes = await startPushService();
  const allowed = readAllowedHosts(['127.0.0.1']);
  if (!allowed) throw new Error('no such hosts');
  // No request times out while a test holds its answer back.
  egress = createSafeHttpClient({ allowHttp: true, allowed, timeoutMs: 600_000 });
});
afterEach(async () => {
  egress.close();
  await pushes.close();
  await database.drop();
});

/** A user with a subscribed browser and an ended campaign. */
async function createSubscriber(): Promise<Owner> {
  const owner = await createOwner(database.db, 1);
  const { endpoint, p256dh, auth } = pushes.subscribe();
  await execute(database.db)`
    insert into push_subscriptions (user_id, endpoint, p256dh, auth)
    values (${owner.userId}, ${endpoint}, ${p256dh}, ${auth})`;
  await execute(database.db)`
    insert into events (workspace_id, type, data) values (${owner.workspaceId}, 'campaign.completed', '{"name": "News"}')`;
  await assignPositions(database);
  return owner;
}

test('pushes to a browser while the push services of 40 others do not answer', async () => {
  for (let person = 0; person < SLOW_PEOPLE; person++) await createSubscriber();
  const letGo = pushes.hold();
  const notices = deliverNotices({
    db: database.db,
    log: createLog('silent'),
    egress,
    vault,
    keys: await loadPushKeys(database.db, vault),
    contact: 'https://campanile.example.com',
    hasMail: false,
    timeZone: 'UTC',
  });
  try {
    await until(pushes.asked, (asked) => asked === SLOW_PEOPLE);
    await createSubscriber();
    await until(pushes.asked, (asked) => asked === SLOW_PEOPLE + 1);
    expect(pushes.pushed).toHaveLength(0);
    letGo();
    await until(
      () => pushes.pushed,
      ({ length }) => length === SLOW_PEOPLE + 1,
    );
  } finally {
    letGo();
    await notices.stop();
  }
});
