/** Which runs a correction rewrites. How members see it is in `revise.test.ts`. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { correctCampaign } from '../../../src/sending/campaigns/change/correct-campaign.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { convert, createOwner, schedule, type Owner } from '../../support/ledger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

/** Returns the runs in the order of their due times, each with the text it has; a planned run has that of its campaign. */
async function textsOf({ workspaceId }: Owner): Promise<Array<{ runId: number; text: string; status: string }>> {
  const rows = await readRows<{ runId: number; text: string; status: string }>(database.db)`
    select r.run_id as "runId", t.text, r.status from runs r join campaigns c using (campaign_id)
    join contents t on t.content_id = coalesce(r.content_id, c.content_id)
    where r.workspace_id = ${workspaceId} order by r.due_at`;
  return rows;
}

test('rewrites one run, and not the sent, waiting and planned runs with the same content', async () => {
  await database.clock.set('2031-03-01T00:00:00Z');
  const owner = await createOwner(database.db, 2);
  const campaignId = await schedule(database.db, owner, {
    startDate: '2031-03-03',
    endDate: '2031-03-06',
    time: '09:00:00',
  });
  for (const day of ['03', '04', '05']) {
    await database.clock.set(`2031-03-${day}T09:00:01Z`);
    for (let steps = 0; steps < 10 && (await beginDueRuns(database.db, EVERY_SHARD)) === 0; steps++);
    if (day !== '05') await turns.drain(owner, () => sent);
  }
  const before = await textsOf(owner);
  expect(before.map(({ status }) => status)).toEqual(['completed', 'completed', 'running', 'planned']);
  const html = 'Corrected';
  await correctCampaign({ db: database.db, convert }, owner, { campaignId, runId: before[1]?.runId ?? 0, html });
  expect((await textsOf(owner)).map(({ text }) => text)).toEqual(['Hello', 'Corrected', 'Hello', 'Hello']);
});
