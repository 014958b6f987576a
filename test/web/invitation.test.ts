/** The way of a second person into a workspace: by an invitation, with and without a user. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type Person } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser } from '../support/browser/dashboard-user.ts';
import { listWorkspaces } from '../support/team.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
/** Strangers cannot sign up there. */
const closed = await startTestApp({ role: 'api', signUp: 'closed' }, app.database);
afterAll(async () => {
  await closed.stop();
  await app.stop();
});

let owners = 0;
/** A workspace with a name, and the page of an invitation to it. */
async function invite(role = 'author'): Promise<{ owner: Person; code: string; page: string }> {
  const owner = await app.signUp(`owner-${++owners}`);
  await owner.call('workspace/rename-workspace', { name: 'Newsroom' });
  await owner.call('user/update_profile', { first_name: 'Olga', last_name: 'Ek' });
  const { code } = (await owner.call<{ code: string }>('workspace/invite-member', { role })).body.data;
  return { owner, code, page: `/join#${code}` };
}

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, closed.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const invited = (where: Page, role = 'Author') =>
    Promise.all([
      where.getByText('Olga Ek invites you to work together in “Newsroom”.').waitFor(),
      where.getByText(`Your role: ${role}.`).waitFor(),
    ]);
  async function fillSignUp(where: Page, name: string): Promise<void> {
    await where.getByLabel('First name').fill(name);
    await where.getByLabel('User name').fill(name);
    await where.getByLabel('Email').fill(`${name}@example.com`);
    await where.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await where.getByRole('button', { name: 'Create account' }).click();
  }
  const isHome = (where: Page) => where.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();

  test('a person without a user sees who invites, and joins with the sign-up, without a number', async () => {
    const { page: link } = await invite();
    await page.goto(link);
    await invited(page);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await invited(page);
    expect(await page.getByLabel('Phone number').count()).toBe(0);
    await page.reload();
    await invited(page);
    await fillSignUp(page, 'anna');
    await isHome(page);
    const anna = await app.signIn('anna');
    expect(await listWorkspaces(anna)).toMatchObject([{ name: 'Newsroom', role: 'author' }]);
    await page.goto('/settings');
    await page.getByLabel('First name').fill('Annabel');
    await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
    // Used, and forgotten.
    await page.goto('/join');
    await page.getByText('This link is incomplete').waitFor();
  });

  test('the invitation reaches a form in another tab', async () => {
    const { page: link } = await invite('manager');
    await page.goto(link);
    await invited(page, 'Manager');
    const other = await page.context().newPage();
    await other.goto('/sign-up');
    await invited(other, 'Manager');
    await fillSignUp(other, 'berta');
    await isHome(other);
    expect(await listWorkspaces(await app.signIn('berta'))).toMatchObject([{ role: 'manager' }]);
  });

  test('a person with a user signs in, sees the invitation again and joins', async () => {
    await app.signUp('carl');
    const { page: link } = await invite('analyst');
    await page.goto(link);
    await page.getByRole('link', { name: 'I have a user' }).click();
    await invited(page, 'Analyst');
    await page.reload();
    await signInInBrowser(page, 'carl');
    await invited(page, 'Analyst');
    await page.getByText('You are signed in as carl.').waitFor();
    await page.getByRole('button', { name: 'Join', exact: true }).click();
    await page.waitForURL((url) => url.pathname === '/');
    await isHome(page);
    expect(await listWorkspaces(await app.signIn('carl'))).toMatchObject([{ role: 'owner' }, { role: 'analyst' }]);
  });

  test('a visitor goes on without the invitation', async () => {
    const { page: link } = await invite();
    await page.goto(link);
    await page.getByRole('link', { name: 'Sign up' }).click();
    await invited(page);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByLabel('Phone number').waitFor();
    await page.reload();
    await page.getByLabel('Phone number').waitFor();
    expect(await page.getByText('invites you').count()).toBe(0);
  });

  test('an invitation that is declined or for another user leads nowhere else', async () => {
    await app.signUp('dora');
    const { page: link } = await invite();
    await page.goto('/sign-in');
    await signInInBrowser(page, 'dora');
    await isHome(page);
    await page.goto(link);
    await page.getByRole('button', { name: 'Use another user' }).click();
    await page.getByRole('link', { name: 'I have a user' }).click();
    await signInInBrowser(page, 'dora');
    await page.getByRole('button', { name: 'Not now' }).click();
    await isHome(page);
    await page.reload();
    await isHome(page);
    expect(await listWorkspaces(await app.signIn('dora'))).toHaveLength(1);
  });

  test('a void invitation says so, and what to do', async () => {
    const { owner, page: link } = await invite();
    const { invitations } = (
      await owner.call<{ invitations: Array<{ invitation_id: number }> }>('workspace/list-invitations')
    ).body.data;
    await owner.call('workspace/revoke-invitation', { invitation_id: invitations[0]?.invitation_id });
    await page.goto(link);
    await page.getByText('This invitation was used or revoked, or has expired. Ask for a new one.').waitFor();
    expect(await page.getByRole('link', { name: 'Sign up' }).count()).toBe(0);
    visited.forgive(refused('400'));
  });
});
