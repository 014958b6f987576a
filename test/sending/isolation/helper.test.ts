/** Fault isolation: bisection of a batch, classification of errors, and quarantine with backoff. */
import { readRows, sql } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { isolateEach, isolateFailures } from '../../../src/platform/database/isolate-failures.ts';
import { clearIdleQuarantine } from '../../../src/platform/database/quarantine.ts';
import { isDataError } from '../../../src/platform/errors/database-errors.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, until } from '../../support/ledger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

const database = await useTestDatabase();
const accountIds: AccountId[] = [];
for (let count = 0; count < 16; count++) accountIds.push((await createOwner(database.db, 1)).accountId);
beforeEach(() => sql`delete from quarantine`.execute(database.db).then(() => undefined));

const idOf = (id: number) => id;

/** Runs a batch in which these accounts fail; notes which accounts each go was for. */
async function runBatch(bad: readonly number[], { error = new RangeError('a bad value'), ids = accountIds } = {}) {
  const goes: number[][] = [];
  const outcome = await isolateFailures(database, 'lanes', ids, {
    idOf,
    async run(some) {
      goes.push([...some]);
      if (some.some((id) => bad.includes(id))) throw error;
      return some.length;
    },
  });
  return { ...outcome, goes, done: outcome.results.reduce((sum, count) => sum + count, 0) };
}

const read = async () => {
  const rows = await readRows<{ account_id: AccountId; failures: number; minutes: number; reason: string }>(
    database.db,
  )`
    select account_id, failures, reason,
           round(extract(epoch from next_try_at - campanile_now()) / 60)::int as minutes
    from quarantine order by account_id`;
  return rows;
};

test('runs a batch that succeeds once', async () => {
  const { goes, done, left } = await runBatch([]);
  expect(goes).toEqual([accountIds]);
  expect([done, left]).toEqual([16, []]);
});

test('finds two accounts at fault by bisection, and completes all others in the same step', async () => {
  const bad = [accountIds[3] ?? 0, accountIds[12] ?? 0];
  const { goes, done, left } = await runBatch(bad);
  expect([done, left]).toEqual([14, bad]);
  expect(goes.length).toBeLessThanOrEqual(2 * 2 * Math.log2(16) + 1);
  expect((await read()).map((row) => row.account_id)).toEqual(bad);
});

test('skips an account in quarantine, and retries it alone with backoff until an attempt succeeds', async () => {
  const [bad = 0] = accountIds;
  await runBatch([bad]);
  expect(await read()).toEqual([{ account_id: bad, failures: 1, minutes: 1, reason: 'a bad value' }]);
  const { goes } = await runBatch([bad]);
  expect(goes).toEqual([accountIds.slice(1)]);
  for (const minutes of [2, 4, 8, 16, 32, 60, 60]) {
    await database.clock.advance({ hours: 1 });
    const tried = await until(
      () => runBatch([bad]),
      (one) => one.goes.length > 1,
    );
    expect(tried.goes).toEqual([accountIds.slice(1), [bad]]);
    expect(await read()).toMatchObject([{ minutes }]);
  }
  await database.clock.advance({ hours: 1 });
  await until(
    () => runBatch([]),
    ({ goes: last }) => last.length > 1,
  );
  expect(await read()).toEqual([]);
  expect((await runBatch([])).goes).toEqual([accountIds]);
});

test('throws when ten or more fail and none succeeds, without a quarantine', async () => {
  await expect(runBatch(accountIds)).rejects.toThrow('a bad value');
  expect(await read()).toEqual([]);
  // Fewer may well be all there are.
  await runBatch(accountIds, { ids: accountIds.slice(0, 9) });
  expect(await read()).toHaveLength(9);
});

test('throws an error that concerns no single item at once', async () => {
  const [bad = 0] = accountIds;
  const error = Object.assign(new Error('deadlock detected'), { code: '40P01' });
  await expect(runBatch([bad], { error: error as RangeError })).rejects.toThrow('deadlock detected');
  expect(await read()).toEqual([]);
});

test('goes on behind a failed item when items are processed one by one', async () => {
  const done: number[] = [];
  const { left } = await isolateEach(database, 'lanes', accountIds.slice(0, 3), {
    idOf,
    async run(id) {
      if (id === accountIds[1]) throw new TypeError('of the wrong shape');
      done.push(id);
    },
  });
  expect([done, left]).toEqual([[accountIds[0], accountIds[2]], [accountIds[1]]]);
});

test('removes a quarantine without work an hour after its retry was due', async () => {
  const [bad = 0] = accountIds;
  await runBatch([bad]);
  await database.clock.advance({ minutes: 60 });
  await clearIdleQuarantine(database.db);
  expect(await read()).toHaveLength(1);
  await database.clock.advance({ minutes: 2 });
  await clearIdleQuarantine(database.db);
  expect(await read()).toEqual([]);
});

describe('an error is about the data', () => {
  const of = (code: string) => Object.assign(new Error('x'), { code });
  test.each(['22003', '23514', 'P0001', '21000', '54000', 'XX000', 'ERR_INVALID_ARG_TYPE'])('with %s', (code) => {
    expect(isDataError(of(code))).toBe(true);
  });
  const nobodysOwn =
    '42703 42P01 42883 42501 40001 40P01 55P03 57014 57P01 53100 08006 25P04 ECONNRESET ETIMEDOUT EPIPE';
  test.each(nobodysOwn.split(' '))('not with %s', (code) => {
    expect(isDataError(of(code))).toBe(false);
  });
  test('where our own code throws it, and not where a connection breaks or work is aborted', () => {
    expect(isDataError(new RangeError('Nowhere/Land'))).toBe(true);
    expect(isDataError(new Error('Connection terminated unexpectedly'))).toBe(false);
    expect(isDataError(new DOMException('stopped', 'AbortError'))).toBe(false);
    expect(isDataError('a string')).toBe(false);
  });
});
