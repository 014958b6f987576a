import { execute, readValue } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import type { Messenger } from '../../../src/messengers/messenger.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { eraseDeletedUsers } from '../../../src/sending/erasure/erase-deleted-users.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, until } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const database = await useTestDatabase();

test('has every messenger forget a deleted user, until nothing is left', async () => {
  const { accountId, userId } = await createOwner(database.db, 1);
  /** What each messenger still has of the user. */
  const left = { sandbox: 2, whatsapp: 3 };
  const forgetful = (name: keyof typeof left): Messenger => ({
    ...scriptMessenger(),
    name,
    forget: async (id) => {
      if (id !== accountId || left[name] === 0) return false;
      left[name] -= 1;
      return true;
    },
  });
  await execute(database.db)`update users set deleted_at = campanile_now() where user_id = ${userId}`;
  const erasing = eraseDeletedUsers({
    db: database.db,
    log: createLog('silent'),
    notifications: { on: () => undefined, close: () => Promise.resolve() },
    leases: { shards: () => EVERY_SHARD },
    sessions: { closeUnless: () => Promise.resolve() },
    messengers: new Map([
      ['sandbox', forgetful('sandbox')],
      ['whatsapp', forgetful('whatsapp')],
    ]),
  });
  await until(async () => {
    return readValue<boolean>(database.db)`
        select erased_at is not null as erased from users where user_id = ${userId}`;
  }, true);
  await erasing.stop();
  expect(left).toEqual({ sandbox: 0, whatsapp: 0 });
});
