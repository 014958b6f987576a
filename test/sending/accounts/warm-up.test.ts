/** A number that is new to groups sends a few posts on its first day, and more on each of two weeks. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { updateAccount } from '../../../src/sending/accounts/update-account.ts';
import { capOn, WARM_UP_CAPS } from '../../../src/sending/accounts/warm-up.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { startTestApp, type Person, type TestApp } from '../../support/app.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, sendNow, startTestWorker } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const DAY = Temporal.PlainDate.from('2027-04-01');
const on = (day: number) => DAY.add({ days: day - 1 });

describe('the limit of a day', () => {
  test('is 30 on the first day, grows each day, and ends after two weeks', () => {
    const caps = Array.from({ length: 16 }, (_, index) => capOn({ dailyCap: null, warmUpFrom: DAY }, on(index + 1)));
    expect(caps).toEqual([...WARM_UP_CAPS, null, null]);
    expect(caps.slice(0, 2)).toEqual([30, 40]);
    expect(WARM_UP_CAPS).toEqual(WARM_UP_CAPS.toSorted((one, other) => one - other));
    expect(WARM_UP_CAPS).toHaveLength(14);
  });

  test('is the smaller of the warm-up limit and the daily cap', () => {
    const limits = { dailyCap: 35, warmUpFrom: DAY };
    expect([1, 2, 15].map((day) => capOn(limits, on(day)))).toEqual([30, 35, 35]);
    expect(capOn({ dailyCap: 35 }, DAY)).toBe(35);
    expect(capOn({ dailyCap: null, warmUpFrom: null }, DAY)).toBe(null);
  });

  test('is that of the first day after a move to a zone where it is the day before', () => {
    expect(capOn({ dailyCap: null, warmUpFrom: DAY }, on(0))).toBe(30);
  });
});

describe('the number of posts a day', () => {
  let database: TestDatabase;
  let worker: Worker;
  beforeAll(async () => {
    database = await createTestDatabase();
    worker = await startTestWorker(database, scriptMessenger());
  });
  afterAll(async () => {
    await worker.stop();
    await database.drop();
  });

  test('stays within the limit of each day until the warm-up ends', async () => {
    const { db } = database;
    await database.clock.set('2027-04-01T10:00:00Z');
    const alice = await createOwner(db, 90);
    const change = (warmUp?: boolean) => updateAccount({ db, timeZone: 'UTC' }, alice, { warmUp });
    expect(await change(true)).toMatchObject({ capToday: 30, sentToday: 0, until: null });
    const id = await sendNow(db, alice);
    const hasSent = (count: number) => analyticsWhen(db, alice, id, ({ totals }) => totals.sent === count);
    await hasSent(30);
    const rests = await change();
    expect(rests.until?.toString()).toBe('2027-04-02T00:00:00Z');
    await database.clock.set('2027-04-02T10:30:00Z');
    await hasSent(70);
    expect(await change()).toMatchObject({ capToday: 40, sentToday: 40 });
    expect(await change(false)).toMatchObject({ capToday: null, warmUpFrom: null });
    await hasSent(90);
  });

  test('is not limited after two weeks', async () => {
    const { db } = database;
    await database.clock.set('2027-05-01T10:00:00Z');
    const alice = await createOwner(db, 40);
    await updateAccount({ db, timeZone: 'UTC' }, alice, { warmUp: true });
    await database.clock.set('2027-05-14T23:00:00Z');
    expect(await updateAccount({ db, timeZone: 'UTC' }, alice, {})).toMatchObject({ capToday: 850 });
    await database.clock.set('2027-05-15T00:00:00Z');
    const over = await updateAccount({ db, timeZone: 'UTC' }, alice, {});
    expect(over).toMatchObject({ capToday: null, warmUpFrom: null, sentToday: null });
    const id = await sendNow(db, alice);
    await analyticsWhen(db, alice, id, ({ totals }) => totals.sent === 40);
  });
});

describe('over HTTP', () => {
  interface Rests {
    daily_cap: number | null;
    sent_today: number | null;
    warm_up?: { day: number; daily_caps: number[]; ends_on: string };
  }
  let app: TestApp;
  let alice: Person;
  let people = 0;
  beforeAll(async () => {
    app = await startTestApp({ timeZone: 'Europe/Paris' });
  });
  beforeEach(async () => {
    await app.database.clock.set('2027-06-01T21:30:00Z');
    alice = await app.signUp(`alice${++people}`);
  });
  afterAll(() => app.stop());
  const rests = async (body: object = {}) => (await alice.call<Rests>('venom/update-account', body)).body.data;

  test('has no warm-up by default', async () => {
    await alice.call('venom/connect-account', {});
    expect(await rests()).not.toHaveProperty('warm_up');
  });

  test('begins a warm-up by connect-account, and connecting again does not restart or end it', async () => {
    await alice.call('venom/connect-account', { warm_up: true });
    expect((await rests()).warm_up).toEqual({
      day: 1,
      daily_caps: [...WARM_UP_CAPS],
      ends_on: '2027-06-15',
      gap_seconds: { min: 0, max: 0 },
    });
    await app.database.clock.set('2027-06-01T22:00:00Z');
    await alice.call('venom/connect-account', { warm_up: true });
    await alice.call('venom/connect-account', { warm_up: null });
    expect(await rests()).toMatchObject({ sent_today: 0, warm_up: { day: 2, ends_on: '2027-06-15' } });
    await alice.call('venom/connect-account', { warm_up: false });
    expect(await rests()).not.toHaveProperty('warm_up');
  });

  test('begins and ends a warm-up by update-account, whatever the daily cap', async () => {
    expect(await rests({ daily_cap: 10, warm_up: true })).toMatchObject({ daily_cap: 10, warm_up: { day: 1 } });
    expect(await rests({ daily_cap: 'none' })).toMatchObject({ sent_today: 0, warm_up: { day: 1 } });
    expect(await rests({ warm_up: false })).toMatchObject({ daily_cap: null, sent_today: null });
    expect((await alice.call('venom/update-account', { warm_up: 'yes' })).status).toBe(400);
  });

  test('can begin a warm-up again after the first is over', async () => {
    await rests({ warm_up: true });
    await app.database.clock.set('2027-06-20T12:00:00Z');
    expect(await rests()).not.toHaveProperty('warm_up');
    expect((await rests({ warm_up: true })).warm_up).toMatchObject({ day: 1, ends_on: '2027-07-04' });
  });
});
