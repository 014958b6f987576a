import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Person, type TestApp } from '../support/app.ts';
import { drawPng } from '../support/draw-png.ts';
import { until } from '../support/ledger.ts';

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

let app: TestApp;
let alice: Person;
let group: number;
let channel: number;

beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  alice = await app.signUp('alice');
  const listed = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  group = listed.body.data.groups[0]?.group_metadata_id ?? 0;
  const created = await alice.call<{ group_metadata_id: number }>('venom/create-channel', {
    name: 'News',
    description: '',
    image: `data:image/png;base64,${drawPng(8, 8).toString('base64')}`,
  });
  channel = created.body.data.group_metadata_id;
});
afterAll(() => app.stop());

/** Sent to these, with four members of the group reached of whom one read, and a hundred followers of the channel. */
async function analyticsOfPostTo(ids: number[]): Promise<Analytics> {
  const post = { name: 'Fair', html: 'Hello', group_metadata_ids: ids };
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
  const read = async () => {
    const answer = await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', body.data);
    return answer.body.data;
  };
  await until(read, ({ totals }) => totals.queued === 0);
  const { db } = app.database;
  await sql`update deliveries set recipients = 8, delivered = 4, read = 1 where group_id = ${group}`.execute(db);
  await sql`update deliveries set recipients = 100, views = 50 where group_id = ${channel}`.execute(db);
  return read();
}

test('the rates of a campaign are of those who can acknowledge: followers of a channel are left out', async () => {
  const { totals, groups } = await analyticsOfPostTo([group, channel]);
  expect(totals).toMatchObject({ recipients: 108, delivered: 4, read: 1, delivery_rate: 4 / 8, read_rate: 1 / 8 });
  expect(groups.find((row) => row.kind === 'channel')).toMatchObject({ recipients: 100, read_rate: null });
});

test('a campaign to channels alone has no rates', async () => {
  const { totals } = await analyticsOfPostTo([channel]);
  expect(totals).toMatchObject({ recipients: 100, delivered: null, read: null, delivery_rate: null, read_rate: null });
});
