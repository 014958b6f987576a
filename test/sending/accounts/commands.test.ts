/** Concurrent commands of several accounts to their sessions. */
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { serveCommands } from '../../../src/sending/sessions/command-handler.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import type { MessengerSession } from '../../../src/messengers/messenger.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const ALL_SHARDS = Array.from({ length: 256 }, (_, shard) => shard);

let database: TestDatabase;
let deadNetwork = Promise.withResolvers<void>();
let serving: { stop(): Promise<void> } | undefined;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(async () => {
  deadNetwork.resolve();
  await serving?.stop();
  deadNetwork = Promise.withResolvers<void>();
  await sql`delete from account_commands`.execute(database.db);
});
afterAll(() => database.drop());

/** Serves commands with sessions whose linking hangs until the network is back, and notes whose groups were asked for. */
async function serve() {
  const asked: number[] = [];
  const session = await scriptMessenger().open({} as never, () => undefined);
  serving = serveCommands({
    db: database.db,
    log: createLog('silent'),
    notifications: { on: () => undefined },
    leases: { shards: () => ALL_SHARDS, workerId: () => 1, isGood: () => true },
    sessions: {
      get: (accountId) => {
        asked.push(accountId);
        return Promise.resolve(session as MessengerSession);
      },
      link: () => deadNetwork.promise,
      retry: () => deadNetwork.promise,
      submitPasskey: () => deadNetwork.promise,
      simulate: () => deadNetwork.promise,
      unlink: () => deadNetwork.promise,
    },
    loadPicture: () => Promise.reject(new Error('no picture')),
  });
  return asked;
}

async function ask(accountId: AccountId, kind: 'connect' | 'list_groups', count: number): Promise<void> {
  const input = kind === 'connect' ? { method: { kind: 'qr' } } : { knownChannels: [] };
  await sql`
    insert into account_commands (account_id, kind, input)
    select ${accountId}, ${kind}, ${JSON.stringify(input)}::jsonb from generate_series(1, ${count}::int)`.execute(
    database.db,
  );
}

const count = async (accountId: AccountId, status: string) =>
  (
    await sql<{ count: number }>`
      select count(*) from account_commands where account_id = ${accountId} and status = ${status}::command_status`.execute(
      database.db,
    )
  ).rows[0]?.count;

test('keeps permits for other accounts when the network of one is dead', async () => {
  const [stuck, other] = [await createOwner(database.db, 0), await createOwner(database.db, 0)];
  await ask(stuck.accountId, 'connect', 60);
  await ask(other.accountId, 'list_groups', 1);
  const asked = await serve();
  await expect.poll(() => asked).toEqual([other.accountId]);
  expect(await count(stuck.accountId, 'queued')).toBeGreaterThan(50);
  deadNetwork.resolve();
  await expect.poll(() => count(stuck.accountId, 'done')).toBe(60);
});

test('serves the first command of an account before the second of another', async () => {
  const [busy, other] = [await createOwner(database.db, 0), await createOwner(database.db, 0)];
  await ask(busy.accountId, 'list_groups', 5);
  await ask(other.accountId, 'list_groups', 1);
  const asked = await serve();
  await expect.poll(() => asked.length).toBe(6);
  // In the order of the queue it would be the last. Several run at once, so its exact place depends on the machine.
  expect(asked.indexOf(other.accountId)).toBeLessThan(5);
});
