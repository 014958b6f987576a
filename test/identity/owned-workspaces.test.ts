/** How many workspaces a person can own, and make by handing them over. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Person, type TestApp } from '../support/app.ts';
import { callIn, defaultWorkspace, join } from '../support/team.ts';

const MOST = 5;
const DAY_MS = 24 * 60 * 60 * 1_000;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  // The first user of all is an administrator.
  await app.signUp('administrator');
});
afterAll(() => app.stop());

/** Hands the default workspace of a person over to another, and makes the person leave it. Returns the status of the hand-over. */
async function handOverAndLeave(from: Person, to: Person): Promise<{ status: number; code: string | undefined }> {
  const workspaceId = await defaultWorkspace(from);
  await join(app, { owner: from, workspaceId, role: 'manager' }, to);
  const handOver = { user_id: to.userId };
  const { status, body } = await callIn(app, from, workspaceId, 'workspace/hand-over-workspace', handOver);
  // Refused to an owner: without a hand-over nothing changes.
  await callIn(app, from, workspaceId, 'workspace/leave-workspace');
  return { status, code: (body as { error_code?: string }).error_code };
}

test('a person owns five workspaces at most, however they came', async () => {
  const collector = await app.signUp('collector');
  for (let owned = 1; owned < MOST; owned++) {
    const giver = await app.signUp(`giver-${owned}`);
    expect((await handOverAndLeave(giver, collector)).status).toBe(200);
  }
  const last = await app.signUp('last-giver');
  expect(await handOverAndLeave(last, collector)).toEqual({ status: 409, code: 'owner_limit_reached' });
});

test('a person makes five workspaces in 24 hours at most by handing them over, and always has one', async () => {
  const maker = await app.signUp('maker');
  for (let made = 0; made < MOST; made++) {
    const receiver = await app.signUp(`receiver-${made}`);
    expect((await handOverAndLeave(maker, receiver)).status).toBe(200);
    expect(await defaultWorkspace(maker)).toMatch(/^\d+$/);
  }
  const receiver = await app.signUp('late-receiver');
  expect(await handOverAndLeave(maker, receiver)).toEqual({ status: 429, code: 'too_many_attempts' });
  await app.database.clock.advance(DAY_MS);
  const later = await app.signUp('later-receiver');
  expect((await handOverAndLeave(maker, later)).status).toBe(200);
});

test('an administrator owns any number', async () => {
  const admin = await app.signIn('administrator');
  for (let owned = 1; owned <= MOST; owned++) {
    const giver = await app.signUp(`admins-giver-${owned}`);
    expect((await handOverAndLeave(giver, admin)).status).toBe(200);
  }
});

test('a person makes workspaces up to the limit, also many at once, and acts in them at once', async () => {
  const founder = await app.signUp('founder');
  const create = (name: string) => founder.call<{ workspace_id: number }>('workspace/create-workspace', { name });
  const answers = await Promise.all(['One', 'Two', 'Three', 'Four', 'Five', 'Six'].map(create));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(MOST - 1);
  const refused = answers.filter(({ status }) => status !== 200).map(({ body }) => body);
  expect(refused).toEqual(Array(2).fill(expect.objectContaining({ error_code: 'owner_limit_reached' })));
  const made = answers.find(({ status }) => status === 200)?.body.data.workspace_id;
  const groups = await callIn<{ groups: unknown[] }>(app, founder, String(made), 'venom/list-groups');
  expect(groups.body.data.groups).toHaveLength(3);
});

test('a member who owns nothing makes a workspace, which becomes the default one', async () => {
  const owner = await app.signUp('host');
  const { code } = (await owner.call<{ code: string }>('workspace/invite-member', { role: 'author' })).body.data;
  const form = { first_name: 'Gus', last_name: '', user_name: 'guest', email: 'guest@example.com', password: PASSWORD };
  await app.call('user/accept_invite', { ...form, code });
  const guest = await app.signIn('guest');
  expect(await defaultWorkspace(guest)).toBe(await defaultWorkspace(owner));
  const made = await guest.call<{ workspace_id: number }>('workspace/create-workspace', { name: 'Own' });
  expect(await defaultWorkspace(guest)).toBe(String(made.body.data.workspace_id));
  const sent = await guest.call('venom/create-group', { group_name: 'First', participants: ['+442079460200'] });
  expect(sent.status).toBe(200);
});
