/** Several accounts send one run: their turns are fair, and what each finds does not depend on how much waits for the others. */
import { execute, readRows, type Database } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { lockLedger } from '../../../src/sending/accounts/store.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { returnDeliveries } from '../../../src/sending/deliveries/assign-senders.ts';
import { claimTurns } from '../../../src/sending/deliveries/claim-turns.ts';
import { findDown, findReturnable, hasFailover } from '../../../src/sending/senders/find-down.ts';
import { handOver } from '../../../src/sending/senders/hand-over.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createOwner, sendNow, type Owner } from '../../support/ledger.ts';
import { countReads } from '../../support/rows-read.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { failed, positions, sent, takeTurnsByHand, type Turns } from '../../support/turns.ts';

const GROUPS = 2_000;

let database: TestDatabase;
let db: Database;
/** Rows are counted in transactions of this one. */
let oneConnection: Database;
let turns: Turns;
let workerId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  ({ db } = database);
  oneConnection = connectDatabase(database.address, { log: createLog('silent'), poolSize: 1 });
  turns = await takeTurnsByHand(db);
  const rows = await readRows<{ workerId: number }>(db)`select worker_id as "workerId" from shards limit 1`;
  workerId = rows[0]?.workerId ?? 0;
});
afterAll(async () => {
  await oneConnection.destroy();
  await database.drop();
});

interface Shared {
  owner: Owner;
  second: Owner;
}

/** Two accounts that are members of all groups; the second sends to those that `isOfSecond` picks by their number. */
async function createShared(groups: number, isOfSecond: (number: number) => boolean): Promise<Shared> {
  const owner = await createOwner(db, groups);
  const accountId = await addAccount(db, owner);
  await setSenders(db, owner, [owner.accountId, accountId]);
  const ofSecond = owner.groupIds.filter((_id, index) => isOfSecond(index + 1));
  await execute(db)`
    insert into senders (workspace_id, group_id, account_ids, set_by)
    select ${owner.workspaceId}, g, array[${accountId}::bigint], ${owner.userId} from unnest(${ofSecond}::bigint[]) g`;
  return { owner, second: { ...owner, accountId } };
}

async function takeDown({ accountId }: Owner): Promise<void> {
  await execute(db)`update accounts set status = 'reconnecting' where account_id = ${accountId}`;
  await database.clock.advance({ minutes: 10 });
}

const inLedger = <Answer>({ workspaceId }: Owner, act: (trx: Database) => Promise<Answer>) =>
  db.transaction().execute(async (trx) => {
    await lockLedger(trx, workspaceId);
    return act(trx);
  });

const handAll = (owner: Owner) =>
  inLedger(owner, (trx) =>
    handOver(trx, {
      workspaceId: owner.workspaceId,
      from: owner.accountId,
      isReturnable: true,
      timeZone: 'UTC',
    }),
  );

async function sendOne(owner: Owner): Promise<number> {
  const turn = await turns.claim(owner, { batch: 1 });
  await turns.finish(turn, [sent]);
  return turn.runId;
}

describe('runs of a workspace with two accounts', () => {
  test('take turns at each account, whatever the other one sends', async () => {
    const { owner, second } = await createShared(8, (number) => number % 2 === 0);
    await sendNow(db, owner);
    await sendNow(db, owner);
    const runs: Record<AccountId, number[]> = { [owner.accountId]: [], [second.accountId]: [] };
    for (let turn = 0; turn < 8; turn++)
      for (const one of [owner, second]) runs[one.accountId]?.push(await sendOne(one));
    for (const own of Object.values(runs)) {
      const [first, next] = own;
      expect(first).not.toBe(next);
      expect(own).toEqual(own.map((_run, index) => (index % 2 === 0 ? first : next)));
    }
  });

  test('wait for one turn of the account at most when they are urgent', async () => {
    const { owner, second } = await createShared(8, (number) => number % 2 === 0);
    await sendNow(db, owner);
    const large = await sendOne(second);
    await sendOne(owner);
    await sendNow(db, owner);
    expect(await sendOne(second)).not.toBe(large);
    expect(await sendOne(owner)).not.toBe(large);
  });

  test('are sent by each account in the order of the run, however far the other one has come', async () => {
    const { owner, second } = await createShared(8, (number) => number % 2 === 0);
    await sendNow(db, owner);
    const ahead = await turns.claim(second, { batch: 2 });
    expect(positions(ahead)).toEqual([2, 4]);
    await turns.finish(ahead, [sent, sent]);
    const sentByOwner: number[] = [];
    for (let turn = 0; turn < 4; turn++) {
      const next = await turns.claim(owner, { batch: 1 });
      sentByOwner.push(...positions(next));
      await turns.finish(next, [sent]);
    }
    expect(sentByOwner).toEqual([1, 3, 5, 7]);
    expect(positions(await turns.claim(second))).toEqual([6, 8]);
  });

  test('are sent from where they begin by an account that takes over what comes before its own', async () => {
    const { owner, second } = await createShared(8, (number) => number > 4);
    await sendNow(db, owner);
    await turns.finish(await turns.claim(second, { batch: 2 }), [sent, sent]);
    await takeDown(owner);
    expect(await handAll(owner)).toBe(4);
    expect(positions(await turns.claim(second))).toEqual([1, 2, 3, 4, 7, 8]);
  });

  test('lose nothing when an account is added, and when another one sends first what comes last', async () => {
    const owner = await createOwner(db, 6);
    await sendNow(db, owner);
    await sendOne(owner);
    const accountId = await addAccount(db, owner);
    const second = { ...owner, accountId };
    await takeDown(owner);
    expect(await handAll(owner)).toBe(5);
    await turns.drain(second, () => sent);
    const rows = await readRows<{ status: string; queued: number }>(db)`
      select status, queued from runs where workspace_id = ${owner.workspaceId}`;
    expect(rows).toEqual([{ status: 'completed', queued: 0 }]);
  });

  test('are handed over and return, too, when they are tried again and began with one account', async () => {
    const owner = await createOwner(db, 3);
    const campaign = await sendNow(db, owner);
    await turns.drain(owner, () => failed);
    const second = { ...owner, accountId: await addAccount(db, owner) };
    await retryCampaign({ db }, owner, campaign);
    await takeDown(owner);
    const shards = [owner.workspaceId % 256];
    expect(await findDown(db, shards)).toMatchObject([{ accountId: owner.accountId }]);
    expect(await handAll(owner)).toBe(3);
    await sendOne(second);
    await execute(db)`update accounts set status = 'connected' where account_id = ${owner.accountId}`;
    const [returning] = await findReturnable(db, shards);
    expect(returning).toMatchObject({ accountId: owner.accountId });
    if (returning) await inLedger(owner, (trx) => returnDeliveries(trx, returning, 'UTC'));
    expect((await turns.claim(owner)).deliveries).toHaveLength(2);
  });
});

describe.each(['without statistics', 'with statistics'])('%s', (which) => {
  const analyze = async () => {
    if (which === 'with statistics') await execute(db)`analyze`;
  };
  const readsOfClaim = async ({ accountId }: Owner) => {
    const shards = [accountId % 256];
    const { answer, reads } = await countReads(oneConnection, (trx) =>
      claimTurns(trx, { workerId, shards, lanes: 10, batch: 1, paced: [] }),
    );
    return { turn: answer.turns.find((turn) => turn.accountId === accountId), reads };
  };

  test('a claim reads few rows, however much waits for the other account or was sent', async () => {
    const { owner, second } = await createShared(GROUPS, (number) => number > GROUPS / 2);
    await sendNow(db, owner);
    await analyze();
    const first = await readsOfClaim(second);
    expect(first.turn?.deliveries).toMatchObject([{ position: GROUPS / 2 + 1 }]);
    expect(first.reads).toBeLessThan(40);
    if (first.turn) await turns.finish(first.turn, [sent]);
    // The first account has sent nothing yet.
    const many = await turns.claim(second, { batch: 900 });
    await turns.finish(
      many,
      many.deliveries.map(() => sent),
    );
    const later = await readsOfClaim(second);
    expect(later.turn?.deliveries).toMatchObject([{ position: GROUPS / 2 + 902 }]);
    expect(later.reads).toBeLessThan(40);
    if (later.turn) await turns.finish(later.turn, [sent]);
    const other = await readsOfClaim(owner);
    expect(other.turn?.deliveries).toMatchObject([{ position: 1 }]);
    expect(other.reads).toBeLessThan(40);
    if (other.turn) await turns.finish(other.turn, [sent]);
  });

  test('a claim reads no attempts that wait for another account', async () => {
    const { owner, second } = await createShared(GROUPS, (number) => number === GROUPS);
    await sendNow(db, owner);
    const tried = await turns.claim(owner, { batch: 900 });
    await turns.finish(
      tried,
      tried.deliveries.map(() => ({ kind: 'retry', waitMs: 0, reason: 'the connection broke', uncertain: true })),
    );
    await analyze();
    const { turn, reads } = await readsOfClaim(second);
    expect(turn?.deliveries).toMatchObject([{ position: GROUPS }]);
    expect(reads).toBeLessThan(40);
    if (turn) await turns.finish(turn, [sent]);
  });

  /** Far fewer than `GROUPS`: three looks, each at the accounts and runs of the workspaces of this database. */
  const LOOKS = 400;
  test('a look for accounts that are down reads few rows while one stays down', async () => {
    const { owner } = await createShared(GROUPS, () => false);
    await execute(db)`update workspaces set failover_minutes = 1 where workspace_id = ${owner.workspaceId}`;
    await sendNow(db, owner);
    // Its worker dies with a post in hand, which stays with the account.
    await turns.claim(owner, { batch: 1 });
    await turns.takeOver(owner);
    await takeDown(owner);
    await analyze();
    const shards = [owner.workspaceId % 256];
    const looks = async (trx: Database) => {
      const down = await findDown(trx, shards);
      const returnable = await findReturnable(trx, shards);
      const rows = await readRows<{ due: boolean }>(trx)`select ${hasFailover(shards)} as due`;
      const isOwn = (one: { workspaceId: number }) => one.workspaceId === owner.workspaceId;
      return { down: down.filter(isOwn).length, returnable: returnable.filter(isOwn).length, due: rows[0]?.due };
    };
    const before = await countReads(oneConnection, looks);
    expect(before.answer).toMatchObject({ down: 1, returnable: 0 });
    expect(before.reads).toBeLessThan(LOOKS);
    expect(await handAll(owner)).toBe(GROUPS - 1);
    const after = await countReads(oneConnection, looks);
    expect(after.answer).toMatchObject({ down: 0, returnable: 0 });
    expect(after.reads).toBeLessThan(LOOKS);
    await execute(db)`update accounts set status = 'connected' where account_id = ${owner.accountId}`;
    const back = await countReads(oneConnection, looks);
    expect(back.answer).toMatchObject({ down: 0, returnable: 1 });
    expect(back.reads).toBeLessThan(LOOKS);
    const returning = (await findReturnable(db, shards)).find((one) => one.workspaceId === owner.workspaceId);
    if (returning) await inLedger(owner, (trx) => returnDeliveries(trx, returning, 'UTC'));
    expect((await countReads(oneConnection, looks)).answer).toMatchObject({ returnable: 0 });
    const rows = await readRows<{ count: number }>(db)`
      select count(*)::int as count from deliveries
      where workspace_id = ${owner.workspaceId} and account_id = ${owner.accountId}`;
    expect(rows).toEqual([{ count: GROUPS }]);
  });
});
