import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { claimShards } from '../../../src/sending/leases/lease-store.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, sendNow } from '../../support/ledger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();

test('a worker hands over its surplus of shards, and one with a turn in hand after the turn', async () => {
  const { db } = database;
  // Surplus shards are taken from the last one down.
  await execute(db)`select setval(pg_get_serial_sequence('accounts', 'account_id'), 254)`;
  const owner = await createOwner(db, 1);
  expect(owner.accountId % 256).toBe(255);
  const turns = await takeTurnsByHand(db);
  await sendNow(db, owner);
  const turn = await turns.claim(owner);
  const rows = await readRows<{ id: number }>(db)`select worker_id as id from workers`;
  await execute(db)`insert into workers (name) values ('another')`;
  // Leases longer than any test, so that neither worker seems dead.
  const held = () => claimShards(db, rows[0]?.id ?? 0, { leaseMs: 3_600_000, requeueShards: () => Promise.resolve() });
  expect((await held()).has(255)).toBe(true);
  await turns.finish(turn, [sent]);
  // Its share is full, so another shard would have to be surplus.
  await execute(db)`update shards set worker_id = ${rows[0]?.id ?? 0}`;
  expect((await held()).has(255)).toBe(false);
});
