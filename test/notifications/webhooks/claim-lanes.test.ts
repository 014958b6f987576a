/** Two processes look for due webhooks at once. */
import { expect, test } from 'vitest';
import { claimLanes } from '../../../src/notifications/webhooks/lane-store.ts';
import { execute } from '../../../src/platform/database/statements.ts';
import { createVault } from '../../../src/platform/secrets/secret-box.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, until } from '../../support/ledger.ts';
import { insertWebhook } from '../../support/webhooks.ts';

const database = await useTestDatabase();
const { db } = database;
const limits = { isSlow: false, perWorkspace: 10 };
const claiming = { busy: [], room: 10, owners: { skipped: [], wanted: null } };

test('a webhook that another process has claimed since it was found is not claimed again', async () => {
  const owner = await createOwner(db, 1);
  const id = await insertWebhook(db, createVault({ key: Buffer.alloc(32, 3) }), owner, 'https://example.org/');
  await execute(db)`update webhooks set newest = 1`;
  // On a connection with this schema in front, a look for due webhooks waits at the clock, while its snapshot stays.
  await execute(db)`create schema slow`;
  await execute(db)`
    create function slow.campanile_now() returns timestamptz language plpgsql volatile as $$
    begin
      perform pg_advisory_xact_lock_shared(1);
      return public.campanile_now();
    end $$`;
  await db.connection().execute(async (holder) => {
    await execute(holder)`select pg_advisory_lock(1)`;
    const slow = db.connection().execute(async (connection) => {
      await execute(connection)`set search_path = slow, public`;
      const lanes = await claimLanes(connection, limits, claiming);
      await execute(connection)`reset search_path`;
      return lanes;
    });
    await until(
      () => countBlocked(db),
      (blocked) => blocked > 0,
    );
    expect(await claimLanes(db, limits, claiming)).toMatchObject([{ webhookId: id, claim: 1 }]);
    await execute(holder)`select pg_advisory_unlock(1)`;
    expect(await slow).toEqual([]);
  });
});
