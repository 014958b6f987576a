/** Quiet hours and a daily cap: deliveries wait, and the rules about late ones hold all the same. */
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { updateAccount, type SendWindowChange } from '../../../src/sending/accounts/update-account.ts';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import { sweepRuns } from '../../../src/sending/campaigns/begin/expire-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  analyticsWhen,
  convert,
  createOwner,
  groupNumber,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const ALL_SHARDS = Array.from({ length: 256 }, (_, shard) => shard);

const database = await useTestDatabase();
const messenger = scriptMessenger();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());

const rest = (owner: Owner, change: SendWindowChange) =>
  updateAccount({ db: database.db, timeZone: 'UTC' }, owner, change);
const night = { quietHours: { from: '22:00', to: '07:00' } };
const arrivedOf = ({ accountId }: Owner) =>
  messenger.arrivals.filter(({ chatId }) => chatId.startsWith(`${accountId}-`)).length;

/** When the account's lane is looked at next; null: something is in hand, or nothing is left. */
async function wakesAt({ accountId }: Owner): Promise<string | undefined> {
  const rows = await readRows<{ wake_at: Date | null }>(database.db)`
    select wake_at from lanes where account_id = ${accountId}`;
  return rows[0]?.wake_at?.toISOString();
}

/** Resolves once the lane has been put to sleep. */
async function hasGoneToSleep(owner: Owner): Promise<void> {
  const now = await database.clock.now();
  await until(
    () => wakesAt(owner),
    (at) => at !== undefined && Date.parse(at) - now.getTime() > 60_000,
  );
}

describe('in quiet hours', () => {
  test('holds posts until they end, while other accounts send', async () => {
    await database.clock.set('2027-03-01T21:59:00Z');
    const [alice, bob] = [await createOwner(database.db, 3), await createOwner(database.db, 3)];
    const answer = await rest(alice, night);
    expect(answer).toMatchObject({ quietHours: night.quietHours, dailyCap: null, timeZone: 'UTC', until: null });
    const evening = await sendNow(database.db, alice);
    await analyticsWhen(database.db, alice, evening, ({ totals }) => totals.sent === 3);
    await database.clock.set('2027-03-01T22:00:00Z');
    const [hers, his] = [await sendNow(database.db, alice), await sendNow(database.db, bob)];
    await analyticsWhen(database.db, bob, his, ({ totals }) => totals.sent === 3);
    await hasGoneToSleep(alice);
    expect(arrivedOf(alice)).toBe(3);
    await database.clock.set('2027-03-02T06:59:00Z');
    await until(
      () => wakesAt(alice),
      (at) => at?.startsWith('2027-03-02T07:00:00') ?? false,
    );
    expect((await analyticsOf(database.db, alice, hers)).totals).toMatchObject({ queued: 3, sent: 0 });
    await database.clock.set('2027-03-02T07:00:00Z');
    await analyticsWhen(database.db, alice, hers, ({ totals }) => totals.sent === 3);
  });

  test('begins due runs, which wait longer than six hours without being missed', async () => {
    await database.clock.set('2027-03-03T12:00:00Z');
    const alice = await createOwner(database.db, 2);
    await rest(alice, night);
    const id = await schedule(database.db, alice, { startDate: '2027-03-03', endDate: '2027-03-03', time: '22:30:00' });
    await database.clock.set('2027-03-03T22:30:01Z');
    await analyticsWhen(database.db, alice, id, ({ runs }) => runs[0]?.status === 'running');
    await database.clock.set('2027-03-04T05:00:00Z');
    await hasGoneToSleep(alice);
    expect((await analyticsOf(database.db, alice, id)).totals).toMatchObject({ queued: 2, sent: 0 });
    await database.clock.set('2027-03-04T07:00:00Z');
    const { runs } = await analyticsWhen(database.db, alice, id, ({ campaign }) => campaign.finishedAt !== null);
    expect(runs).toMatchObject([{ status: 'completed', sent: 2 }]);
  });

  test('lets a campaign leave that ignores them, within the daily cap, while others wait', async () => {
    await database.clock.set('2027-03-05T23:00:00Z');
    const alice = await createOwner(database.db, 3);
    await rest(alice, { ...night, dailyCap: 2 });
    const waiting = await sendNow(database.db, alice);
    await hasGoneToSleep(alice);
    const post = { name: 'Now', description: '', html: 'Fire', image: null, isChannelCampaign: false };
    const urgent = await addCampaign({ db: database.db, convert }, alice, {
      ...post,
      groupIds: alice.groupIds,
      scheduleTime: null,
      ignoresQuietHours: true,
    });
    await analyticsWhen(database.db, alice, urgent.campaignId, ({ totals }) => totals.sent === 2);
    await hasGoneToSleep(alice);
    expect((await analyticsOf(database.db, alice, urgent.campaignId)).totals).toMatchObject({ queued: 1, sent: 2 });
    expect((await analyticsOf(database.db, alice, waiting)).totals).toMatchObject({ queued: 3, sent: 0 });
    await database.clock.set('2027-03-06T00:00:01Z');
    await hasGoneToSleep(alice);
    expect((await analyticsOf(database.db, alice, waiting)).totals).toMatchObject({ queued: 3, sent: 0 });
    await database.clock.set('2027-03-06T07:00:01Z');
    await analyticsWhen(database.db, alice, waiting, ({ totals }) => totals.sent === 2);
    // What the cap has left over of it leaves at its own hour.
    expect((await analyticsOf(database.db, alice, urgent.campaignId)).totals).toMatchObject({ queued: 1, sent: 2 });
  });

  test('sends at once when they are turned off', async () => {
    await database.clock.set('2027-03-08T23:00:00Z');
    const alice = await createOwner(database.db, 3);
    const { until: resting } = await rest(alice, night);
    expect(resting?.toString()).toBe('2027-03-09T07:00:00Z');
    const id = await sendNow(database.db, alice);
    await hasGoneToSleep(alice);
    expect(arrivedOf(alice)).toBe(0);
    expect(await rest(alice, { quietHours: null })).toMatchObject({ quietHours: null, until: null });
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 3);
  });

  test('follows the zone of the user, also after a change', async () => {
    await database.clock.set('2027-03-10T23:00:00Z');
    const alice = await createOwner(database.db, 1);
    await rest(alice, night);
    const id = await sendNow(database.db, alice);
    await hasGoneToSleep(alice);
    await execute(database.db)`update users set time_zone = 'Asia/Tokyo' where user_id = ${alice.userId}`;
    await database.clock.advance({ minutes: 16 });
    const { totals } = await analyticsWhen(database.db, alice, id, (one) => one.totals.queued === 0);
    expect(totals.sent).toBe(1);
  });
});

describe('a daily cap', () => {
  test('sends that many posts a day, over all runs', async () => {
    await database.clock.set('2027-04-01T10:00:00Z');
    const alice = await createOwner(database.db, 8);
    await execute(database.db)`update users set time_zone = 'Europe/Berlin' where user_id = ${alice.userId}`;
    const before = await sendNow(database.db, alice, alice.groupIds.slice(0, 2));
    await analyticsWhen(database.db, alice, before, ({ totals }) => totals.sent === 2);
    expect(await rest(alice, { dailyCap: 5 })).toMatchObject({ dailyCap: 5, sentToday: 2, until: null });
    const id = await sendNow(database.db, alice);
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 3);
    await hasGoneToSleep(alice);
    const now = await rest(alice, {});
    expect(now).toMatchObject({ sentToday: 5 });
    expect(now.until?.toString()).toBe('2027-04-01T22:00:00Z');
    await database.clock.set('2027-04-01T22:00:01Z');
    await hasGoneToSleep(alice);
    expect(arrivedOf(alice)).toBe(5);
    await database.clock.set('2027-04-02T09:59:00Z');
    await until(
      () => wakesAt(alice),
      (at) => at?.startsWith('2027-04-02T10:00:0') ?? false,
    );
    await database.clock.set('2027-04-02T10:00:10Z');
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 8);
    expect(await rest(alice, {})).toMatchObject({ sentToday: 5 });
    expect(arrivedOf(alice)).toBe(10);
  });

  test('holds posts also on a day of 25 hours', async () => {
    await database.clock.set('2027-10-30T22:00:01Z');
    const alice = await createOwner(database.db, 3);
    await execute(database.db)`update users set time_zone = 'Europe/Berlin' where user_id = ${alice.userId}`;
    await rest(alice, { dailyCap: 2 });
    const id = await sendNow(database.db, alice);
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 2);
    await hasGoneToSleep(alice);
    await database.clock.set('2027-10-31T22:45:00Z');
    await sweepRuns(database.db, ALL_SHARDS);
    expect((await analyticsOf(database.db, alice, id)).totals).toMatchObject({ queued: 1, failed: 0 });
    await database.clock.set('2027-10-31T23:00:00Z');
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 3);
  });

  test('is not used up by failed posts', async () => {
    await database.clock.set('2027-04-02T10:00:00Z');
    const alice = await createOwner(database.db, 6);
    await rest(alice, { dailyCap: 3 });
    messenger.answer = ({ chatId }) =>
      chatId.startsWith(`${alice.accountId}-`) && groupNumber(chatId) <= 3
        ? { kind: 'refused', reason: `not a member of ${groupNumber(chatId)}`, final: true }
        : undefined;
    const id = await sendNow(database.db, alice);
    const { totals } = await analyticsWhen(database.db, alice, id, (one) => one.totals.queued === 0);
    messenger.answer = () => undefined;
    expect(totals).toMatchObject({ sent: 3, failed: 3 });
  });

  test('sends at once when it is raised', async () => {
    await database.clock.set('2027-04-03T10:00:00Z');
    const alice = await createOwner(database.db, 4);
    await rest(alice, { dailyCap: 1 });
    const id = await sendNow(database.db, alice);
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 1);
    await hasGoneToSleep(alice);
    await rest(alice, { dailyCap: 3 });
    await analyticsWhen(database.db, alice, id, ({ totals }) => totals.sent === 3);
    await rest(alice, { dailyCap: null });
    const { totals } = await analyticsWhen(database.db, alice, id, (one) => one.totals.queued === 0);
    expect(totals.sent).toBe(4);
  });

  test('expires the rest when the campaign’s next run falls due', async () => {
    await database.clock.set('2027-04-05T00:00:00Z');
    const alice = await createOwner(database.db, 3);
    await rest(alice, { dailyCap: 2 });
    const id = await schedule(database.db, alice, { startDate: '2027-04-05', endDate: '2027-04-06', time: '09:00:00' });
    await database.clock.set('2027-04-05T09:00:01Z');
    await analyticsWhen(database.db, alice, id, ({ runs }) => runs[0]?.sent === 2);
    await hasGoneToSleep(alice);
    await database.clock.set('2027-04-06T09:00:01Z');
    const { runs } = await analyticsWhen(database.db, alice, id, (one) => one.totals.sent === 4);
    expect(runs.map(({ sent, failed, queued }) => sent + failed + queued)).toEqual([3, 3]);
    expect(runs[0]).toMatchObject({ queued: 0 });
  });
});
