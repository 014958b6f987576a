import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { updateCampaign, type CampaignChange } from '../../../src/sending/campaigns/change/update-campaign.ts';
import { beginRuns, expectOpenRuns } from '../../support/begin-runs.ts';
import { useTestApp } from '../../support/app.ts';
import { analyticsOf, convert, createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { failed, sent, takeTurnsByHand } from '../../support/turns.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const app = await useTestApp({ role: 'api' });
const database = app.database;
const turns = await takeTurnsByHand(database.db);
beforeEach(() => database.clock.set('2031-03-01T00:00:00Z'));

const threeDays = { startDate: '2031-03-03', endDate: '2031-03-05', time: '09:00:00' };
const update = (owner: Owner, campaign: string, change: CampaignChange) =>
  updateCampaign({ db: database.db, convert }, owner, campaign, change);
const read = (owner: Owner, campaign: string) => getCampaign(database, owner, campaign);
const runsOf = async (owner: Owner, campaign: string) =>
  (await read(owner, campaign)).runs.map((run) => `${run.dueAt.toISOString().slice(0, 16)} ${run.status}`);

const begin = () => beginRuns(database.db);

/** Returns the text of each begun run, and its number of deliveries. */
async function pinned(owner: Owner): Promise<string[]> {
  return readColumn<string>(database.db)`
    select t.text || ' to ' || count(d.position) as said
    from runs r join contents t on t.content_id = r.content_id
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
    where r.workspace_id = ${owner.workspaceId} group by r.run_id, r.due_at, t.text order by r.due_at`;
}

describe('a changed post', () => {
  test('applies to runs that have not begun, and begun runs keep their text and groups', async () => {
    const owner = await createOwner(database.db, 3);
    const campaign = await schedule(database.db, owner, threeDays);
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    const groupIds = owner.groupIds.slice(0, 2);
    expect(
      await update(owner, campaign, { name: 'New', description: 'changed', html: '<b>New</b>', groupIds }),
    ).toEqual({
      campaignId: campaign,
      dueAt: new Date('2031-03-04T09:00:00Z'),
      groupCount: 2,
      warnings: [],
      status: 'running',
    });
    await database.clock.set('2031-03-04T09:00:00Z');
    await begin();
    expect(await pinned(owner)).toEqual(['Hello to 3', '*New* to 2']);
    expect(await read(owner, campaign)).toMatchObject({
      name: 'New',
      description: 'changed',
      html: '<b>New</b>',
      text: '*New*',
      groupIds,
    });
    expect(await runsOf(owner, campaign)).toHaveLength(3);
    expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ groups: 3, deliveries: 5 });
  });

  test('deletes contents that no run has used', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    for (const html of ['one', 'two', 'three']) await update(owner, campaign, { html });
    const rows = await readRows<{ text: string }>(database.db)`
      select t.text from contents t join campaigns c on c.campaign_id = t.campaign_id where c.public_id = ${campaign}::uuid`;
    expect(rows).toEqual([{ text: 'three' }]);
  });

  test('is validated like a new campaign with all problems at once, and changes nothing if rejected', async () => {
    const owner = await createOwner(database.db, 1);
    const stranger = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    const before = await read(owner, campaign);
    const wrong = { name: 'Wrong', html: '<table></table>', endDate: '2031-03-02', timeZone: 'Mars/Olympus' };
    await expect(update(owner, campaign, wrong)).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ field: 'html' }, { field: 'time_zone' }, { field: 'end_date' }],
    });
    await expect(update(owner, campaign, { groupIds: stranger.groupIds })).rejects.toMatchObject({ kind: 'not_found' });
    await expect(update(owner, campaign, {})).rejects.toMatchObject({ kind: 'invalid' });
    await expect(update(stranger, campaign, { name: 'mine now' })).rejects.toMatchObject({ kind: 'not_found' });
    expect(await read(owner, campaign)).toEqual(before);
  });
});

describe('a changed schedule', () => {
  test('replaces planned runs, and keeps begun ones', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    const kept = (await read(owner, campaign)).runs.at(1)?.runId;
    await update(owner, campaign, { endDate: '2031-03-06', skipDates: ['2031-03-05'] });
    expect(await runsOf(owner, campaign)).toEqual([
      '2031-03-03T09:00 running',
      '2031-03-04T09:00 planned',
      '2031-03-06T09:00 planned',
    ]);
    expect((await read(owner, campaign)).runs.at(1)?.runId).toBe(kept);
    expect(await read(owner, campaign)).toMatchObject({ endDate: '2031-03-06', skipDates: ['2031-03-05'] });
    await expectOpenRuns(database.db, campaign);
    await turns.drain(owner, () => sent);
    expect((await read(owner, campaign)).status).toBe('scheduled');
  });

  test('keeps skipped dates and weekdays that the change does not name', async () => {
    const owner = await createOwner(database.db, 1);
    const days = { skipDates: ['2031-03-04', '2031-03-06'], weekdays: [1, 2, 3, 4, 5] };
    const campaign = await schedule(database.db, owner, { ...threeDays, ...days });
    await update(owner, campaign, { endDate: '2031-03-09', time: '10:00:00' });
    expect(await read(owner, campaign)).toMatchObject(days);
    const dates = ['2031-03-03', '2031-03-05', '2031-03-07'];
    expect(await runsOf(owner, campaign)).toEqual(dates.map((date) => `${date}T10:00 planned`));
    await update(owner, campaign, { name: 'Renamed' });
    expect(await read(owner, campaign)).toMatchObject(days);
  });

  test('adds no second run to a day that had one, and follows the new zone', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await update(owner, campaign, { time: '15:00:00', timeZone: 'America/New_York' });
    expect(await runsOf(owner, campaign)).toEqual([
      '2031-03-03T09:00 running',
      '2031-03-04T20:00 planned',
      '2031-03-05T20:00 planned',
    ]);
    await expectOpenRuns(database.db, campaign);
  });

  test('keeps a due run that could not begin yet', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    await database.clock.set('2031-03-03T10:00:00Z');
    await update(owner, campaign, { weekdays: [1, 3] });
    expect(await runsOf(owner, campaign)).toEqual(['2031-03-03T09:00 planned', '2031-03-05T09:00 planned']);
    await begin();
    expect(await runsOf(owner, campaign)).toEqual(['2031-03-03T09:00 running', '2031-03-05T09:00 planned']);
  });

  test('is rejected without any change if nothing is left to run', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    const before = await read(owner, campaign);
    const past = { startDate: '2031-02-01', endDate: '2031-02-05' };
    await expect(update(owner, campaign, { ...past, html: 'new' })).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ field: 'end_date', issue: 'is in the past: every occurrence of this schedule is over' }],
    });
    await expect(update(owner, campaign, { weekdays: [7] })).rejects.toMatchObject({
      details: [{ field: 'start_date' }],
    });
    await expect(update(owner, campaign, { startDate: '2029-01-01' })).rejects.toMatchObject({
      details: [{ field: 'end_date', issue: 'must be at most 366 days from start_date, both included' }],
    });
    expect(await read(owner, campaign)).toEqual(before);
  });

  test('is rejected if the remaining runs are too late to begin', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    await database.clock.set('2031-03-03T15:00:01Z');
    await expect(update(owner, campaign, { endDate: '2031-03-03' })).rejects.toMatchObject({
      kind: 'invalid',
      details: [{ field: 'schedule_time' }],
    });
    await update(owner, campaign, { endDate: '2031-03-04' });
    expect(await runsOf(owner, campaign)).toEqual(['2031-03-03T09:00 missed', '2031-03-04T09:00 planned']);
    await expectOpenRuns(database.db, campaign);
  });

  test('waits for the resume of a paused campaign', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, threeDays);
    await pauseCampaign(database, owner, campaign);
    expect(await update(owner, campaign, { time: '11:00:00' })).toMatchObject({ status: 'paused' });
    await database.clock.set('2031-03-03T11:00:00Z');
    await begin();
    expect((await runsOf(owner, campaign))[0]).toBe('2031-03-03T11:00 planned');
    await resumeCampaign(database, owner, campaign);
    await begin();
    expect((await runsOf(owner, campaign))[0]).toBe('2031-03-03T11:00 running');
  });

  test('is atomic: a run that begins at the same time has either the old post or the new one', async () => {
    const owner = await createOwner(database.db, 3);
    for (let round = 0; round < 12; round++) {
      await database.clock.set('2031-03-01T00:00:00Z');
      const campaign = await schedule(database.db, owner, threeDays);
      await database.clock.set('2031-03-03T09:00:00Z');
      const change = { html: 'New', groupIds: owner.groupIds.slice(0, 2) };
      await Promise.all([begin(), update(owner, campaign, change)]);
      await begin();
      await cancelCampaign(database, owner, campaign);
    }
    const said = await pinned(owner);
    expect(said).toHaveLength(12);
    expect(said.filter((one) => one !== 'Hello to 3' && one !== 'New to 2')).toEqual([]);
  });
});

describe('rejects with a conflict', () => {
  test('a change of a campaign that was sent at once, has ended or was cancelled', async () => {
    const owner = await createOwner(database.db, 1);
    const now = await sendNow(database.db, owner);
    const ended = await schedule(database.db, owner, { ...threeDays, endDate: threeDays.startDate });
    const cancelled = await schedule(database.db, owner, threeDays);
    await cancelCampaign(database, owner, cancelled);
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await turns.drain(owner, () => failed);
    for (const campaign of [now, ended, cancelled])
      await expect(update(owner, campaign, { name: 'Other' })).rejects.toMatchObject({ kind: 'conflict' });
  });

  test('a change of the post after every run has begun, but no change of name or schedule', async () => {
    const owner = await createOwner(database.db, 1);
    const campaign = await schedule(database.db, owner, { ...threeDays, endDate: threeDays.startDate });
    await database.clock.set('2031-03-03T09:00:00Z');
    await begin();
    await expect(update(owner, campaign, { html: 'New' })).rejects.toMatchObject({
      kind: 'conflict',
      details: [{ field: 'html' }],
    });
    await update(owner, campaign, { name: 'Other', html: 'Hello', endDate: threeDays.startDate });
    expect(await read(owner, campaign)).toMatchObject({ name: 'Other', runs: [{ status: 'running' }] });
    await update(owner, campaign, { html: 'New', endDate: '2031-03-04' });
    await database.clock.set('2031-03-04T09:00:00Z');
    await begin();
    expect(await pinned(owner)).toEqual(['Hello to 1', 'New to 1']);
    await expectOpenRuns(database.db, campaign);
  });
});

test('adds a file over HTTP, keeps it when it is absent, removes it, and records each change in the audit log', async () => {
  await database.clock.set('2031-03-01T00:00:00Z');
  const alice = await app.signUp('alice');
  const owner = await createOwner(database.db, 2);
  await execute(database.db)`update groups set workspace_id = a.workspace_id from accounts a
            where groups.workspace_id = ${owner.workspaceId} and a.workspace_id = ${workspaceOf(alice)}`;
  const { headers } = await alice.call('venom/add-campaign-batch', {
    name: 'Fair',
    html: 'Hello',
    group_metadata_ids: owner.groupIds,
    is_schedule: true,
    start_date: '2031-03-03',
    end_date: '2031-03-05',
    schedule_time: '09:00:00',
  });
  const campaign_id = headers.get('x-campaign-id') ?? '';
  const change = (body: object) => alice.call<{ status: string }>('venom/update-campaign', { campaign_id, ...body });
  const media = async () =>
    (await alice.call<{ media: { mime: string } | null }>('venom/get-campaign', { campaign_id })).body.data.media;

  const added = await change({ image: PNG.toString('base64') });
  expect([added.status, added.body.data]).toEqual([200, { campaign_id, status: 'scheduled' }]);
  expect(await media()).toMatchObject({ mime: 'image/png' });
  expect((await change({ image: null, html: 'Other', weekdays: [1, 2, 3], desc: null })).status).toBe(200);
  expect(await media()).toMatchObject({ mime: 'image/png' });
  expect((await change({ image: 'AAAA' })).body.details).toMatchObject([{ field: 'image' }]);
  expect((await change({ image: PNG.toString('base64'), remove_image: true })).status).toBe(400);
  expect((await change({ remove_image: true })).status).toBe(200);
  expect(await media()).toBeNull();
  expect((await change({ schedule_time: '9 am' })).body.details).toMatchObject([{ field: 'schedule_time' }]);
  expect((await change({})).status).toBe(400);

  const log = await alice.call<{ entries: Array<{ action: string; subject: string }> }>('user/list_audit_log');
  const updates = log.body.data.entries.filter((entry) => entry.action === 'campaign.updated');
  expect(updates.map((entry) => entry.subject)).toEqual([campaign_id, campaign_id, campaign_id]);
});
