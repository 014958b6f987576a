/** Who is told of posts that wait for an approval: by events for webhooks, and by notices (contract §4). */
import { randomUUID } from 'node:crypto';
import { execute, readRows } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { WEBHOOK_EVENTS } from '../../../src/api/contract/webhook-events.ts';
import { giveBackLate } from '../../../src/sending/approvals/write-events.ts';
import { useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { callIn, createTeam, type Team } from '../../support/team.ts';

interface Asked {
  approval_id: string;
  sha256: string;
}

const app = await useTestApp();
const team = await createTeam(app, 'newsroom');
const listed = await say<{ groups: Array<{ group_metadata_id: number }> }>('owner', 'venom/list-groups');
const groups = listed.groups.map((group) => group.group_metadata_id);
await say('owner', 'workspace/set-approval-rules', { approval: 'all' });

async function say<Data = Asked>(who: keyof Team['members'], path: string, body: object = {}): Promise<Data> {
  const answer = await callIn<Data>(app, team.members[who], team.workspaceId, path, body);
  expect(answer.body, path).toMatchObject({ code: 200 });
  return answer.body.data;
}

const request = (who: keyof Team['members'], fields: object = {}) =>
  say(who, 'venom/request-approval', {
    approval_id: randomUUID(),
    name: 'Fair',
    html: 'Hello',
    is_schedule: false,
    group_metadata_ids: groups,
    ...fields,
  });

/** The events of a request, in their order. */
async function eventsOf({ approval_id }: Asked) {
  const rows = await readRows<{ type: keyof typeof WEBHOOK_EVENTS; data: Record<string, unknown> }>(app.database.db)`
    select type, data from events where data ->> 'approval_id' = ${approval_id} order by event_id`;
  for (const { type, data } of rows) WEBHOOK_EVENTS[type].data.parse(data);
  return rows.map(({ type, data }) => [type, data['decision'] ?? null]);
}

async function noticesOf({ call }: Person, { approval_id }: Asked): Promise<string[]> {
  const { body } = await call<{ notices: Array<{ kind: string; approval: { approval_id: string } | null }> }>(
    'user/list_notices',
  );
  return body.data.notices
    .flatMap(({ kind, approval }) => (approval?.approval_id === approval_id ? [kind] : []))
    .toReversed();
}

const told = (who: keyof Team['members'], asked: Asked, kinds: string[]) =>
  until(
    () => noticesOf(team.members[who], asked),
    (found) => found.length >= kinds.length,
  ).then((found) => expect(found).toEqual(kinds));

test('those who may decide are told that a post waits, and the person who asked is told the decision', async () => {
  const asked = await request('author');
  await told('owner', asked, ['campaign_waiting']);
  await told('manager', asked, ['campaign_waiting']);
  const decision = { ...asked, decision: 'request_changes' };
  await say('manager', 'venom/decide-approval', decision);
  await told('author', asked, ['campaign_decided']);
  const again = await request('author', { approval_id: asked.approval_id, html: 'Mended' });
  await say('manager', 'venom/decide-approval', { ...again, decision: 'approve' });
  await told('author', asked, ['campaign_decided', 'campaign_decided']);
  await told('manager', asked, ['campaign_waiting', 'campaign_waiting']);
  expect(await eventsOf(asked)).toEqual([
    ['campaign.waiting', null],
    ['campaign.decided', 'changes_requested'],
    ['campaign.waiting', null],
    ['campaign.decided', 'approved'],
  ]);
});

test('nobody is told of what they did themselves', async () => {
  const asked = await request('manager');
  await told('owner', asked, ['campaign_waiting']);
  await say('manager', 'venom/withdraw-approval', { approval_id: asked.approval_id });
  const later = await request('manager');
  await say('owner', 'venom/decide-approval', { ...later, decision: 'reject' });
  await told('manager', later, ['campaign_decided']);
  expect(await noticesOf(team.members.manager, asked)).toEqual([]);
  expect(await eventsOf(asked)).toEqual([
    ['campaign.waiting', null],
    ['campaign.decided', 'withdrawn'],
  ]);
});

test('the person who asked is told once that the time has passed', async () => {
  const plan = { is_schedule: true, start_date: '2031-03-03', end_date: '2031-03-03', schedule_time: '09:00:00' };
  const asked = await request('author', plan);
  const { db } = app.database;
  await execute(db)`
    update approvals set first_due_at = now() - interval '1 minute' where approval_id = ${asked.approval_id}::uuid`;
  await giveBackLate(db);
  await giveBackLate(db);
  await told('author', asked, ['campaign_decided']);
  const { body } = await team.members.author.call<{ notices: Array<{ decision: string | null }> }>('user/list_notices');
  expect(body.data.notices[0]?.decision).toBe('time_passed');
  expect(await eventsOf(asked)).toEqual([
    ['campaign.waiting', null],
    ['campaign.decided', 'time_passed'],
  ]);
});
