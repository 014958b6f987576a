/** The count of today's posts, which the daily cap limits. */
import { execute, readRows, readValue } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resumeLedger } from '../../../src/operations/hold/resume-ledger.ts';
import { clearOld } from '../../support/clear-old.ts';
import { deleteCampaign } from '../../../src/sending/campaigns/change/delete-campaign.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { removeDeleted } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { updateAccount, type SendWindowChange } from '../../../src/sending/accounts/update-account.ts';
import { classifyResult, type Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { requeueLanes } from '../../../src/sending/leases/lease-store.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, sendNow, startTestWorker, until, type Owner } from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';
import { addAccount, setSenders } from '../../support/several-accounts.ts';
import { failed, positions, sent, takeTurnsByHand, type Turns } from '../../support/turns.ts';

const database = await useTestDatabase();

const rest = (owner: Owner, change: SendWindowChange = {}) =>
  updateAccount({ db: database.db, timeZone: 'UTC' }, owner, change);

describe('a worker', () => {
  let messenger: ScriptedMessenger;
  let worker: Worker;
  beforeAll(async () => {
    messenger = scriptMessenger();
    worker = await startTestWorker(database, messenger);
  });
  afterAll(() => worker.stop());

  test('sends no more of a day after the campaign was deleted that used up the cap', async () => {
    await database.clock.set('2027-04-01T10:00:00Z');
    const alice = await createOwner(database.db, 8);
    await rest(alice, { dailyCap: 4 });
    const first = await sendNow(database.db, alice);
    await analyticsWhen(database.db, alice, first, ({ totals }) => totals.sent === 4);
    await database.clock.set('2027-04-02T10:30:00Z');
    await analyticsWhen(database.db, alice, first, ({ campaign }) => campaign.finishedAt !== null);
    await deleteCampaign(database, alice, first);
    await until(() => removeDeleted(database.db), false);
    await sendNow(database.db, alice);
    await until(async () => {
      return readValue<boolean>(database.db)`
          select coalesce(wake_at > campanile_now() + interval '1 minute', false) as sleeps from lanes
          where account_id = ${alice.accountId}`;
    }, true);
    expect(messenger.arrivals).toHaveLength(8);
    expect(await rest(alice)).toMatchObject({ sentToday: 4, capToday: 4 });
  });
});

describe('the count of today’s posts', () => {
  let turns: Turns;
  beforeAll(async () => {
    turns = await takeTurnsByHand(database.db);
  });

  const unknown: Outcome = { kind: 'retry', waitMs: 0, reason: 'broke off', uncertain: true };
  const refused: Outcome = { kind: 'retry', waitMs: 0, reason: 'busy', uncertain: false };
  const sentToday = async (owner: Owner) => (await rest(owner)).sentToday;
  const moveTo = (owner: Owner, timeZone: string) =>
    execute(database.db)`update users set time_zone = ${timeZone} where user_id = ${owner.userId}`;

  /** An owner with a cap, and a campaign to so many groups at that time. */
  async function startSending(at: string, { dailyCap, groups }: { dailyCap: number; groups: number }): Promise<Owner> {
    await database.clock.set(at);
    const owner = await createOwner(database.db, groups);
    await rest(owner, { dailyCap });
    await sendNow(database.db, owner);
    return owner;
  }

  /** Sends one post. */
  async function sendOne(owner: Owner): Promise<void> {
    await turns.finish(await turns.claim(owner, { batch: 1 }), [sent]);
  }

  test('limits a turn to the rest of the cap, and drops posts that surely did not leave', async () => {
    const alice = await startSending('2027-05-01T10:00:00Z', { dailyCap: 3, groups: 6 });
    await sendOne(alice);
    const turn = await turns.claim(alice);
    expect(positions(turn)).toEqual([2, 3]);
    expect(await sentToday(alice)).toBe(3);
    await turns.finish(turn, [failed, refused]);
    expect(await sentToday(alice)).toBe(1);
    const next = await turns.claim(alice);
    expect(positions(next)).toEqual([3, 4]);
    await turns.finish(next, [
      { kind: 'snooze', cooldownMs: 0 },
      { kind: 'snooze', cooldownMs: 0 },
    ]);
    expect(await sentToday(alice)).toBe(1);
  });

  test('includes attempts with an unknown outcome, each by itself', async () => {
    const alice = await startSending('2027-05-02T10:00:00Z', { dailyCap: 3, groups: 1 });
    for (const count of [1, 2, 3]) {
      await turns.finish(await turns.claim(alice), [unknown]);
      expect(await sentToday(alice)).toBe(count);
    }
    expect(await turns.tryClaim(alice)).toBeUndefined();
    await database.clock.set('2027-05-03T10:30:00Z');
    await turns.finish(await turns.claim(alice), [sent]);
    expect(await sentToday(alice)).toBe(1);
  });

  test('drops a repeat that is rejected for good, and keeps the earlier attempt that may have left', async () => {
    const alice = await startSending('2027-05-03T10:00:00Z', { dailyCap: 3, groups: 1 });
    await turns.finish(await turns.claim(alice), [unknown]);
    const repeat = await turns.claim(alice);
    expect(await sentToday(alice)).toBe(2);
    const gone = { kind: 'refused', reason: 'The group is gone', final: true } as const;
    const outcomes = repeat.deliveries.map((delivery) => classifyResult(gone, delivery));
    expect(outcomes).toMatchObject([{ kind: 'failed', uncertain: true }]);
    await turns.finish(repeat, outcomes);
    expect(await sentToday(alice)).toBe(1);
  });

  test('includes posts of a turn that was taken over, and not those of an orphaned turn', async () => {
    const alice = await startSending('2027-05-04T10:00:00Z', { dailyCap: 5, groups: 5 });
    const lost = await turns.claim(alice, { batch: 2 });
    await turns.takeOver(alice);
    expect(await sentToday(alice)).toBe(2);
    await turns.finish(lost, [sent, failed]);
    expect(await sentToday(alice)).toBe(2);
    await turns.claim(alice, { batch: 1 });
    await database.db.transaction().execute((trx) => requeueLanes(trx, [alice.accountId], {}, { mayHaveLeft: false }));
    expect(await sentToday(alice)).toBe(2);
  });

  test('is of each account: a further one has its own cap and its own count', async () => {
    await database.clock.set('2027-05-04T20:00:00Z');
    const alice = await createOwner(database.db, 6);
    const second = { ...alice, accountId: await addAccount(database.db, alice) };
    for (const groupId of alice.groupIds.slice(3)) await setSenders(database.db, alice, [second.accountId], groupId);
    await updateAccount({ db: database.db, timeZone: 'UTC' }, alice, { dailyCap: 2, accountId: second.accountId });
    await sendNow(database.db, alice);
    expect(positions(await turns.claim(second))).toEqual([4, 5]);
    await turns.takeOver(second);
    expect(positions(await turns.claim(alice))).toEqual([1, 2, 3]);
    await turns.takeOver(alice);
    // A later quarter hour, in which the counts of the first are put away.
    await database.clock.set('2027-05-04T20:20:00Z');
    expect(await turns.tryClaim(second)).toBeUndefined();
    expect(positions(await turns.claim(alice, { batch: 1 }))).toEqual([1]);
    const counts = await readRows<{ account: number; posts: number }>(database.db)`
      select account_id as account, sum(posts)::int as posts from sent_slots
      where account_id in (${alice.accountId}, ${second.accountId}) group by 1 order by 1`;
    expect(counts).toEqual([
      { account: alice.accountId, posts: 3 },
      { account: second.accountId, posts: 2 },
    ]);
  });

  test('gives back the posts that a turn leaves to a suspect', async () => {
    const alice = await startSending('2027-05-05T10:00:00Z', { dailyCap: 8, groups: 4 });
    await turns.claim(alice, { batch: 3 });
    await turns.takeOver(alice);
    expect(positions(await turns.claim(alice))).toEqual([1]);
    expect(await sentToday(alice)).toBe(4);
  });

  test('stays as it is when posts are recalled', async () => {
    const alice = await startSending('2027-05-06T10:00:00Z', { dailyCap: 2, groups: 2 });
    await turns.drain(alice, () => sent);
    const rows = await readRows<{ id: string }>(database.db)`
      select public_id as id from campaigns where workspace_id = ${alice.workspaceId}`;
    await recallCampaign(database, alice, { campaignId: rows[0]?.id ?? '', runId: null });
    expect(await sentToday(alice)).toBe(2);
  });

  test('is that of the day in the zone of the owner, also after each change of it', async () => {
    const alice = await startSending('2027-05-07T14:50:00Z', { dailyCap: 9, groups: 9 });
    await sendOne(alice);
    await database.clock.set('2027-05-07T15:05:00Z');
    await sendOne(alice);
    await sendOne(alice);
    const counts = [];
    for (const zone of ['Asia/Tokyo', 'UTC', 'America/New_York', 'Pacific/Kiritimati', 'Asia/Kathmandu']) {
      await moveTo(alice, zone);
      counts.push(await sentToday(alice));
    }
    // In Tokyo the day begins at 15:00 UTC.
    expect(counts).toEqual([2, 3, 3, 3, 3]);
  });

  test('stays while the cap is raised, lowered, turned off and set again, whatever is deleted meanwhile', async () => {
    const alice = await startSending('2027-05-08T10:00:00Z', { dailyCap: 2, groups: 4 });
    await turns.drain(alice, () => sent);
    await rest(alice, { dailyCap: 3 });
    await turns.drain(alice, () => sent);
    expect(await rest(alice, { dailyCap: 1 })).toMatchObject({ sentToday: 3, capToday: 1 });
    await rest(alice, { dailyCap: null });
    await turns.drain(alice, () => sent);
    await execute(database.db)`
      update campaigns set deleted_at = campanile_now() where workspace_id = ${alice.workspaceId}`;
    await until(() => removeDeleted(database.db), false);
    await sendNow(database.db, alice);
    expect(await rest(alice, { dailyCap: 4 })).toMatchObject({ sentToday: 4 });
    expect(await turns.tryClaim(alice)).toBeUndefined();
  });

  test.each([
    ['23', '2027-03-27T23:00:00Z', '2027-03-28T21:50:00Z', '2027-03-28T22:00:00Z'],
    ['25', '2027-10-30T22:00:00Z', '2027-10-31T22:50:00Z', '2027-10-31T23:00:00Z'],
  ])('is of the whole day, also of one with %s hours', async (_hours, begin, end, next) => {
    const alice = await startSending(begin, { dailyCap: 1, groups: 3 });
    await moveTo(alice, 'Europe/Berlin');
    await sendOne(alice);
    await database.clock.set(end);
    expect(await turns.tryClaim(alice)).toBeUndefined();
    expect(await sentToday(alice)).toBe(1);
    await database.clock.set(next);
    expect(await sentToday(alice)).toBe(0);
    await sendNow(database.db, alice);
    await sendOne(alice);
  });

  test('counts the posts in hand at midnight for the new day', async () => {
    const alice = await startSending('2027-05-10T23:50:00Z', { dailyCap: 4, groups: 8 });
    await sendOne(alice);
    const before = await turns.claim(alice, { batch: 3 });
    await database.clock.set('2027-05-11T00:00:05Z');
    await turns.finish(before, [sent, sent, failed]);
    expect(await sentToday(alice)).toBe(2);
    await turns.claim(alice, { batch: 1 });
    await database.clock.set('2027-05-12T00:00:05Z');
    await turns.takeOver(alice);
    expect(await sentToday(alice)).toBe(1);
  });

  test('is kept for three days', async () => {
    const alice = await startSending('2027-05-13T10:00:00Z', { dailyCap: 4, groups: 4 });
    await sendOne(alice);
    await database.clock.set('2027-05-15T10:00:00Z');
    await sendNow(database.db, alice);
    await sendOne(alice);
    const kept = async () => {
      await clearOld(database, 'sent_slots');
      const rows = await readRows(database.db)`select from sent_slots where account_id = ${alice.accountId}`;
      return rows.length;
    };
    expect(await kept()).toBe(1);
    await database.clock.set('2027-05-16T10:15:00Z');
    expect(await kept()).toBe(0);
  });

  test('includes the posts that may have left since the backup of a restored ledger', async () => {
    const alice = await startSending('2027-05-17T10:00:00Z', { dailyCap: 4, groups: 3 });
    await sendOne(alice);
    await execute(database.db)`update ledger set held_since = campanile_now(), held_reason = 'restored'`;
    await resumeLedger(database.db, { choices: new Map(), others: 'send' }, async () => undefined);
    expect(await sentToday(alice)).toBe(3);
    expect(positions(await turns.claim(alice))).toHaveLength(1);
  });
});
