/** A worker that stops while outcomes of an account wait in quarantine. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, sendNow, startTestWorker, until } from '../../support/ledger.ts';
import { plantPoison } from '../../support/poison.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const database = await useTestDatabase();

const countQuarantined = async () => {
  const rows = await readRows(database.db)`select from quarantine where batch = 'outcomes'`;
  return rows.length;
};

test('stops at once, and the next worker takes the turn over as uncertain', async () => {
  const owner = await createOwner(database.db, 1);
  const campaign = await sendNow(database.db, owner);
  const poison = { table: 'deliveries', column: 'workspace_id', value: owner.workspaceId, on: 'update' } as const;
  const mend = await plantPoison(database.db, poison);
  const messenger = scriptMessenger();
  const first = await startTestWorker(database, messenger);
  await until(countQuarantined, (count) => count === 1);
  await first.stop();
  await mend();

  const next = await startTestWorker(database, messenger);
  await until(() => messenger.arrivals.length, 2);
  // The outcome of before is held against the account until its next try is due.
  await database.clock.advance({ minutes: 1, seconds: 1 });
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 1);
  await until(countQuarantined, (count) => count === 0);
  await next.stop();
  const [sent, again] = messenger.arrivals;
  expect(sent).toMatchObject({ uncertain: false });
  expect(again).toMatchObject({ uncertain: true, messageId: sent?.messageId });
});
