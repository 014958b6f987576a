/**
 * Every operation of the contract as each role, as a member of another workspace, and as a person who was just removed. A new operation is
 * covered automatically.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listContracts } from '../../src/api/contract/contract.ts';
import type { OperationContract, RequiredRole } from '../../src/api/contract/define-operations.ts';
import type { Role } from '../../src/platform/database/schema.ts';
import { includesRole, ROLES } from '../../src/workspaces/members/roles.ts';
import { startTestApp, type Person } from '../support/app.ts';
import { createTeam, callIn, inWorkspace, type Team } from '../support/team.ts';

const app = await startTestApp();
afterAll(() => app.stop());
const guarded = listContracts().filter(({ access }) => access !== 'open');
const inWorkspaces = guarded.filter(({ role }) => role !== 'none');
const ofPeople = guarded.filter(({ role }) => role === 'none');

let team: Team;
let stranger: Person;
beforeAll(async () => {
  team = await createTeam(app, 'newsroom');
  stranger = await app.signUp('stranger');
});

/** Sends a body that no operation takes: an admitted request is a 400, and changes nothing. */
async function admits(path: string, token: string, workspace?: string): Promise<{ status: number; code: string }> {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      ...(workspace !== undefined && { 'x-workspace': workspace }),
    },
    body: 'no JSON',
  });
  const { error_code: code } = (await response.json()) as { error_code: string };
  return { status: response.status, code };
}

/** A step-up is asked for before the role: it says nothing of the workspace. */
const ADMITTED = /^(body_not_json|invalid_request)$/;

function expectedCode(role: Role, needed: RequiredRole | undefined): RegExp {
  return includesRole(role, needed as Role) ? ADMITTED : /^role_missing$/;
}

test('has operations for each role, and some that need none', () => {
  expect(new Set(guarded.map(({ role }) => role))).toEqual(new Set(['none', ...ROLES]));
  expect(inWorkspaces.length).toBeGreaterThan(60);
  expect(guarded.filter(({ role }) => role === undefined)).toEqual([]);
});

describe.each(ROLES)('as %s', (role) => {
  test.each(inWorkspaces.map((one) => [one.path, one] as const))('%s', async (_path, operation) => {
    const answer = await admits(operation.path, team.members[role].token, team.workspaceId);
    expect(answer.code).toMatch(expectedCode(role, operation.role));
  });

  test('every operation about the person', async () => {
    for (const { path } of ofPeople)
      expect((await admits(path, team.members[role].token, team.workspaceId)).code, path).toMatch(ADMITTED);
  });
});

test('as a key with a role, in the scopes that the operation takes', async () => {
  const owner = inWorkspace(app, team.members.owner, team.workspaceId);
  for (const role of ROLES) {
    const created = await owner<{ key: string }>('user/create_api_key', {
      name: role,
      role,
      scopes: ['read', 'send', 'admin'],
    });
    const { key } = created.body.data;
    for (const { path, access, role: needed } of inWorkspaces) {
      if (access === 'token') continue;
      const answer = await admits(path, key);
      expect(answer.code, `${role} ${path}`).toMatch(expectedCode(role, needed));
    }
  }
});

describe('a workspace that the caller is no member of is answered like one that does not exist', () => {
  test.each(inWorkspaces.map(({ path }) => path))('by %s', async (path) => {
    const answers = await Promise.all(
      [team.workspaceId, '987654321', '0', '-1', 'x', ''].map((workspace) => admits(path, stranger.token, workspace)),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer)))).toEqual(
      new Set([JSON.stringify({ status: 404, code: 'workspace_not_found' })]),
    );
  });

  test('with a key, too', async () => {
    const { key } = (
      await stranger.call<{ key: string }>('user/create_api_key', { name: 'x', scopes: ['read', 'send', 'admin'] })
    ).body.data;
    for (const { path } of inWorkspaces.filter(({ access }) => access !== 'token'))
      expect((await admits(path, key, team.workspaceId)).code, path).toBe('workspace_not_found');
  });
});

test('a refusal names the role that is needed and the present one', async () => {
  const { body } = await callIn(app, team.members.author, team.workspaceId, 'venom/add-campaign');
  expect(body).toMatchObject({
    error_code: 'role_missing',
    message: 'This operation needs the role manager in the workspace, and you are an author',
  });
});

describe('somebody who was removed a moment ago', () => {
  const others: OperationContract[] = inWorkspaces;
  let removed: Person;
  beforeAll(async () => {
    removed = team.members.manager;
    // So that the states of its credentials are cached.
    await callIn(app, removed, team.workspaceId, 'venom/list-campaigns');
    const owner = inWorkspace(app, team.members.owner, team.workspaceId);
    await owner('workspace/remove-member', { user_id: removed.userId });
  });

  test.each(others.map(({ path }) => path))('no longer reaches it by %s', async (path) => {
    expect(await admits(path, removed.token, team.workspaceId)).toEqual({ status: 404, code: 'workspace_not_found' });
  });

  test('still has their own workspace', async () => {
    expect((await removed.call('venom/list-campaigns')).status).toBe(200);
  });
});
