import { execute } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { warnOfCap } from '../../../src/sending/campaigns/accept/warn-of-windows.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, sendNow } from '../../support/ledger.ts';
import { takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();

test('counts a post that is being sent once against the daily cap', async () => {
  const { db, clock } = database;
  await clock.set('2031-05-31T12:00:00Z');
  const owner = await createOwner(db, 3);
  await execute(db)`update accounts set daily_cap = 5 where account_id = ${owner.accountId}`;
  const turns = await takeTurnsByHand(db);
  await sendNow(db, owner);
  const now = new Date('2031-05-31T12:00:00Z');
  const planned = (groups: number) =>
    warnOfCap(db, {
      workspaceId: owner.workspaceId,
      shares: [{ accountId: owner.accountId, name: null, groups }],
      dueAt: [now],
      except: undefined,
      resting: [],
      timeZone: 'UTC',
      now,
    });
  expect(await planned(2)).toEqual([]);
  const turn = await turns.claim(owner, { batch: 1 });
  expect(turn.deliveries).toHaveLength(1);
  expect(await planned(2)).toEqual([]);
  expect(await planned(3)).toMatchObject([{ params: { cap: 5, posts: 6 } }]);
});
