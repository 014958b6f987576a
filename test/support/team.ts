import type { Role, WorkspaceId } from '../../src/platform/database/schema.ts';
import { GIVEN_ROLES } from '../../src/workspaces/members/roles.ts';
import type { Answer, Call, Person, TestApp } from './app.ts';

/** A workspace with a member of each role. */
export interface Team {
  workspaceId: string;
  members: Record<Role, Person>;
}

/** Sends one operation for a workspace. */
export async function callIn<Data = Record<string, never>>(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Person, 'token'>,
  workspaceId: string,
  path: string,
  body: unknown = {},
): Promise<Answer<Data>> {
  const response = await fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, 'x-workspace': workspaceId },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer<Data>['body'] };
}

/** Returns a function that sends a person's operations for a workspace. */
export function inWorkspace(app: Pick<TestApp, 'url'>, person: Pick<Person, 'token'>, workspaceId: string): Call {
  return (path, body) => callIn(app, person, workspaceId, path, body);
}

interface Workspaces {
  workspaces: Array<{ workspace_id: WorkspaceId; name: string; role: Role; is_default: boolean; members: number }>;
}

export async function listWorkspaces({ call }: Pick<Person, 'call'>): Promise<Workspaces['workspaces']> {
  return (await call<Workspaces>('workspace/list-workspaces')).body.data.workspaces;
}

/** Returns the id of the workspace that a person acts in by default. */
export async function defaultWorkspace(person: Pick<Person, 'call'>): Promise<string> {
  const [first] = await listWorkspaces(person);
  if (!first) throw new Error('a person has no workspace');
  return String(first.workspace_id);
}

/** Invites a person by a link, who accepts. */
export async function join(
  app: Pick<TestApp, 'url'>,
  { owner, workspaceId, role }: { owner: Person; workspaceId: string; role: Exclude<Role, 'owner'> },
  person: Person,
): Promise<void> {
  const invited = await callIn<{ code: string }>(app, owner, workspaceId, 'workspace/invite-member', { role });
  const { code } = invited.body.data;
  const accepted = await person.call('workspace/accept-invitation', { code });
  if (accepted.status !== 200) throw new Error(`an invitation was not accepted: ${JSON.stringify(accepted.body)}`);
}

/** Signs up the owner of a workspace, and a member of each other role. */
export async function createTeam(app: TestApp, name: string): Promise<Team> {
  const owner = await app.signUp(`${name}-owner`);
  const workspaceId = await defaultWorkspace(owner);
  const others = await Promise.all(
    GIVEN_ROLES.map(async (role) => {
      const person = await app.signUp(`${name}-${role}`);
      await join(app, { owner, workspaceId, role }, person);
      return [role, person] as const;
    }),
  );
  return { workspaceId, members: { owner, ...(Object.fromEntries(others) as Omit<Team['members'], 'owner'>) } };
}
