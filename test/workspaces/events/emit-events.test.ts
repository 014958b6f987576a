import { execute, readColumn, sql } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { beginDueRuns } from '../../../src/sending/campaigns/begin/begin-runs.ts';
import { recallCampaign } from '../../../src/sending/campaigns/change/recall-campaign.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/sending/campaigns/change/control.ts';
import { detectLateRuns } from '../../../src/sending/campaigns/begin/detect-late-runs.ts';
import { clearOld } from '../../support/clear-old.ts';
import { readEventsAfter } from '../../../src/workspaces/events/read-events.ts';
import { assignPositions } from '../../../src/workspaces/events/assign-positions.ts';
import { EVENT_TYPES } from '../../../src/workspaces/events/event-types.ts';
import { WEBHOOK_EVENTS } from '../../../src/api/contract/webhook-events.ts';
import { classifyEnding } from '../../../src/messengers/whatsapp/failures.ts';
import { createTestDatabase, useTestDatabase } from '../../support/database.ts';
import {
  createOwner,
  groupNumber,
  schedule,
  sendNow,
  startTestWorker,
  until,
  type Owner,
} from '../../support/ledger.ts';
import { scriptMessenger } from '../../support/scripted-messenger.ts';

let owner: Owner;

const database = await useTestDatabase();
const messenger = scriptMessenger();
const worker = await startTestWorker(database, messenger);
afterAll(() => worker.stop());
beforeEach(async () => {
  messenger.answer = () => undefined;
  owner = await createOwner(database.db, 3);
});

async function sequenceAll(): Promise<void> {
  while (await assignPositions(database));
}

async function eventsOf({ workspaceId }: Owner) {
  await sequenceAll();
  const events = await readEventsAfter(database.db, workspaceId, 0, { limit: 1_000 });
  for (const { type, data } of events) {
    const known = EVENT_TYPES.find((one) => one === type);
    const fit = known ? WEBHOOK_EVENTS[known].data.safeParse(data) : undefined;
    if (fit?.error) throw fit.error;
  }
  return events;
}

const typesOf = async (whose: Owner) => (await eventsOf(whose)).map(({ type }) => type);

/** Adds a webhook for these events. */
async function listen({ workspaceId, userId }: Owner, events: readonly string[] = EVENT_TYPES): Promise<void> {
  await execute(database.db)`
    insert into webhooks (webhook_id, workspace_id, user_id, url, description, events, signature, secret, position, newest)
    values (gen_random_uuid(), ${workspaceId}, ${userId}, '', '', ${[...events]}::text[], 'v1', '', 0, 0)`;
}

async function ended(whose: Owner): Promise<void> {
  await until(
    () => typesOf(whose),
    (types) => types.some((type) => type.startsWith('campaign.completed')),
  );
}

test('names the campaign in the events of its runs', async () => {
  await sendNow(database.db, owner);
  await ended(owner);
  const events = await eventsOf(owner);
  const named = (family: string) =>
    events.filter(({ type }) => type.startsWith(family)).map(({ data }) => (data as { name?: string }).name);
  const [name] = named('campaign.');
  expect(name).toEqual(expect.any(String));
  expect(named('run.')).toEqual([name, name]);
});

test.each([['delivery.*'], ['*']])(
  'emits the failed deliveries for a webhook that subscribes to %s',
  async (filter) => {
    await listen(owner, [filter]);
    messenger.answer = () => ({ kind: 'refused', final: true, reason: 'no such group' });
    await sendNow(database.db, owner);
    await until(
      async () => {
        await database.clock.advance({ hours: 1 });
        return typesOf(owner);
      },
      (types) => types.includes('campaign.completed_with_errors'),
    );
    expect(await typesOf(owner)).toContain('delivery.failed');
  },
);

test('emits the events of a campaign in order, each once, also without a listener', async () => {
  const campaignId = await sendNow(database.db, owner);
  await ended(owner);
  const events = await eventsOf(owner);
  expect(events.map(({ type }) => type)).toEqual([
    'campaign.accepted',
    'campaign.started',
    'run.started',
    'run.completed',
    'campaign.completed',
  ]);
  for (const { data } of events) expect(data).toMatchObject({ campaign_id: campaignId });
  expect(events[3]?.data).toMatchObject({ status: 'completed', group_count: 3, queued: 0, sent: 3, failed: 0 });
});

test('emits failed deliveries in groups of a hundred, unknown ones separately, and only for a listener', async () => {
  // Different reasons, which pause no campaign.
  messenger.answer = ({ chatId }) =>
    chatId.endsWith('-1@g.us')
      ? { kind: 'unknown', reason: 'nobody answered' }
      : { kind: 'refused', final: true, reason: `no such group ${groupNumber(chatId) % 2}` };
  const many = await createOwner(database.db, 251);
  await listen(many);
  await sendNow(database.db, many);
  await sendNow(database.db, owner);
  await until(
    async () => {
      await database.clock.advance({ hours: 1 });
      return typesOf(many);
    },
    (types) => types.includes('campaign.completed_with_errors'),
  );
  const events = await eventsOf(many);
  const told = events.filter(({ type }) => type === 'delivery.failed') as Array<{ data: { deliveries: unknown[] } }>;
  expect(told.reduce((sum, { data }) => sum + data.deliveries.length, 0)).toBe(250);
  for (const { data } of told) {
    expect(data.deliveries.length).toBeLessThanOrEqual(100);
    expect(JSON.stringify(data).length).toBeLessThan(20_000);
  }
  expect(told[0]?.data.deliveries[0]).toMatchObject({ error: 'no such group 0', attempts: 1 });
  expect(events.filter(({ type }) => type === 'delivery.unknown').map(({ data }) => data)).toMatchObject([
    { deliveries: [{ group_metadata_id: many.groupIds[0] }] },
  ]);
  await ended(owner);
  expect(await typesOf(owner)).not.toContain('delivery.failed');
});

test('emits pause, resume and recall', async () => {
  const campaignId = await schedule(database.db, owner, {
    startDate: '2090-01-01',
    endDate: '2090-01-02',
    time: '09:00:00',
  });
  await pauseCampaign(database, owner, campaignId);
  await resumeCampaign(database, owner, campaignId);
  await recallCampaign(database, owner, { campaignId, runId: null }).catch(() => undefined);
  expect(await typesOf(owner)).toEqual(['campaign.accepted', 'campaign.paused', 'campaign.resumed']);
  const sent = await sendNow(database.db, owner);
  await until(
    () => typesOf(owner),
    (types) => types.includes('campaign.completed'),
  );
  await recallCampaign(database, owner, { campaignId: sent, runId: null });
  expect((await typesOf(owner)).at(-1)).toBe('campaign.recalled');
});

test('emits a run as late after a minute, once, and as missed if it can no longer begin', async () => {
  const tomorrow = new Date((await database.clock.now()).getTime() + 24 * 3_600_000).toISOString().slice(0, 10);
  await schedule(database.db, owner, { startDate: tomorrow, endDate: tomorrow, time: '09:00:00' });
  // No worker may send for it meanwhile.
  await execute(database.db)`update lanes set held_until = 'infinity' where account_id = ${owner.accountId}`;
  await database.clock.set(`${tomorrow}T09:00:59Z`);
  const shards = Array.from({ length: 256 }, (_, shard) => shard);
  await detectLateRuns(database.db, shards);
  expect(await typesOf(owner)).toEqual(['campaign.accepted']);
  await database.clock.set(`${tomorrow}T09:01:01Z`);
  await detectLateRuns(database.db, shards);
  await detectLateRuns(database.db, shards);
  expect((await typesOf(owner)).filter((type) => type === 'campaign.late')).toHaveLength(1);
  await execute(database.db)`update lanes set held_until = '-infinity' where account_id = ${owner.accountId}`;
  await database.clock.set(`${tomorrow}T15:00:01Z`);
  await until(
    () => typesOf(owner),
    (types) => types.includes('campaign.completed_with_errors'),
  );
  expect(await typesOf(owner)).toContain('campaign.missed');
});

test('emits a run as late that begins a minute late, but not one that was paused', async () => {
  const alone = await createTestDatabase();
  onTestFinished(alone.drop);
  const due = async () => {
    const late = await createOwner(alone.db, 1);
    const today = (await alone.clock.now()).toISOString().slice(0, 10);
    await alone.clock.set(`${today}T08:00:00Z`);
    const campaignId = await schedule(alone.db, late, { startDate: today, endDate: today, time: '09:00:00' });
    return { late, campaignId, today };
  };
  const begin = () =>
    beginDueRuns(
      alone.db,
      Array.from({ length: 256 }, (_, shard) => shard),
    );
  const told = async ({ workspaceId }: Owner) => {
    return readColumn<string>(alone.db)`
      select type from events where workspace_id = ${workspaceId} order by event_id`;
  };
  const missed = await due();
  await alone.clock.set(`${missed.today}T09:01:01Z`);
  await begin();
  expect(await told(missed.late)).toEqual(['campaign.accepted', 'campaign.late', 'campaign.started', 'run.started']);

  const paused = await due();
  await pauseCampaign({ db: alone.db }, paused.late, paused.campaignId);
  await alone.clock.set(`${paused.today}T09:10:00Z`);
  await resumeCampaign({ db: alone.db }, paused.late, paused.campaignId);
  await detectLateRuns(
    alone.db,
    Array.from({ length: 256 }, (_, shard) => shard),
  );
  await begin();
  expect(await told(paused.late)).toEqual([
    'campaign.accepted',
    'campaign.paused',
    'campaign.resumed',
    'campaign.started',
    'run.started',
  ]);
});

test('emits that an account is linked, paused, restricted, outdated, and logged out', async () => {
  const become = (set: string) =>
    execute(database.db)`update accounts set ${sql.raw(set)} where account_id = ${owner.accountId}`;
  await become(`status = 'linking'`);
  await become(`status = 'connected'`);
  await become(`status = 'reconnecting'`);
  await become(`status = 'connected'`);
  await become(`status = 'paused', pause_cause = 'rate_limited'`);
  await become(`status = 'paused', pause_cause = 'restricted'`);
  await become(`status = 'connected'`);
  for (const hours of [2, 1])
    await become(`warning = 'locked', warned_until = campanile_now() + interval '${hours} hours'`);
  const outdated = `status_reason = '${classifyEnding(405).reason}', status_code = 'version_refused'`;
  for (const once of ['first', 'again']) await become(`status = 'reconnecting', waits_reason = '${once}', ${outdated}`);
  await become(`status = 'logged_out', status_reason = 'gone', status_code = 'link_over'`);
  expect((await typesOf(owner)).filter((type) => type.startsWith('account.'))).toEqual([
    'account.connected',
    'account.paused',
    'account.restricted',
    'account.connected',
    'account.restricted',
    'account.version_refused',
    'account.logged_out',
  ]);
  const codes = (await eventsOf(owner)).filter(({ type }) => type.startsWith('account.')).map(({ data }) => data);
  expect(codes.slice(-2)).toMatchObject([{ reason_code: 'version_refused' }, { reason_code: 'link_over' }]);
});

test('emits groups that are removed or renamed, but no change of their size', async () => {
  await listen(owner);
  await execute(database.db)`
    update groups set participants = participants + 1 where workspace_id = ${owner.workspaceId}`;
  await execute(database.db)`update groups set name = name || '!' where group_id = ${owner.groupIds[0]}`;
  await execute(database.db)`update groups set removed_at = campanile_now() where group_id = ${owner.groupIds[1]}`;
  const told = (await eventsOf(owner)).filter(({ type }) => type === 'group.changed');
  expect(told.map(({ data }) => data)).toMatchObject([
    { groups: [{ group_metadata_id: owner.groupIds[0], change: 'changed', name: 'Group 1!' }] },
    { groups: [{ group_metadata_id: owner.groupIds[1], change: 'removed' }] },
  ]);
});

test('emits replies and reactions as counts', async () => {
  await listen(owner, ['message.reply', 'message.reaction']);
  await sendNow(database.db, owner);
  await ended(owner);
  const [arrival] = messenger.arrivals.slice(-3);
  if (!arrival) throw new Error('nothing arrived');
  const about = { accountId: owner.accountId, messageId: arrival.messageId, participant: '49151@s', at: new Date() };
  await messenger.emit([
    { ...about, kind: 'replied' },
    { ...about, kind: 'reacted' },
  ]);
  const told = (await eventsOf(owner)).filter(({ type }) => type.startsWith('message.'));
  expect(told.map(({ type }) => type).toSorted()).toEqual(['message.reaction', 'message.reply']);
  expect(told.find(({ type }) => type === 'message.reply')?.data).toMatchObject({ groups: [{ replies: 1 }] });
});

test('reads events in the order of their commits, and misses none that began earlier', async () => {
  const early = await createOwner(database.db, 1);
  const write = ({ workspaceId }: Owner, type: string) =>
    sql`insert into events (workspace_id, type, data) values (${workspaceId}, ${`test.${type}`}, '{}')`;
  const begun = Promise.withResolvers<void>();
  const commit = Promise.withResolvers<void>();
  const slow = database.db.transaction().execute(async (trx) => {
    await write(early, 'slow').execute(trx);
    begun.resolve();
    await commit.promise;
  });
  await begun.promise;
  await write(early, 'quick').execute(database.db);
  const first = await eventsOf(early);
  expect(first.map(({ type }) => type)).toEqual(['test.quick']);
  commit.resolve();
  await slow;
  await sequenceAll();
  const then = await readEventsAfter(database.db, early.workspaceId, first[0]?.position ?? 0, { limit: 10 });
  expect(then.map(({ type }) => type)).toEqual(['test.slow']);
  expect(then[0]?.eventId).toBeLessThan(first[0]?.eventId ?? 0);
});

test('deletes events after a day, and after 30 days with a webhook', async () => {
  const heard = await createOwner(database.db, 1);
  await listen(heard);
  for (const { workspaceId } of [owner, heard])
    await execute(database.db)`insert into events (workspace_id, type, data) values (${workspaceId}, 'test.old', '{}')`;
  await sequenceAll();
  await database.clock.advance({ days: 2 });
  await clearOld(database, 'events');
  expect(await typesOf(owner)).toEqual([]);
  expect(await typesOf(heard)).toHaveLength(1);
  await database.clock.advance({ days: 29 });
  await clearOld(database, 'events');
  expect(await typesOf(heard)).toEqual([]);
});
