/** What happens when an account of a workspace cannot send: its settings. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type Call } from '../support/app.ts';
import { createTeam, inWorkspace } from '../support/team.ts';

const app = await startTestApp({ sandboxSpeed: 0 });
afterAll(() => app.stop());
let owner: Call;
let analyst: Call;
beforeAll(async () => {
  const team = await createTeam(app, 'parish');
  owner = inWorkspace(app, team.members.owner, team.workspaceId);
  analyst = inWorkspace(app, team.members.analyst, team.workspaceId);
});

const update = async (body: object) => (await owner('workspace/update-workspace', body)).body.data;
const entries = async () => {
  const { body } = await owner<{ entries: Array<{ action: string; changes?: unknown }> }>('user/list_audit_log', {
    kind: 'members',
  });
  return body.data.entries.filter(({ action }) => action === 'workspace.changed').map(({ changes }) => changes);
};

test('asks the owner and fails back until its owner decides otherwise', async () => {
  expect(await update({})).toEqual({ failover_minutes: null, fails_back: true });
  expect(await update({ failover_minutes: 15 })).toEqual({ failover_minutes: 15, fails_back: true });
  expect(await update({ fails_back: false })).toEqual({ failover_minutes: 15, fails_back: false });
  const { body } = await analyst<{ workspaces: Array<{ name: string }> }>('workspace/list-workspaces');
  expect(body.data.workspaces.find(({ name }) => name === 'parish-owner')).toMatchObject({
    failover_minutes: 15,
    fails_back: false,
  });
  expect(await update({ failover_minutes: 'ask' })).toEqual({ failover_minutes: null, fails_back: false });
});

test('records the differences, and nothing without any', async () => {
  await update({ failover_minutes: 30, fails_back: true });
  const before = await entries();
  await update({ failover_minutes: 30, fails_back: true });
  await update({});
  expect(await entries()).toEqual(before);
  await update({ failover_minutes: 'ask', fails_back: false });
  expect((await entries())[0]).toEqual([
    { field: 'failover_minutes', before: '30', after: 'ask' },
    { field: 'fails_back', before: 'true', after: 'false' },
  ]);
});

test.each([0, 10_081, 1.5, 'never', '15.5'])('rejects %s minutes', async (failover_minutes) => {
  expect((await owner('workspace/update-workspace', { failover_minutes })).status).toBe(400);
});
