/** Whether a post mentions everybody is decided once, before its first attempt. */
import { describeFailure } from '../../../src/platform/errors/failures.ts';
import { execute, readColumn, readRows } from '../../../src/platform/database/statements.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addCampaign } from '../../../src/sending/campaigns/accept/add-campaign.ts';
import type { Turn } from '../../../src/sending/deliveries/claim-turns.ts';
import { decideMentions } from '../../../src/sending/deliveries/decide-mentions.ts';
import type { Worker } from '../../../src/app/worker.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, convert, createOwner, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger, type ScriptedMessenger } from '../../support/scripted-messenger.ts';

let messenger: ScriptedMessenger;
let worker: Worker | undefined;
const database = await useTestDatabase();
beforeEach(() => {
  messenger = scriptMessenger();
});
afterEach(async () => {
  await worker?.stop();
  worker = undefined;
});

async function start(): Promise<void> {
  worker = await startTestWorker(database, messenger);
}

async function send(owner: Owner, html: string): Promise<string> {
  const post = { name: 'Test', description: '', html, image: null, isChannelCampaign: false };
  const input = { ...post, groupIds: owner.groupIds, scheduleTime: null, extras: { mentionAll: true as const } };
  return (await addCampaign({ db: database.db, convert }, owner, input)).campaignId;
}
const mentionsOf = async ({ workspaceId }: Owner) => {
  return readColumn<string | null>(database.db)`
    select left_out ->> 'code' from everyone_mentions where workspace_id = ${workspaceId} order by run_id, position`;
};

/** The account's turn on its first delivery, in hand as after a claim. */
async function claim({ accountId, workspaceId }: Owner, runId: number): Promise<Turn> {
  const rows = await readRows<{ turn: number; content_id: number; message_id: string }>(database.db)`
    with taken as (
      update lanes set turn = turn + 1, work_at = null, in_hand_run_id = ${runId}, in_hand = '{[1,2)}'
      where account_id = ${accountId} returning turn)
    select t.turn, r.content_id, d.message_id from taken t, runs r
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.position = 1
    where r.workspace_id = ${workspaceId} and r.run_id = ${runId}`;
  const [row] = rows;
  if (!row) throw new Error('there is nothing to claim');
  const { turn, content_id: contentId, message_id: messageId } = row;
  const attempt = { attempts: 0, uncertain: false, resend: false, interruptedAttempts: 0 };
  const deliveries = [{ position: 1, messageId, chatId: 'x', ...attempt }];
  return { workspaceId, accountId, turn, messenger: 'sandbox', runId, contentId, deliveries };
}
const runsOf = async ({ workspaceId }: Owner) => {
  const rows = await database.db
    .selectFrom('runs')
    .select('run_id')
    .where('workspace_id', '=', workspaceId)
    .orderBy('run_id')
    .execute();
  return rows.map((row) => row.run_id);
};
const decide = (turn: Turn) => decideMentions({ db: database.db, timeZone: 'UTC' }, turn);

test('each attempt of a post says the same', async () => {
  let isBusy = true;
  messenger.answer = () => {
    if (!isBusy) return undefined;
    isBusy = false;
    return { kind: 'unknown', reason: 'no answer' };
  };
  await start();
  const owner = await createOwner(database.db, 1);
  const campaign = await send(owner, 'Hello');
  await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 1);
  expect(messenger.arrivals.map(({ mentionAll }) => mentionAll)).toEqual([true, true]);
  expect(await mentionsOf(owner)).toEqual([null]);
});

test('a post that surely never arrived leaves the mention to the next one', async () => {
  messenger.answer = () => ({ kind: 'refused', reason: 'not here', final: true });
  await start();
  const owner = await createOwner(database.db, 1);
  const first = await send(owner, 'One');
  await analyticsWhen(database.db, owner, first, ({ totals }) => totals.failed === 1);
  messenger.answer = () => undefined;
  const second = await send(owner, 'Two');
  await analyticsWhen(database.db, owner, second, ({ totals }) => totals.sent === 1);
  expect(messenger.arrivals.map(({ text, mentionAll }) => [text, mentionAll])).toEqual([['Two', true]]);
});

test('a post whose outcome is unknown counts', async () => {
  messenger.find = () => Promise.resolve(null);
  messenger.answer = () => ({ kind: 'unknown', reason: 'no answer' });
  await start();
  const owner = await createOwner(database.db, 1);
  const first = await send(owner, 'One');
  await analyticsWhen(database.db, owner, first, ({ totals }) => totals.failed === 1);
  await expect(send(owner, 'Two')).rejects.toMatchObject({ code: 'mention_cap_reached' });
});

test('a turn that was lost decides nothing, and two runs never both mention', async () => {
  const owner = await createOwner(database.db, 1);
  await execute(database.db)`update workspaces set mention_all_cap = 2 where workspace_id = ${owner.workspaceId}`;
  await send(owner, 'One');
  await send(owner, 'Two');
  await execute(database.db)`update workspaces set mention_all_cap = 1 where workspace_id = ${owner.workspaceId}`;
  const [one = 0, two = 0] = await runsOf(owner);
  const lost = await claim(owner, one);
  const next = await claim(owner, two);
  expect(await decide(lost)).toBeUndefined();
  expect(await decide(next)).toEqual(new Set([1]));
  expect(await decide(await claim(owner, one))).toEqual(new Set());
  // A higher cap changes no decision.
  await execute(database.db)`update workspaces set mention_all_cap = 5 where workspace_id = ${owner.workspaceId}`;
  expect(await decide(await claim(owner, one))).toEqual(new Set());
  expect(await decide(await claim(owner, two))).toEqual(new Set([1]));
});

test('records what the messaging application left out', async () => {
  messenger.answer = () => ({ kind: 'sent', recipients: 40, mentionLeftOut: describeFailure('mention_by_admins') });
  await start();
  const owner = await createOwner(database.db, 2);
  const campaign = await send(owner, 'Hello');
  const { reach } = await analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.sent === 2);
  expect(await mentionsOf(owner)).toEqual(['mention_by_admins', 'mention_by_admins']);
  const told = { error: describeFailure('mention_by_admins').reason, code: 'mention_by_admins', params: null };
  expect([...reach.groups.values()].map(({ mentionLeftOut }) => mentionLeftOut)).toEqual([told, told]);
});
