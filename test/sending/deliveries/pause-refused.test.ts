/** A campaign whose last three deliveries were refused for one reason is paused, and asks its owner. */
import { readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { readLinkedRuns } from '../../../src/sending/campaigns/read/calendar-links.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { pauseCampaign, resumeCampaign, cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { retryCampaign } from '../../../src/sending/campaigns/change/retry-campaign.ts';
import { finishTurns } from '../../../src/sending/deliveries/finish-turns.ts';
import { classifyResult, type Outcome } from '../../../src/sending/deliveries/outcome.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { useTestDatabase } from '../../support/database.ts';
import {
  analyticsOf,
  createOwner,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';

const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);

const first = { attempts: 0, uncertain: false };
const refused = (reason: string) => classifyResult({ kind: 'refused', reason, final: true }, first);
const notAdmin = refused('only admins');
const gone = refused('gone');
const lost = classifyResult({ kind: 'unknown', reason: 'cut' }, { ...first, attempts: 100 });
const busy: Outcome = { kind: 'retry', waitMs: 0, reason: 'busy', uncertain: false };

const stateOf = async (owner: Owner, campaign: string) => {
  const { status, pauseReason } = await getCampaign(database, owner, campaign);
  return [status, pauseReason];
};

/** Sends one delivery after the other, with these outcomes, as an account with a gap does. Stops when there is none to claim. */
async function sendEach(owner: Owner, outcomes: readonly Outcome[]): Promise<number> {
  let done = 0;
  for (const outcome of outcomes) {
    const turn = await turns.tryClaim(owner, { batch: 1 });
    if (!turn) break;
    await turns.finish(turn, [outcome]);
    done += 1;
  }
  return done;
}

test('pauses a campaign after three equal refusals in a row, and goes on with the rest when it is resumed', async () => {
  const owner = await createOwner(database.db, 9);
  const campaign = await sendNow(database.db, owner);
  expect(await sendEach(owner, [sent, notAdmin, notAdmin, notAdmin, sent])).toBe(4);
  expect(await stateOf(owner, campaign)).toEqual(['paused', 'only admins']);
  expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 1, failed: 3, queued: 5 });
  await resumeCampaign(database, owner, campaign);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
  // Neither the next refusal nor the one after it stops it once more.
  expect(await sendEach(owner, [notAdmin, notAdmin, sent, notAdmin])).toBe(4);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
  expect(await sendEach(owner, [sent])).toBe(1);
  expect(await stateOf(owner, campaign)).toEqual(['completed_with_errors', null]);
});

test('pauses a resumed campaign once more after three new refusals', async () => {
  const owner = await createOwner(database.db, 8);
  const campaign = await sendNow(database.db, owner);
  await sendEach(owner, [notAdmin, notAdmin, notAdmin]);
  await resumeCampaign(database, owner, campaign);
  expect(await sendEach(owner, [notAdmin, notAdmin, notAdmin, sent])).toBe(3);
  expect(await stateOf(owner, campaign)).toEqual(['paused', 'only admins']);
  await cancelCampaign(database, owner, campaign);
  expect(await stateOf(owner, campaign)).toEqual(['cancelled', null]);
});

test.each([
  ['a post that was sent', [notAdmin, notAdmin, sent, notAdmin, sent]],
  ['another reason', [notAdmin, notAdmin, gone, notAdmin, sent]],
  ['an unknown outcome', [notAdmin, notAdmin, lost, notAdmin, sent]],
])('begins to count again after %s', async (_what, outcomes) => {
  const owner = await createOwner(database.db, 6);
  const campaign = await sendNow(database.db, owner);
  expect(await sendEach(owner, outcomes)).toBe(5);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
});

test('counts on over deliveries that are tried again', async () => {
  const owner = await createOwner(database.db, 6);
  const campaign = await sendNow(database.db, owner);
  await sendEach(owner, [notAdmin, busy, notAdmin, notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['paused', 'only admins']);
});

test('counts the deliveries of one turn in their order', async () => {
  const owner = await createOwner(database.db, 10);
  const campaign = await sendNow(database.db, owner);
  await turns.finish(await turns.claim(owner, { batch: 4 }), [notAdmin, notAdmin, notAdmin, sent]);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
  await turns.finish(await turns.claim(owner, { batch: 2 }), [sent, notAdmin]);
  await turns.finish(await turns.claim(owner, { batch: 2 }), [notAdmin, notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['paused', 'only admins']);
});

test('counts the refusals at the end of a turn, and over a delivery of it that is tried again', async () => {
  const owner = await createOwner(database.db, 11);
  const campaign = await sendNow(database.db, owner);
  await turns.finish(await turns.claim(owner, { batch: 4 }), [sent, notAdmin, sent, notAdmin]);
  await turns.finish(await turns.claim(owner, { batch: 1 }), [notAdmin]);
  await turns.finish(await turns.claim(owner, { batch: 2 }), [gone, notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
  await turns.finish(await turns.claim(owner, { batch: 3 }), [notAdmin, busy, notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['paused', 'only admins']);
});

test('lets the other campaigns of the account go on', async () => {
  const owner = await createOwner(database.db, 4);
  const refusing = await sendNow(database.db, owner);
  await sendEach(owner, [notAdmin, notAdmin, notAdmin]);
  const other = await sendNow(database.db, owner);
  expect(await sendEach(owner, [sent, sent, sent, sent, sent])).toBe(4);
  expect(await stateOf(owner, other)).toEqual(['completed', null]);
  expect(await stateOf(owner, refusing)).toEqual(['paused', 'only admins']);
});

test('a campaign of which nothing is left ends, and a retry begins to count again', async () => {
  const owner = await createOwner(database.db, 3);
  const campaign = await sendNow(database.db, owner);
  await sendEach(owner, [notAdmin, notAdmin, notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['completed_with_errors', null]);
  await retryCampaign(database, owner, campaign);
  expect(await sendEach(owner, [notAdmin, notAdmin, sent])).toBe(3);
  expect(await stateOf(owner, campaign)).toEqual(['completed_with_errors', null]);
});

test('pauses a schedule between its runs', async () => {
  const owner = await createOwner(database.db, 3);
  const campaign = await schedule(database.db, owner, {
    startDate: '2031-03-01',
    endDate: '2031-03-03',
    time: '09:00:00',
  });
  await database.clock.set('2031-03-01T09:00:01Z');
  await beginDueRuns(
    database.db,
    Array.from({ length: 256 }, (_, shard) => shard),
  );
  expect(await sendEach(owner, [notAdmin, notAdmin, notAdmin])).toBe(3);
  expect(await stateOf(owner, campaign)).toEqual(['paused', 'only admins']);
  const { runs } = await getCampaign(database, owner, campaign);
  expect(runs.map(({ status }) => status)).toEqual(['completed_with_errors', 'planned', 'planned']);
  // Calendar programs take the state from the feed only if it is newer.
  const calendar = { ...owner, workspaceName: null, groupListId: null, groupListName: null, language: null };
  const inFeed = await readLinkedRuns(database.db, calendar);
  expect(inFeed.map(({ changedAt }) => changedAt >= new Date('2031-03-01T09:00:01Z'))).toEqual([true, true, true]);
  await resumeCampaign(database, owner, campaign);
  expect(await stateOf(owner, campaign)).toEqual(['scheduled', null]);
});

test('a user who pauses it after that is not told that the service did', async () => {
  const owner = await createOwner(database.db, 6);
  const campaign = await sendNow(database.db, owner);
  await sendEach(owner, [notAdmin, notAdmin, notAdmin]);
  await resumeCampaign(database, owner, campaign);
  await pauseCampaign(database, owner, campaign);
  expect(await stateOf(owner, campaign)).toEqual(['paused', null]);
});

test('a finish that is repeated, or whose turn was taken over, adds no refusal', async () => {
  const owner = await createOwner(database.db, 5);
  const campaign = await sendNow(database.db, owner);
  const turn = await turns.claim(owner, { batch: 1 });
  for (let repeat = 0; repeat < 3; repeat++) await turns.finish(turn, [notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
  const taken = await turns.claim(owner, { batch: 1 });
  await turns.takeOver(owner);
  await turns.finish(taken, [notAdmin]);
  await turns.finish(taken, [notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
});

test('a receipt that proves a refused post ends the row', async () => {
  const owner = await createOwner(database.db, 6);
  const campaign = await sendNow(database.db, owner);
  await sendEach(owner, [notAdmin, notAdmin]);
  const rows = await readRows<{ message_id: string }>(database.db)`
    select message_id from deliveries where workspace_id = ${owner.workspaceId} order by position limit 1`;
  const messageId = rows[0]?.message_id ?? '';
  const at = new Date();
  await recordReceipts(database.db, [
    { kind: 'delivered', accountId: owner.accountId, messageId, participant: 'ann', at },
  ]);
  await sendEach(owner, [notAdmin]);
  expect(await stateOf(owner, campaign)).toEqual(['running', null]);
});

test('pauses each campaign of a batch of many accounts on its own', async () => {
  const [one, other] = [await createOwner(database.db, 5), await createOwner(database.db, 5)];
  const campaigns = [await sendNow(database.db, one), await sendNow(database.db, other)];
  const claimed = [await turns.claim(one, { batch: 3 }), await turns.claim(other, { batch: 3 })];
  await finishTurns(
    database.db,
    claimed.map((turn, index) => ({
      turn,
      outcomes: [notAdmin, notAdmin, index === 0 ? notAdmin : gone],
      gapMs: 0,
    })),
  );
  expect(await stateOf(one, campaigns[0] ?? '')).toEqual(['paused', 'only admins']);
  expect(await stateOf(other, campaigns[1] ?? '')).toEqual(['running', null]);
});

test('a worker sends to no further group, and to each of the rest once when it is resumed', async () => {
  const messenger = scriptMessenger();
  const owner = await createOwner(database.db, 8);
  let isRefusing = true;
  messenger.answer = () => (isRefusing ? { kind: 'refused', reason: 'only admins', final: true } : undefined);
  const worker = await startTestWorker(database, messenger, { gap: { minMs: 1, maxMs: 2 } });
  const campaign = await sendNow(database.db, owner);
  await until(
    () => stateOf(owner, campaign),
    ([status]) => status === 'paused',
  );
  isRefusing = false;
  const other = await sendNow(database.db, owner);
  await until(
    () => stateOf(owner, other),
    ([status]) => status === 'completed',
  );
  expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 0, failed: 3, queued: 5 });
  await resumeCampaign(database, owner, campaign);
  await until(
    () => stateOf(owner, campaign),
    ([status]) => status === 'completed_with_errors',
  );
  await worker.stop();
  expect((await analyticsOf(database.db, owner, campaign)).totals).toMatchObject({ sent: 5, failed: 3, queued: 0 });
  expect(new Set(messenger.arrivals.map(({ messageId }) => messageId)).size).toBe(messenger.arrivals.length);
});
