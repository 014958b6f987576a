/** What becomes of posts whose owner an administrator has disabled: a state of its own, and no alarm. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { execute, readCount, readRows } from '../../../src/platform/database/statements.ts';
import { afterAll, expect, test } from 'vitest';
import { connectAccount, type ConnectDeps } from '../../../src/sending/accounts/connect-account.ts';
import { detectLateRuns } from '../../../src/sending/campaigns/begin/detect-late-runs.ts';
import { readBacklog } from '../../../src/sending/deliveries/read-backlog.ts';
import { readConfig } from '../../../src/platform/config/config.ts';
import { runChecks } from '../../../src/operations/doctor/run-checks.ts';
import { groupsOf, startTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { callIn, defaultWorkspace, join } from '../../support/team.ts';
import { actorOf } from '../../support/workspaces.ts';

const app = await startTestApp({ sandboxGap: { minMs: 3_600_000, maxMs: 3_600_000 }, sandboxSpeed: 0 });
const admin = await app.signUp('admin');
const folder = await mkdtemp(joinPath(tmpdir(), 'campanile-disabled-'));
afterAll(async () => {
  await app.stop();
  await rm(folder, { recursive: true });
});

interface Unsent {
  workspace_id: number;
  name: string;
  queued: number;
  due_runs: number;
  planned_runs: number;
  missed_runs: number;
}
const switchUser = async (act: 'disable' | 'enable', person: Person) =>
  (await admin.call<{ unsent: Unsent[] }>(`admin/${act}_user`, { user_id: person.userId })).body.data.unsent;

/** A campaign of three posts, of which the first leaves, and one that falls due in an hour. */
async function plan(person: Person): Promise<void> {
  const groups = await groupsOf(person);
  const post = { name: 'News', html: 'Hello', group_metadata_ids: groups };
  await person.call('venom/add-campaign', post);
  await until(() => countSent(person), 1);
  const now = await app.database.clock.now();
  const [date, time] = new Date(now.getTime() + 3_600_000).toISOString().split(/[TZ.]/);
  const day = { start_date: date, end_date: date, schedule_time: time, time_zone: 'UTC' };
  const planned = await person.call('venom/add-campaign-batch', { ...post, ...day, is_schedule: true });
  expect(planned.status).toBe(200);
}

async function countSent({ userId }: Person): Promise<number> {
  return readCount(app.database.db)`
    select coalesce(sum(r.sent), 0)::int as sent from runs r join memberships m using (workspace_id)
    where m.user_id = ${userId} and m.role = 'owner'`;
}

async function lateCampaigns(): Promise<unknown[]> {
  const rows = await readRows(app.database.db)`select from events where type = 'campaign.late'`;
  return rows;
}

/** Lets the lanes of all accounts send at once. */
const endGaps = () =>
  execute(app.database.db)`update lanes set next_send_at = '-infinity' where next_send_at > campanile_now()`;

test('neither alarm nor count as late or as a quarantine, and leave once the owner is enabled', async () => {
  const carol = await app.signUp('carol');
  await plan(carol);
  const workspaceId = Number(await defaultWorkspace(carol));
  const stopped = await switchUser('disable', carol);
  expect(stopped).toEqual([
    { workspace_id: workspaceId, name: 'carol', queued: 2, due_runs: 0, planned_runs: 1, missed_runs: 0 },
  ]);
  await app.database.clock.advance({ hours: 2 });
  await endGaps();
  // The loops of another workspace have come round: what would leave has left.
  const dave = await app.signUp('dave');
  await plan(dave);

  expect(await countSent(carol)).toBe(1);
  await detectLateRuns(
    app.database.db,
    Array.from({ length: 256 }, (_, shard) => shard),
  );
  expect(await lateCampaigns()).toEqual([]);
  expect(await readBacklog(app.database.db)).toMatchObject({ late: 0, queued: 2 });
  const config = readConfig({ DATA_DIR: folder, STATE_DIR: `${folder}-none`, LINK_PREVIEWS: 'false' });
  const found = await runChecks({ config, db: app.database.db });
  expect(found.filter(({ check }) => check === 'runs' || check === 'accounts')).toMatchObject([
    { check: 'runs', level: 'ok' },
    { check: 'accounts', level: 'ok', message: expect.stringMatching(/Nothing is sent from 1, whose owners are/) },
  ]);
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toMatch(/^campanile_accounts_stopped 0$/m);
  expect(metrics).toMatch(/^campanile_accounts\{status="disabled"\} 1$/m);

  const shown = await admin.call<{ unsent: Unsent[] }>('admin/get_user', { user_id: carol.userId });
  const leaving = await switchUser('enable', carol);
  expect(leaving).toMatchObject([{ queued: 2, due_runs: 1, planned_runs: 0, missed_runs: 0 }]);
  expect(shown.body.data.unsent).toEqual(leaving);
  await until(async () => {
    await endGaps();
    return countSent(carol);
  }, 6);
});

test('say to members why nothing leaves, and refuse to be connected', async () => {
  const owner = await app.signUp('erika');
  const member = await app.signUp('mia');
  const workspaceId = await defaultWorkspace(owner);
  await join(app, { owner, workspaceId, role: 'manager' }, member);
  await switchUser('disable', owner);
  const status = await callIn<object>(app, member, workspaceId, 'venom/account-status');
  expect(status.body.data).toMatchObject({
    status: 'paused',
    reason: expect.stringContaining('an administrator has disabled the owner'),
  });
  const actor = await actorOf(app.database.db, owner);
  const deps = { db: app.database.db, messengers: new Map() } as unknown as ConnectDeps;
  await expect(connectAccount(deps, actor, { messenger: undefined, method: 'qr' })).rejects.toMatchObject({
    code: 'owner_disabled',
  });
  await switchUser('enable', owner);
  const again = await callIn<object>(app, member, workspaceId, 'venom/account-status');
  expect(again.body.data).toMatchObject({ status: 'connected' });
});
