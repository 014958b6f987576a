/** A write that would break a rule of the ledger is rejected: its account is quarantined, and the others go on. Each test plants a contradiction. */
import { Writable } from 'node:stream';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { beforeEach, expect, test } from 'vitest';
import { readAccountStatus } from '../../../src/sending/accounts/account-status.ts';
import { connectAccount } from '../../../src/sending/accounts/connect-account.ts';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { cancelCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { processBulkRequests } from '../../../src/sending/campaigns/change/process-bulk-requests.ts';
import { getCampaign } from '../../../src/sending/campaigns/read/get-campaign.ts';
import { createFinisher, createOutcomeWriter } from '../../../src/sending/deliveries/outcome-writer.ts';
import type { Log } from '../../../src/platform/log/log.ts';
import { measureAccounts } from '../../../src/operations/metrics.ts';
import { recordReceipts } from '../../../src/sending/receipts/record-receipts.ts';
import { EVERY_SHARD } from '../../support/begin-runs.ts';
import { useTestDatabase } from '../../support/database.ts';
import { analyticsOf, createOwner, schedule, sendNow, type Owner } from '../../support/ledger.ts';
import { sent, takeTurnsByHand } from '../../support/turns.ts';
import type { AccountId, WorkspaceId } from '../../../src/platform/database/schema.ts';

let lines: Array<{ msg: string; accountId?: AccountId; workspaceId?: WorkspaceId; rule?: string }>;
let log: Log;
const database = await useTestDatabase();
const turns = await takeTurnsByHand(database.db);
beforeEach(() => {
  lines = [];
  const stream = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as (typeof lines)[number]);
      done();
    },
  });
  log = pino({ level: 'warn', base: null }, stream);
});

async function readStopped(): Promise<string | undefined> {
  const registry = new Registry();
  measureAccounts(registry, { db: database.db, log });
  return /^campanile_accounts_stopped (.*)$/m.exec(await registry.metrics())?.[1];
}

async function connect(owner: Owner): Promise<void> {
  const waiters = { wait: () => Promise.reject(new Error('nothing is asked of a session')) };
  const deps = { db: database.db, timeZone: 'UTC', waiters, messengers: new Map(), async countPairingCode() {} };
  expect(await connectAccount(deps, owner, { messenger: undefined, method: 'qr' })).toMatchObject({
    status: 'connected',
  });
}

/** Claims a turn of each owner, plants a contradiction in the first, and finishes all in one batch. */
async function finishTogether(owners: Owner[], plant: () => Promise<unknown>, batch = 500): Promise<void> {
  const claimed = await Promise.all(owners.map((owner) => turns.claim(owner, { batch })));
  await plant();
  const finisher = createFinisher({
    db: database.db,
    inFlight: () => claimed.length,
    writer: createOutcomeWriter({ db: database.db, log }),
  });
  await Promise.all(
    claimed.map((turn) => finisher.finish({ turn, outcomes: turn.deliveries.map(() => sent), gapMs: 0 })),
  );
}

const readRun = async (owner: Owner) => {
  const rows = await readRows<{ status: string; sums: number[] }>(database.db)`
    select status, array[queued, sent, failed, cancelled] as sums from runs where workspace_id = ${owner.workspaceId}`;
  return rows[0];
};

test('quarantines an account whose finish would count below zero, and records the rest of the batch', async () => {
  const owners = [
    await createOwner(database.db, 3),
    await createOwner(database.db, 3),
    await createOwner(database.db, 3),
  ];
  const [wrong, ...right] = owners as [Owner, Owner, Owner];
  const campaigns = new Map<Owner, string>();
  for (const owner of owners) campaigns.set(owner, await sendNow(database.db, owner));
  await finishTogether(
    [right[0], wrong, right[1]],
    () => execute(database.db)`update runs set queued = 1, cancelled = 2 where workspace_id = ${wrong.workspaceId}`,
  );
  for (const owner of right) expect(await readRun(owner)).toEqual({ status: 'completed', sums: [0, 3, 0, 0] });
  expect(await readRun(wrong)).toEqual({ status: 'running', sums: [1, 0, 0, 2] });
  expect(lines).toMatchObject([{ accountId: wrong.accountId, rule: 'runs_counts', msg: /a workspace was stopped/ }]);
  expect(await readStopped()).toBe('1');
  expect(await readAccountStatus({ db: database.db, timeZone: 'UTC' }, wrong)).toEqual({
    accountId: wrong.accountId,
    isDefault: true,
    messenger: 'sandbox',
    status: 'paused',
    whatsappNumber: '4915100000001',
    isNumberFixed: false,
    externalId: null,
    metadata: {},
    wait: { reason: 'quarantined', since: expect.any(Date), until: null },
    reasonCode: 'quarantined',
    reason: expect.stringMatching(/^Sending is stopped, .* Connect your account again/),
  });
  // Whatever else happens to it.
  await database.clock.advance({ hours: 1 });
  expect(await turns.tryClaim(wrong)).toBeUndefined();

  await connect(wrong);
  expect(await readRun(wrong)).toEqual({ status: 'running', sums: [3, 0, 0, 0] });
  expect(await readStopped()).toBe('0');
  // One by one, as whatever was in hand when it went wrong.
  const again = await turns.claim(wrong);
  expect(again.deliveries).toMatchObject([{ position: 1, uncertain: true }]);
  await turns.finish(again, [sent]);
  await turns.drain(wrong, () => sent);
  const { totals, campaign } = await analyticsOf(database.db, wrong, campaigns.get(wrong) ?? '');
  expect(totals).toMatchObject({ sent: 3, queued: 0, failed: 0, cancelled: 0 });
  expect(campaign.status).toBe('completed');
});

test('keeps a run open that has something to send, whatever its sums say', async () => {
  const owner = await createOwner(database.db, 3);
  await sendNow(database.db, owner);
  const plant = () =>
    execute(database.db)`update runs set queued = 1, failed = 2 where workspace_id = ${owner.workspaceId}`;
  await finishTogether([owner], plant, 1);
  expect(await readRun(owner)).toEqual({ status: 'running', sums: [1, 0, 2, 0] });
  expect(lines).toMatchObject([{ accountId: owner.accountId, rule: 'runs_settled' }]);
  await connect(owner);
  await turns.drain(owner, () => sent);
  expect(await readRun(owner)).toEqual({ status: 'completed', sums: [0, 3, 0, 0] });
});

test('quarantines an account whose run cannot begin or be missed, and begins the others', async () => {
  const [wrong, right] = [await createOwner(database.db, 1), await createOwner(database.db, 1)];
  await database.clock.set('2032-03-01T00:00:00Z');
  const at = (time: string) => ({ startDate: '2032-03-01', endDate: '2032-03-01', time });
  await schedule(database.db, wrong, at('02:00:00'));
  const campaign = await schedule(database.db, right, at('09:00:00'));
  await execute(database.db)`update campaigns set open_runs = 0 where workspace_id = ${wrong.workspaceId}`;
  await database.clock.set('2032-03-01T09:00:01Z');
  await beginDueRuns(database.db, EVERY_SHARD, { log });
  expect(await getCampaign(database, right, campaign)).toMatchObject({ status: 'running' });
  expect(await readRun(wrong)).toMatchObject({ status: 'planned' });
  expect(lines).toMatchObject([{ workspaceId: wrong.workspaceId, rule: 'campaigns_open_runs_check' }]);
  // It is not tried again and again.
  expect(await beginDueRuns(database.db, EVERY_SHARD, { log })).toBeGreaterThan(100);
  await connect(wrong);
  await beginDueRuns(database.db, EVERY_SHARD, { log });
  expect(await readRun(wrong)).toMatchObject({ status: 'missed' });
  expect(lines).toHaveLength(1);
  await turns.drain(right, () => sent);
});

test('quarantines an account whose receipts would break a rule, and counts those of others', async () => {
  const owners = [await createOwner(database.db, 1), await createOwner(database.db, 1)];
  const [wrong, right] = owners as [Owner, Owner];
  for (const owner of owners) {
    await sendNow(database.db, owner);
    await turns.drain(owner, () => ({ kind: 'failed', reason: 'outcome_unknown: cut', uncertain: true }));
  }
  await execute(database.db)`update runs set failed = 0, cancelled = 1 where workspace_id = ${wrong.workspaceId}`;
  const rows = await readRows<{ accountId: AccountId; messageId: string }>(database.db)`
    select account_id as "accountId", message_id as "messageId" from deliveries
    where workspace_id = any(${owners.map((owner) => owner.workspaceId)}::bigint[]) order by 1`;
  const events = rows.map((row) => ({ ...row, kind: 'read' as const, participant: 'ann', at: new Date() }));
  await recordReceipts(database.db, events, log);
  expect(await readRun(right)).toEqual({ status: 'completed', sums: [0, 1, 0, 0] });
  expect(await readRun(wrong)).toEqual({ status: 'completed_with_errors', sums: [0, 0, 0, 1] });
  expect(lines).toMatchObject([{ accountId: wrong.accountId, rule: 'runs_counts' }]);
  await connect(wrong);
  await recordReceipts(database.db, events, log);
  expect(await readRun(wrong)).toEqual({ status: 'completed', sums: [0, 1, 0, 0] });
});

test('rejects a request that would break a rule of the ledger, and quarantines the account', async () => {
  const owner = await createOwner(database.db, 3);
  const campaign = await sendNow(database.db, owner);
  await execute(database.db)`update runs set queued = 1, cancelled = 2 where workspace_id = ${owner.workspaceId}`;
  const cancelling = cancelCampaign({ db: database.db, log }, owner, campaign);
  await expect(cancelling).rejects.toMatchObject({
    kind: 'conflict',
    message: expect.stringMatching(/^Sending is stopped/),
  });
  expect(await readRun(owner)).toEqual({ status: 'running', sums: [1, 0, 0, 2] });
  expect(lines).toMatchObject([{ workspaceId: owner.workspaceId, rule: 'runs_counts' }]);
  await connect(owner);
  expect(await cancelCampaign({ db: database.db, log }, owner, campaign)).toMatchObject({ status: 'cancelled' });
  expect(await readRun(owner)).toEqual({ status: 'cancelled', sums: [0, 0, 0, 3] });
});

test('quarantines a workspace whose bulk request would break a rule, and carries out those of others', async () => {
  const owners = [await createOwner(database.db, 3), await createOwner(database.db, 3)];
  const [wrong, right] = owners as [Owner, Owner];
  for (const owner of owners) await sendNow(database.db, owner);
  await execute(database.db)`
    update runs set status = 'cancelled', dropping = true, finished_at = campanile_now()
    where workspace_id = any(${owners.map((owner) => owner.workspaceId)}::bigint[])`;
  await execute(database.db)`update runs set queued = 1, cancelled = 2 where workspace_id = ${wrong.workspaceId}`;
  await processBulkRequests(database.db, EVERY_SHARD, { log });
  expect(await readRun(right)).toEqual({ status: 'cancelled', sums: [0, 0, 0, 3] });
  expect(await readRun(wrong)).toEqual({ status: 'cancelled', sums: [1, 0, 0, 2] });
  expect(lines).toMatchObject([
    { workspaceId: wrong.workspaceId, rule: 'runs_counts', msg: /a workspace was stopped/ },
  ]);
  // Nothing of it is written until its user connects it again.
  await processBulkRequests(database.db, EVERY_SHARD, { log });
  expect(lines).toHaveLength(1);
  await connect(wrong);
  await processBulkRequests(database.db, EVERY_SHARD, { log });
  expect(await readRun(wrong)).toEqual({ status: 'cancelled', sums: [0, 0, 0, 3] });
});
