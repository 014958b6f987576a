import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { rollUpRuns } from '../../../src/sending/campaigns/roll-up/roll-up-runs.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { drawPng } from '../../support/inputs/draw-png.ts';
import { until } from '../../support/ledger.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

interface Counts {
  recipients: number;
  delivered: number | null;
  read: number | null;
  delivery_rate: number | null;
  read_rate: number | null;
}
interface Analytics {
  totals: Counts & { queued: number };
  groups: Array<Counts & { kind: string }>;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const listed = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
const group = listed.body.data.groups[0]?.group_metadata_id ?? 0;
const created = await alice.call<{ group_metadata_id: number }>('venom/create-channel', {
  name: 'News',
  description: '',
  image: `data:image/png;base64,${drawPng(8, 8).toString('base64')}`,
});
const channel = created.body.data.group_metadata_id;

/** Posts to these chats. Of the group's 8 members 4 received and 1 read; the channel has 100 followers. */
async function analyticsOfPostTo(ids: number[]): Promise<Analytics> {
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids: ids };
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
  const read = async () => {
    const answer = await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', body.data);
    return answer.body.data;
  };
  await until(read, ({ totals }) => totals.queued === 0);
  const { db } = app.database;
  await execute(db)`update deliveries set recipients = 8, delivered = 4, read = 1 where group_id = ${group}`;
  await execute(db)`update deliveries set recipients = 100, views = 50 where group_id = ${channel}`;
  return read();
}

test('excludes followers of channels, who acknowledge nothing, from the rates of a campaign', async () => {
  const { totals, groups } = await analyticsOfPostTo([group, channel]);
  expect(totals).toMatchObject({ recipients: 108, delivered: 4, read: 1, delivery_rate: 4 / 8, read_rate: 1 / 8 });
  expect(groups.find((row) => row.kind === 'channel')).toMatchObject({ recipients: 100, read_rate: null });
});

test('returns no rates for a campaign to channels only', async () => {
  const { totals } = await analyticsOfPostTo([channel]);
  expect(totals).toMatchObject({ recipients: 100, delivered: null, read: null, delivery_rate: null, read_rate: null });
});

describe('the read rate', () => {
  let person: Person;
  let ids: number[];
  let people = 0;

  beforeEach(async () => {
    person = await app.signUp(`reader${++people}`);
    ids = await groupsOf(person);
    const created = await person.call<{ group_metadata_id: number }>('venom/create-channel', {
      name: 'News',
      description: '',
      image: `data:image/png;base64,${drawPng(8, 8).toString('base64')}`,
    });
    ids.push(created.body.data.group_metadata_id);
  });

  /** The rate in each answer that has one. */
  async function ratesOf(campaign_id: string) {
    const analytics = await person.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id });
    const listed = await person.call<{ campaigns: Array<{ progress: { read_rate: number | null } }> }>(
      'venom/list-campaigns',
      { with_reads: true },
    );
    const overview = await person.call<{
      totals: { read_rate: number | null };
      daily: Array<{ read_rate: number | null }>;
    }>('analytics/get-overview', { days: 9 });
    return {
      page: analytics.body.data.totals.read_rate,
      table: rateOfRows(analytics.body.data.groups),
      list: listed.body.data.campaigns[0]?.progress.read_rate ?? null,
      overview: overview.body.data.totals.read_rate,
      day: overview.body.data.daily.find((day) => day.read_rate !== null)?.read_rate ?? null,
    };
  }

  function rateOfRows(rows: Analytics['groups']): number | null {
    const telling = rows.filter((row) => row.kind !== 'channel');
    const sum = (pick: (row: Counts) => number) => telling.reduce((total, row) => total + pick(row), 0);
    return telling.length === 0 ? null : sum((row) => row.read ?? 0) / sum((row) => row.recipients);
  }

  const all = (rate: number | null) => ({ page: rate, table: rate, list: rate, overview: rate, day: rate });

  async function send(group_metadata_ids: number[]): Promise<string> {
    const { body } = await person.call<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Fair',
      html: 'Hello',
      group_metadata_ids,
    });
    await until(
      () => person.call<Analytics>('analytics/get-campaign-group-analytics-master', body.data),
      (answer) => answer.body.data.totals.queued === 0,
    );
    return body.data.campaign_id;
  }

  /** Records read receipts of `many` people for the post to the first group. */
  async function haveRead(many: number, from: number): Promise<void> {
    const rows = await readRows<{ accountId: AccountId; messageId: string }>(app.database.db)`
      select account_id as "accountId", message_id as "messageId" from deliveries where group_id = ${ids[0]}`;
    const [post] = rows;
    if (!post) throw new Error('nothing was posted to the first group');
    const at = new Date();
    const events = Array.from({ length: many }, (_, index) => ({
      kind: 'read' as const,
      ...post,
      participant: `reader-${from + index}`,
      at,
    }));
    await recordReceipts(app.database.db, events);
  }

  test('is the same in the campaign, its table, the list and the overview, before and after the roll-up', async () => {
    const id = await send(ids);
    const rows = await readRows<{ members: number }>(app.database.db)`
      select sum(d.recipients)::int as members from deliveries d join groups g on g.group_id = d.group_id
      where d.group_id = any(${ids}::bigint[]) and g.kind <> 'channel'`;
    const members = rows[0]?.members ?? 0;
    expect(members).toBeGreaterThan(4);
    expect(await ratesOf(id)).toEqual(all(0));
    await haveRead(2, 0);
    expect(await ratesOf(id), 'while it is read off the deliveries').toEqual(all(2 / members));
    await app.database.clock.advance({ days: 1, minutes: 1 });
    await until(() => rollUpRuns(app.database.db), false);
    expect(await ratesOf(id), 'once it is added up').toEqual(all(2 / members));
    await haveRead(2, 2);
    expect(await ratesOf(id), 'for what comes later').toEqual(all(4 / members));
    // More people than the group had when the post was sent.
    await haveRead(members, 4);
    const { page, ...others } = await ratesOf(id);
    expect(page).toBeLessThanOrEqual(1);
    expect(others).toEqual({ table: page, list: page, overview: page, day: page });
  });

  test('is null everywhere for a campaign to channels only', async () => {
    expect(await ratesOf(await send(ids.slice(-1)))).toEqual(all(null));
  });
});
