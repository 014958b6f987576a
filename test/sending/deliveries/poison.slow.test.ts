import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { MAX_INTERRUPTED_ATTEMPTS, createSuspectSender } from '../../../src/sending/deliveries/send-poison-suspects.ts';
import { createTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, groupNumber, sendNow, type Owner } from '../../support/ledger.ts';
import { positions, sent, takeTurnsByHand, type Turns } from '../../support/turns.ts';

let turns: Turns;
const database = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), 'campanile-poison-'));
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Starts workers one after the other until the campaign has ended; resolves to how many died, and to which groups was sent. */
async function sendWithWorkersThatDie(owner: Owner, campaign: string, poison: number) {
  const file = join(folder, campaign);
  const chat = `${owner.accountId}-${poison}@g.us`;
  const program = join(import.meta.dirname, '../../support/service/poisoned-worker.ts');
  for (let deaths = 0; deaths <= MAX_INTERRUPTED_ATTEMPTS + 2; deaths++) {
    const child = spawn(process.execPath, [program, JSON.stringify(database.address), chat, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const died = once(child, 'exit').then(() => true);
    const hasEnded = async () => (await getCampaign(database, owner, campaign)).finishedAt !== null;
    for (;;) {
      if (await hasEnded()) {
        child.kill('SIGKILL');
        await died;
        const lines = (await readFile(file, 'utf8')).trim().split('\n');
        return { deaths, groups: lines.map(groupNumber) };
      }
      if (await Promise.race([died, new Promise((resolve) => setTimeout(resolve, 20, false))])) break;
    }
  }
  throw new Error('the delivery was tried for ever');
}

describe('a delivery whose sending kills the worker', () => {
  test('fails after five interrupted attempts, and no other delivery is affected', async () => {
    const owner = await createOwner(database.db, 30);
    const campaign = await sendNow(database.db, owner);
    const { deaths, groups } = await sendWithWorkersThatDie(owner, campaign, 7);
    expect(deaths).toBe(MAX_INTERRUPTED_ATTEMPTS);
    expect(groups.filter((group) => group === 7)).toHaveLength(MAX_INTERRUPTED_ATTEMPTS);
    const found = await analyticsOf(database.db, owner, campaign);
    expect(found.totals).toMatchObject({ sent: 29, failed: 1, queued: 0 });
    expect(found.groups[6]?.lastError).toMatch(
      /^outcome_unknown: its sending was interrupted 5 times, so it may crash the worker\. /,
    );
    // At most the deliveries before it in its turn were in hand when the first worker died.
    const repeated = groups.filter((group, index) => groups.indexOf(group) !== index && group !== 7);
    expect(repeated.filter((group) => group > 7)).toEqual([]);
    expect(repeated).toHaveLength(new Set(repeated).size);
  });
});

describe('turns taken over', () => {
  beforeAll(async () => {
    turns = await takeTurnsByHand(database.db);
  });

  test('are followed by turns of one delivery each, and then by whole turns again', async () => {
    const owner = await createOwner(database.db, 6);
    await sendNow(database.db, owner);
    await turns.claim(owner, { batch: 3 });
    await turns.takeOver(owner);
    for (const position of [1, 2, 3]) {
      const turn = await turns.claim(owner);
      expect(positions(turn)).toEqual([position]);
      await turns.finish(turn, [sent]);
    }
    expect(positions(await turns.claim(owner))).toEqual([4, 5, 6]);
  });

  test('keep the deliveries before the first suspect together', async () => {
    const owner = await createOwner(database.db, 5);
    await sendNow(database.db, owner);
    const first = await turns.claim(owner, { batch: 2 });
    await turns.finish(first, [{ kind: 'retry', waitMs: 0, reason: 'busy', uncertain: false }, sent]);
    await turns.finish(await turns.claim(owner, { batch: 1 }), [
      { kind: 'retry', waitMs: 60_000, reason: 'busy', uncertain: false },
    ]);
    await turns.claim(owner, { batch: 1 });
    await turns.takeOver(owner);
    await database.clock.advance({ minutes: 1 });
    const together = await turns.claim(owner);
    expect(positions(together)).toEqual([1]);
    await turns.finish(together, [sent]);
    expect(positions(await turns.claim(owner))).toEqual([3]);
  });

  test('count a delivery at most twice while it was not alone, and zero after a completed attempt', async () => {
    const owner = await createOwner(database.db, 2);
    await sendNow(database.db, owner);
    for (let times = 0; times < MAX_INTERRUPTED_ATTEMPTS + 3; times++) {
      await turns.claim(owner);
      await turns.takeOver(owner);
    }
    const turn = await turns.claim(owner);
    expect(turn.deliveries).toMatchObject([{ position: 1, interruptedAttempts: 2, uncertain: true }]);
    await turns.finish(turn, [{ kind: 'retry', waitMs: 0, reason: 'busy', uncertain: false }]);
    const again = await turns.claim(owner);
    expect(again.deliveries[0]).toMatchObject({ position: 1, interruptedAttempts: 0, uncertain: true });
  });
});

describe('a suspect', () => {
  const suspectOf = async (interruptions: number) => {
    const owner = await createOwner(database.db, 1);
    await sendNow(database.db, owner);
    for (let times = 0; times < interruptions; times++) {
      await turns.claim(owner);
      await turns.takeOver(owner);
    }
    return { owner, turn: await turns.claim(owner) };
  };
  const ok = { kind: 'sent', recipients: 2 } as const;

  test('is sent while no other suspect is, in the order they came', async () => {
    const tryOne = createSuspectSender(database);
    const suspects = [await suspectOf(2), await suspectOf(2), await suspectOf(2)];
    const free = await suspectOf(1);
    let trying = 0;
    const order: number[] = [];
    const gate = Promise.withResolvers<void>();
    const tried = suspects.map(({ turn }) =>
      tryOne(turn, async () => {
        expect(++trying).toBe(1);
        await gate.promise;
        order.push(turn.accountId);
        trying -= 1;
        return [ok];
      }),
    );
    expect(await tryOne(free.turn, async () => [ok])).toEqual([ok]);
    gate.resolve();
    expect(await Promise.all(tried)).toEqual([[ok], [ok], [ok]]);
    expect(order).toEqual(suspects.map(({ turn }) => turn.accountId));
  });

  test('is not sent after its turn was taken away, or after five interrupted attempts', async () => {
    const tryOne = createSuspectSender(database);
    const lost = await suspectOf(2);
    await turns.takeOver(lost.owner);
    const never = () => Promise.reject(new Error('it was sent'));
    expect(await tryOne(lost.turn, never)).toMatchObject([{ kind: 'offline' }]);
    const poison = await suspectOf(2);
    for (const one of poison.turn.deliveries) one.interruptedAttempts = MAX_INTERRUPTED_ATTEMPTS;
    expect(await tryOne(poison.turn, never)).toMatchObject([{ kind: 'refused', final: true }]);
  });

  test('is not counted when its account was offline', async () => {
    const tryOne = createSuspectSender(database);
    const { owner, turn } = await suspectOf(2);
    await tryOne(turn, async () => [{ kind: 'offline', reason: 'away', cooldownMs: 0 }]);
    await turns.finish(turn, [{ kind: 'snooze', cooldownMs: 0 }]);
    const again = await turns.claim(owner);
    expect(again.deliveries).toMatchObject([{ interruptedAttempts: 2, attempts: 0, uncertain: true }]);
    await tryOne(again, async () => [ok]);
    await turns.takeOver(owner);
    expect((await turns.claim(owner)).deliveries).toMatchObject([{ interruptedAttempts: 3 }]);
  });
});
