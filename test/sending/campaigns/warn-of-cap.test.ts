import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { warnOfCap } from '../../../src/sending/campaigns/accept/warn-of-cap.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, sendNow } from '../../support/ledger.ts';
import { takeTurnsByHand } from '../../support/turns.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('counts a post that is being sent once against the daily cap', async () => {
  const { db, clock } = database;
  await clock.set('2031-05-31T12:00:00Z');
  const owner = await createOwner(db, 3);
  await sql`update accounts set daily_cap = 5 where account_id = ${owner.accountId}`.execute(db);
  const turns = await takeTurnsByHand(db);
  await sendNow(db, owner);
  const now = new Date('2031-05-31T12:00:00Z');
  const planned = (groups: number) =>
    warnOfCap(db, {
      workspaceId: owner.workspaceId,
      shares: [{ accountId: owner.accountId, groups }],
      dueAt: [now],
      except: undefined,
      resting: [],
      timeZone: 'UTC',
      now,
    });
  expect(await planned(2)).toBeUndefined();
  const turn = await turns.claim(owner, { batch: 1 });
  expect(turn.deliveries).toHaveLength(1);
  expect(await planned(2)).toBeUndefined();
  expect(await planned(3)).toMatchObject({ params: { cap: 5, posts: 6 } });
});
