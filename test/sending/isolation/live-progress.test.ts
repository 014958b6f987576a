import { execute } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { listen } from '../../support/http/listen.ts';
import { ownerOf } from '../../support/workspaces.ts';

const app = await useTestApp();
const bad = await app.signUp('bad');
const good = await app.signUp('good');

async function send(person: Person): Promise<string> {
  const sent = await person.call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'Now',
    html: 'Hello',
    group_metadata_ids: await groupsOf(person),
  });
  return sent.body.data.campaign_id;
}

test('closes the stream of a workspace whose progress cannot be read, and keeps the others', async () => {
  const { workspaceId } = await ownerOf(app.database.db, bad);
  const groups = await groupsOf(bad);
  const year = new Date().getUTCFullYear() + 1;
  await bad.call('venom/add-campaign-batch', {
    name: 'Next year',
    html: 'Hello',
    group_metadata_ids: groups,
    is_schedule: true,
    start_date: `${year}-03-01`,
    end_date: `${year}-03-01`,
    schedule_time: '09:00:00',
    time_zone: 'UTC',
  });
  // No valid instant of JavaScript: the progress of the campaign cannot be serialized.
  await execute(app.database.db)`update runs set due_at = '290000-01-01' where workspace_id = ${workspaceId}`;
  const [broken, listener] = [await listen(app.url, bad.token), await listen(app.url, good.token)];
  const campaign = await send(good);
  await listener.hears(campaign, ({ status }) => status === 'completed');
  await until(broken.hasEnded, Boolean);
  await listener.leave();
  expect(listener.last(campaign)).toMatchObject({ status: 'completed' });
});
