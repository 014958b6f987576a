/** Poison message: in each batch over many accounts one of them fails. All others go on, and it does, once it is mended. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BATCHES } from '../../../src/platform/database/quarantine.ts';
import { createTestDatabase } from '../../support/database.ts';
import { createOwner, until, type Owner } from '../../support/ledger.ts';
import { plantPoison, POISONED } from '../../support/poison.ts';
import { takeTurnsByHand } from '../../support/turns.ts';
import type { Case, Scene } from './cases.ts';
import { SENDING } from './sending.ts';
import { NOTIFYING } from './notifying.ts';
import { UPKEEP } from './upkeep.ts';

const CASES: Case[] = [...SENDING, ...NOTIFYING, ...UPKEEP];

const readQuarantine = async ({ db }: Scene, batch: string) => {
  const rows = await readRows<{ id: number; reason: string; failures: number }>(db)`
    select coalesce(account_id, workspace_id, user_id) as id, reason, failures from quarantine where batch = ${batch}`;
  return rows;
};

describe.each(CASES)('$batch', ({ batch, poison, prepare, step, start, isDone }) => {
  let scene: Scene;
  beforeAll(async () => {
    const database = await createTestDatabase();
    scene = { database, db: database.db, turns: await takeTurnsByHand(database.db) };
  });
  afterAll(() => scene.database.drop());

  test('isolates a failing account, which goes on once its data is repaired', async () => {
    const owners: Owner[] = [];
    for (let count = 0; count < 4; count++) owners.push(await createOwner(scene.db, 3));
    // The oldest, so that a step that takes the oldest first takes it.
    const [bad, ...good] = owners;
    if (!bad) throw new Error('there is nobody');
    await prepare(scene, owners);
    const mend = await plantPoison(scene.db, poison(bad));
    const stop = await start?.(scene, owners);
    // A step that throws is tried again, as by its loop.
    const stepUntil = (holds: () => Promise<boolean>) =>
      until(async () => {
        await step?.(scene, owners).catch(() => undefined);
        return holds();
      }, Boolean);
    const areDone = async () => (await Promise.all(good.map((owner) => isDone(scene, owner)))).every(Boolean);
    try {
      await stepUntil(areDone);
      await stepUntil(async () => (await readQuarantine(scene, batch)).length > 0);
      const ids = { account: bad.accountId, workspace: bad.workspaceId, user: bad.userId };
      expect(await readQuarantine(scene, batch)).toMatchObject([
        { id: ids[BATCHES[batch]], reason: expect.stringContaining(POISONED), failures: 1 },
      ]);
      expect(await isDone(scene, bad)).toBe(false);
      await mend();
      await scene.database.clock.advance({ minutes: 1, seconds: 1 });
      await stepUntil(() => isDone(scene, bad));
      await stepUntil(async () => (await readQuarantine(scene, batch)).length === 0);
    } finally {
      await stop?.();
    }
  });
});
