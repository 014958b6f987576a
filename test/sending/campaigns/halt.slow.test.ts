import { readRows, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { DELIVERIES_PER_TURN } from '../../../src/sending/deliveries/send-loop.ts';
import { sleep } from '../../../src/platform/time/time.ts';
import { useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { comparePosts, type ExpectedRun } from '../../../harness/witness/compare-posts.ts';
import { startWitness } from '../../../harness/witness/start-witness.ts';
import { startWitnessedWorker } from '../../../harness/witness/start-worker.ts';
import { workspaceOf } from '../../support/workspaces.ts';
import type { AccountId } from '../../../src/platform/database/schema.ts';

/** Long enough for a worker that had not heard of a pause to send several more. */
const A_WHILE_MS = 400;
const nowMs = () => performance.timeOrigin + performance.now();

const app = await useTestApp({ role: 'api' });
const witness = await startWitness();
const alice = await app.signUp('alice');
const account = sql<{
  account_id: AccountId;
}>`select account_id from accounts where workspace_id = ${workspaceOf(alice)}`;
const accountId = (await account.execute(app.database.db)).rows[0]?.account_id ?? (0 as AccountId);
afterAll(() => witness.stop());

/** Groups of Alice's, straight into the ledger. */
async function createGroups(count: number): Promise<Array<{ groupId: number; chatId: string }>> {
  const rows = await readRows<{ group_id: number; chat_id: string }>(app.database.db)`
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select ${workspaceOf(alice)}, id, id, 'group', id, 2, true from (select gen_random_uuid() || '@g.us' as id
    from generate_series(1, ${count}::int)) new returning group_id, chat_id`;
  return rows.map((row) => ({ groupId: row.group_id, chatId: row.chat_id }));
}

async function send(text: string, groups: Awaited<ReturnType<typeof createGroups>>) {
  const askedMs = nowMs();
  const { body } = await alice.call<{ campaign_id: string }>('venom/add-campaign', {
    name: text,
    html: text,
    group_metadata_ids: groups.map(({ groupId }) => groupId),
  });
  const chatIds = groups.map(({ chatId }) => chatId);
  const run = { accountId, text, chatIds, askedMs, dueMs: nowMs(), cancelled: false };
  const campaign: ExpectedRun & { halts: Array<{ fromMs: number; toMs: number }> } = { ...run, halts: [] };
  const arrived = async () => (await witness.entries()).filter((entry) => entry.text === text).length;
  const control = async (what: 'pause' | 'resume' | 'cancel') => {
    const { status } = await alice.call(`venom/${what}-campaign`, { campaign_id: body.data.campaign_id });
    expect(status).toBe(200);
  };
  return { campaign, arrived, control, campaignId: body.data.campaign_id };
}

async function faultsOf(run: ExpectedRun, turnSize: number) {
  const own = (await witness.entries()).filter((entry) => entry.text === run.text);
  const { faults } = comparePosts(own, { runs: [run], gapMs: new Map(), turnSize: () => turnSize });
  return Object.entries(faults).filter(([, found]) => found > 0);
}

test('sends at most the post in hand after a pause or cancel of a paced account', async () => {
  const paced = await startWitnessedWorker(app.database, witness, '5-15');
  await witness.behave({ delayMs: [0, 30] });
  // More than are sent before a slow machine has answered all of the requests below.
  const groups = await createGroups(2_000);
  for (let round = 1; round <= 3; round++) {
    const { campaign, arrived, control } = await send(`round ${round}`, groups);
    for (const most of [5, 15]) {
      await until(arrived, (count) => count >= most);
      await control('pause');
      const halt = { fromMs: nowMs(), toMs: Infinity };
      campaign.halts.push(halt);
      await sleep(A_WHILE_MS);
      halt.toMs = nowMs();
      await control('resume');
    }
    await until(arrived, (count) => count >= 25);
    await control('cancel');
    campaign.halts.push({ fromMs: nowMs(), toMs: Infinity });
    campaign.cancelled = true;
    await sleep(A_WHILE_MS);
    expect(await faultsOf(campaign, 1)).toEqual([]);
    expect(await arrived()).toBeLessThan(groups.length);
  }
  expect(await paced.stop()).toBe(0);
  await paced.remove();
});

test('begins no second turn after a cancel of an account without a gap', async () => {
  const worker = await startWitnessedWorker(app.database, witness);
  // A turn is longer than a slow machine needs for a cancel.
  await witness.behave({ delayMs: [5, 10] });
  const groups = await createGroups(2 * DELIVERIES_PER_TURN);
  const { campaign, arrived, control, campaignId } = await send('all at once', groups);
  await until(arrived, (count) => count >= 10);
  await control('cancel');
  campaign.halts.push({ fromMs: nowMs(), toMs: Infinity });
  campaign.cancelled = true;
  const totals = async () =>
    (
      await alice.call<{ totals: { sent: number; cancelled: number } }>(
        'analytics/get-campaign-group-analytics-master',
        { campaign_id: campaignId },
      )
    ).body.data.totals;
  // The turn that was in hand is written down as it came out.
  await until(totals, ({ sent }) => sent > 0);
  await sleep(A_WHILE_MS);
  expect(await faultsOf(campaign, DELIVERIES_PER_TURN)).toEqual([]);
  expect(await arrived()).toBeLessThanOrEqual(DELIVERIES_PER_TURN);
  expect(await totals()).toMatchObject({ sent: await arrived(), cancelled: groups.length - (await arrived()) });
  expect(await worker.stop()).toBe(0);
  await worker.remove();
});
