/** A campaign that is deleted is gone at once, from every list and number; its rows follow by and by. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { removeDeleted } from '../../../src/sending/campaigns/change/remove-deleted.ts';
import { sumMinutes } from '../../../src/sending/campaigns/roll-up/roll-up-minutes.ts';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { groupsOf, untilCompleted, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { listen } from '../../support/http/listen.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

let alice: Person;
let groups: number[];
let people = 0;
const app = await useTestApp({ sandboxSpeed: 0 });
beforeEach(async () => {
  alice = await app.signUp(`alice${++people}`);
  groups = await groupsOf(alice);
});

/** Sends to all groups and waits until they have it. */
async function send(name: string): Promise<string> {
  const post = { name, html: 'Hello', group_metadata_ids: groups, image: PNG.toString('base64') };
  const { campaign_id } = (await alice.call<{ campaign_id: string }>('venom/add-campaign', post)).body.data;
  await untilCompleted(alice.call, campaign_id);
  return campaign_id;
}

const remove = (campaign_id: string) => alice.call('venom/delete-campaign', { campaign_id });

const TABLES = ['deliveries', 'receipts', 'revisions', 'run_minutes', 'group_sums', 'time_sums', 'runs'] as const;

/** Counts the rows of the account's campaigns by table; tables without rows are omitted. */
async function rowsOf(messageId: string): Promise<Record<string, number>> {
  const { db } = app.database;
  const rows = await readRows<{ id: number }>(db)`
    select a.workspace_id as id from accounts a join memberships m on m.workspace_id = a.workspace_id where m.user_id = ${alice.userId}`;
  const counts: Record<string, number> = {};
  for (const table of TABLES) {
    const counted = await readRows<{ count: number }>(db)`
      select count(*) as count from ${sql.table(table)} where workspace_id = ${rows[0]?.id}`;
    counts[table] = counted[0]?.count ?? Number.NaN;
  }
  const own = await readRows<{ contents: number; media: number; campaigns: number }>(db)`
    select (select count(*) from campaigns where workspace_id = ${rows[0]?.id}) as campaigns,
           (select count(*) from contents t join campaigns c using (campaign_id) where c.workspace_id = ${rows[0]?.id}) as contents,
           (select count(*) from media m where m.workspace_id = ${rows[0]?.id}) as media`;
  const [about] = await receipts(messageId);
  if (about) await recordReceipts(db, [about]);
  return Object.fromEntries(Object.entries({ ...counts, ...own[0] }).filter(([, count]) => count > 0));
}

/** Records a read receipt for that message. */
async function receipts(messageId: string) {
  const rows = await readRows<{ id: AccountId }>(app.database.db)`
    select a.account_id as id from accounts a join memberships m on m.workspace_id = a.workspace_id where m.user_id = ${alice.userId}`;
  return rows.map(({ id }) => ({
    kind: 'read' as const,
    accountId: id,
    messageId,
    participant: `ann ${Math.random()}`,
    at: new Date(),
  }));
}

async function firstMessage(): Promise<string> {
  const rows = await readRows<{ id: string }>(app.database.db)`
    select d.message_id as id from deliveries d join accounts a using (workspace_id)
    join memberships m on m.workspace_id = a.workspace_id where m.user_id = ${alice.userId} order by d.run_id, d.position`;
  return rows[0]?.id ?? '';
}

const removeAll = () => until(() => removeDeleted(app.database.db), false);

describe('a campaign that is deleted', () => {
  test('is in no list and no figure from then on', async () => {
    const kept = await send('Kept');
    const gone = await send('Gone');
    expect(await remove(gone)).toMatchObject({ status: 200, body: { data: {} } });
    const { campaigns } = (await alice.call<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns')).body
      .data;
    expect(campaigns.map((one) => one.campaign_id)).toEqual([kept]);
    const today = (await app.database.clock.now()).toISOString().slice(0, 10);
    const { runs } = (
      await alice.call<{ runs: Array<{ campaign_id: string }> }>('venom/list-runs', {
        start_date: today,
        end_date: today,
      })
    ).body.data;
    expect(runs.map((one) => one.campaign_id)).toEqual([kept]);
    const overview = await alice.call<{ totals: object }>('analytics/get-overview', {});
    expect(overview.body.data.totals).toMatchObject({
      campaigns: 1,
      runs: 1,
      sent: groups.length,
      groups: groups.length,
    });
    const listed = await alice.call<{ groups: Array<{ activity: object }> }>('venom/list-groups', {
      with_activity: true,
    });
    for (const group of listed.body.data.groups) expect(group.activity).toMatchObject({ posts: 1 });
    for (const path of [
      'venom/get-campaign',
      'venom/duplicate-campaign',
      'venom/retry-campaign',
      'venom/recall-campaign',
      'venom/delete-campaign',
      'analytics/get-campaign-group-analytics-master',
    ])
      expect(await alice.call(path, { campaign_id: gone }), path).toMatchObject({ status: 404 });
    const log = await alice.call<{ entries: object[] }>('user/list_audit_log', { limit: 1 });
    expect(log.body.data.entries).toMatchObject([{ action: 'campaign.deleted', subject: gone }]);
  });

  test('emits an event', async () => {
    const gone = await send('Gone');
    const listener = await listen(app.url, alice.token);
    await listener.snapshot();
    await remove(gone);
    const heard = await until(
      () => listener.events.filter(({ event }) => event === 'campaign_deleted'),
      ({ length }) => length > 0,
    );
    expect(heard).toMatchObject([{ data: { campaign_id: gone } }]);
    await listener.leave();
  });

  test('leaves no rows and no file, whatever comes in meanwhile', async () => {
    const gone = await send('Gone');
    const message = await firstMessage();
    expect(await rowsOf(message)).toMatchObject({ deliveries: groups.length, contents: 1, media: 1 });
    await app.database.clock.advance({ days: 1, minutes: 1 });
    await until(() => rollUpRuns(app.database.db), false);
    for (let last = await sumMinutes(app.database.db); last; last = await sumMinutes(app.database.db, last));
    expect(await rowsOf(message)).toMatchObject({ group_sums: groups.length });
    await remove(gone);
    await until(async () => {
      await rowsOf(message);
      return removeDeleted(app.database.db);
    }, false);
    // Live progress reports the deletion.
    expect(await rowsOf(message)).toEqual({ runs: 1, campaigns: 1, media: 1 });
    await app.database.clock.advance({ days: 2, minutes: 1 });
    await removeAll();
    await dropUnusedMedia(app.database.db, 0);
    expect(await rowsOf(message)).toEqual({});
  });

  test('keeps a file that another campaign has', async () => {
    const gone = await send('Gone');
    await send('Kept');
    const message = await firstMessage();
    await remove(gone);
    await app.database.clock.advance({ days: 3 });
    await removeAll();
    await dropUnusedMedia(app.database.db, 0);
    expect(await rowsOf(message)).toMatchObject({ campaigns: 1, contents: 1, media: 1, deliveries: groups.length });
  });
});

test('rejects the deletion of a campaign that is running or being recalled', async () => {
  const year = new Date().getUTCFullYear() + 1;
  const dates = { start_date: `${year}-03-01`, end_date: `${year}-03-02`, schedule_time: '09:00:00' };
  const post = { name: 'Next year', html: 'Hello', group_metadata_ids: groups, is_schedule: true, ...dates };
  const planned = (await alice.call('venom/add-campaign-batch', post)).headers.get('x-campaign-id') ?? '';
  expect(await remove(planned)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('Cancel it first') },
  });
  await alice.call('venom/cancel-campaign', { campaign_id: planned });
  expect(await remove(planned)).toMatchObject({ status: 200 });
  const sent = await send('Sent');
  const { db } = app.database;
  await execute(db)`
    insert into revisions (workspace_id, account_id, run_id, position, wanted, number, is_channel, not_before)
    select r.workspace_id, a.account_id, run_id, 1, 'recall', 1, false, campanile_now() + interval '1 hour'
    from runs r join campaigns c using (campaign_id) join accounts a on a.workspace_id = r.workspace_id
    where c.public_id = ${sent}::uuid`;
  expect(await remove(sent)).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining('still being recalled') },
  });
  await execute(db)`update revisions set wanted = null`;
  expect(await remove(sent)).toMatchObject({ status: 200 });
});

test('answers a repeat with the same idempotency key as the first request', async () => {
  const gone = await send('Gone');
  const ask = () =>
    fetch(`${app.url}/api/v1/venom/delete-campaign`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}`, 'idempotency-key': gone },
      body: JSON.stringify({ campaign_id: gone }),
    });
  expect((await ask()).status).toBe(200);
  expect((await ask()).status).toBe(200);
  expect((await remove(gone)).status).toBe(404);
});
