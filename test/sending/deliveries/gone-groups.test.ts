/** Posts to groups in which no account of the workspace is a member any more. */
import { execute } from '../../../src/platform/database/statements.ts';
import { afterEach, expect, test } from 'vitest';
import type { Worker } from '../../../src/app/worker.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsWhen, createOwner, groupNumber, sendNow, startTestWorker, type Owner } from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

const database = await useTestDatabase();

const workers: Worker[] = [];
afterEach(async () => {
  for (const worker of workers.splice(0)) await worker.stop();
});

/** The numbers of the groups of an owner that are gone, from 1. */
const setGone = ({ groupIds }: Owner, numbers: number[]) =>
  execute(database.db)`
    update groups set removed_at = case when group_id = any(${numbers.map((number) => groupIds[number - 1])}::bigint[])
                                        then campanile_now() end
    where group_id = any(${groupIds}::bigint[])`;

async function send(owner: Owner) {
  const messenger = scriptMessenger();
  const campaign = await sendNow(database.db, owner);
  const ended = () => analyticsWhen(database.db, owner, campaign, ({ totals }) => totals.queued === 0);
  const start = async () => void workers.push(await startTestWorker(database, messenger));
  const posted = () => messenger.arrivals.map(({ chatId }) => groupNumber(chatId)).toSorted((a, b) => a - b);
  return { messenger, campaign, ended, start, posted };
}

test('are not attempted and fail with the reason; each other group of the turn keeps its own result', async () => {
  const owner = await createOwner(database.db, 6);
  const { messenger, ended, start, posted } = await send(owner);
  await setGone(owner, [1, 4]);
  messenger.answer = ({ chatId }) =>
    groupNumber(chatId) === 5 ? { kind: 'refused', reason: 'too long', final: true } : undefined;
  await start();
  const { groups, totals } = await ended();
  expect(posted()).toEqual([2, 3, 6]);
  expect(totals).toMatchObject({ sent: 3, failed: 3 });
  const gone = expect.stringMatching(
    /^The group is gone: no account of the workspace is a member any more\. Sync your/,
  );
  expect(groups.map(({ lastError }) => lastError)).toEqual([gone, null, null, gone, 'too long', null]);
});

test('of a run with no other groups end it', async () => {
  const owner = await createOwner(database.db, 2);
  const { ended, start, posted } = await send(owner);
  await setGone(owner, [1, 2]);
  await start();
  expect((await ended()).totals).toMatchObject({ sent: 0, failed: 2 });
  expect(posted()).toEqual([]);
});

test('of which an earlier attempt may have left say so', async () => {
  const owner = await createOwner(database.db, 1);
  const { ended, start } = await send(owner);
  await execute(database.db)`update deliveries set uncertain = true where workspace_id = ${owner.workspaceId}`;
  await setGone(owner, [1]);
  await start();
  expect((await ended()).groups[0]?.lastError).toMatch(/^outcome_unknown: The group is gone/);
});

test('are sent by a retry once a group is back', async () => {
  const owner = await createOwner(database.db, 1);
  const { campaign, ended, start, posted } = await send(owner);
  await setGone(owner, [1]);
  await start();
  await ended();
  await setGone(owner, []);
  await retryCampaign(database, owner, campaign);
  expect((await ended()).totals).toMatchObject({ sent: 1, failed: 0 });
  expect(posted()).toEqual([1]);
});
