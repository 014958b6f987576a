/** The page of a group: its posts, planned posts, lists, and members over time. */
import { execute } from '../../../src/platform/database/statements.ts';
import { beforeEach, expect, test } from 'vitest';
import { readGroup } from '../../../src/sending/analytics/read-group.ts';
import { pauseCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';
import { useTestDatabase } from '../../support/database.ts';
import { createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { failed, takeTurnsByHand } from '../../support/turns.ts';

let owner: Owner;

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);
beforeEach(async () => {
  await database.clock.set('2031-03-01T12:00:00Z');
  owner = await createOwner(database.db, 3);
});

const ofGroup = (number: number, days = 366) =>
  readGroup(database, owner, { groupId: owner.groupIds[number - 1] ?? 0, days });

test('returns the posts of a group, newest first', async () => {
  const { db, clock } = database;
  const first = await sendNow(db, owner);
  await turns.drain(owner, () => ({ kind: 'sent', recipients: 2 }));
  await clock.advance({ hours: 1 });
  await sendNow(db, owner, owner.groupIds.slice(1));
  await turns.drain(owner, () => ({ kind: 'sent', recipients: 2 }));
  await clock.advance({ hours: 1 });
  // In another order, so that the group has another place in it.
  const third = await sendNow(db, owner, owner.groupIds.toReversed());
  await turns.drain(owner, (position) => (position === 3 ? failed : { kind: 'sent', recipients: 2 }));
  const { posts } = await ofGroup(1);
  expect(posts).toEqual([
    expect.objectContaining({ campaignId: third, sent: 0, failed: 1, recipients: 0, error: 'The group is gone' }),
    expect.objectContaining({ campaignId: first, sent: 1, failed: 0, recipients: 2, error: null }),
  ]);
  expect((await ofGroup(2)).posts).toHaveLength(3);
});

test('returns the sums of a folded campaign in the group', async () => {
  const { db } = database;
  const campaign = await sendNow(db, owner);
  await turns.drain(owner, () => ({ kind: 'sent', recipients: 2 }));
  await execute(db)`
    insert into group_sums (workspace_id, campaign_id, group_id, last_sent_at, recipients, delivered, read, sent)
    select workspace_id, campaign_id, ${owner.groupIds[0] ?? 0}::bigint, campanile_now(), 2, 2, 1, 1 from campaigns
    where workspace_id = ${owner.workspaceId}`;
  await execute(db)`update campaigns set folded_at = campanile_now() where workspace_id = ${owner.workspaceId}`;
  expect((await ofGroup(1)).posts).toEqual([
    expect.objectContaining({ campaignId: campaign, runId: null, sent: 1, recipients: 2, read: 1 }),
  ]);
});

test('returns the planned posts of the group, soonest first, also of a paused campaign', async () => {
  const { db } = database;
  const when = { startDate: '2031-03-02', endDate: '2031-03-30', time: '09:00:00' };
  const campaign = await schedule(db, owner, when);
  await schedule(db, owner, { ...when, groupIds: owner.groupIds.slice(1) });
  const { planned } = await ofGroup(1);
  expect(planned).toHaveLength(20);
  expect(planned[0]).toMatchObject({ campaignId: campaign, dueAt: new Date('2031-03-02T09:00:00Z') });
  expect(new Set(planned.map((run) => run.campaignId))).toEqual(new Set([campaign]));
  await pauseCampaign({ db }, owner, campaign);
  expect((await ofGroup(1)).planned[0]?.campaignStatus).toBe('paused');
});

test('returns members over time from syncs and from posts', async () => {
  const { db, clock } = database;
  await clock.set('2031-03-03T12:00:00Z');
  await sendNow(db, owner);
  await turns.drain(owner, () => ({ kind: 'sent', recipients: 6 }));
  await clock.set('2031-03-05T12:00:00Z');
  await execute(db)`update groups set participants = 9 where group_id = ${owner.groupIds[0] ?? 0}`;
  expect((await ofGroup(1)).members).toEqual([
    { date: '2031-03-01', participants: 3 },
    { date: '2031-03-03', participants: 7 },
    { date: '2031-03-05', participants: 9 },
  ]);
  expect((await ofGroup(1, 1)).members).toEqual([{ date: '2031-03-05', participants: 9 }]);
});

test('returns the lists of the group, and nothing of another workspace', async () => {
  const { db } = database;
  await execute(db)`
    insert into group_lists (workspace_id, name, group_ids) values
      (${owner.workspaceId}, 'Village', ${[owner.groupIds[0] ?? 0]}::bigint[]), (${owner.workspaceId}, 'Others', ${owner.groupIds.slice(1)}::bigint[])`;
  expect((await ofGroup(1)).groupLists.map((list) => list.name)).toEqual(['Village']);
  const stranger = await createOwner(db, 1);
  const asking = readGroup(database, stranger, { groupId: owner.groupIds[0] ?? 0, days: 366 });
  await expect(asking).rejects.toBeInstanceOf(AppError);
});
