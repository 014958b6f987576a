/** Concurrent commands of several accounts to their sessions. */
import { execute, readValue } from '../../../src/platform/database/statements.ts';
import { afterEach, expect, test } from 'vitest';
import { serveCommands } from '../../../src/sending/sessions/command-handler.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import type { MessengerSession } from '../../../src/messengers/messenger.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const ALL_SHARDS = Array.from({ length: 256 }, (_, shard) => shard);

let deadNetwork = Promise.withResolvers<void>();
let serving: { stop(): Promise<void> } | undefined;
const database = await useTestDatabase();
afterEach(async () => {
  deadNetwork.resolve();
  await serving?.stop();
  deadNetwork = Promise.withResolvers<void>();
  await execute(database.db)`delete from account_commands`;
});

/** Serves commands with sessions whose linking hangs until the network is back, and notes whose groups were asked for. */
async function serve() {
  const asked: number[] = [];
  const session = await scriptMessenger().open({} as never, () => undefined);
  serving = serveCommands({
    db: database.db,
    log: createLog('silent'),
    notifications: { on: () => undefined },
    leases: { shards: () => ALL_SHARDS, workerId: () => 1 },
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
  await execute(database.db)`
    insert into account_commands (account_id, kind, input)
    select ${accountId}, ${kind}, ${JSON.stringify(input)}::jsonb from generate_series(1, ${count}::int)`;
}

const count = (accountId: AccountId, status: string) => readValue<number>(database.db)`
      select count(*) from account_commands where account_id = ${accountId} and status = ${status}::command_status`;

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

test('withdraws a command that nobody waits for any more', async () => {
  const [gone, other] = [await createOwner(database.db, 0), await createOwner(database.db, 0)];
  await ask(gone.accountId, 'list_groups', 1);
  await database.clock.advance({ hours: 1 });
  await ask(other.accountId, 'list_groups', 1);
  const asked = await serve();
  await expect.poll(() => count(gone.accountId, 'abandoned')).toBe(1);
  await expect.poll(() => count(other.accountId, 'done')).toBe(1);
  expect(asked).toEqual([other.accountId]);
});
