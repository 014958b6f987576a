/** Three people are invited to a workspace and join from their phones, where anybody may sign up and where nobody may without an invitation. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { PASSWORD, startTestApp } from '../support/app.ts';
import { launchBrowser, visit } from '../support/browser/browser.ts';
import { findBarriers } from '../support/browser/dashboard-page.ts';
import { lookEverywhere } from '../support/browser/looks.ts';
import { listWorkspaces } from '../support/team.ts';

const browser = await launchBrowser();
const open = await startTestApp({ sandboxSpeed: 200 });
const byInvitation = await startTestApp({ role: 'api', signUp: 'invite' }, open.database);
afterAll(async () => {
  await byInvitation.stop();
  await open.stop();
});

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
let people = 0;

/** What each page tells a role of what it may do. */
const FINDS = {
  analyst: {
    '/': 'Nothing was sent here yet',
    '/campaigns/new': 'Your role cannot write posts. Ask the owner of the workspace.',
    '/groups': 'Your role cannot create groups or save lists. Ask a manager.',
    '/account': 'The owner of the workspace links WhatsApp.',
  },
  author: {
    '/': 'You can write posts; a manager sends them or approves them.',
    '/campaigns/new': 'Your role cannot send. Ask a manager to send it: they find this draft under “Drafts”.',
    '/groups': 'Your role cannot create groups or save lists. Ask a manager.',
    '/account': 'Only the owner of the workspace can link this account and change its rules.',
  },
  manager: {
    '/': 'Write it, preview it and send it.',
    '/campaigns/new': 'Send now',
    '/groups': 'Sync',
    '/account': 'The owner of the workspace links WhatsApp.',
  },
} as const;

describe.skipIf(!browser).each([
  ['open', open],
  ['invite', byInvitation],
] as const)('with sign-up %s', (mode, app) => {
  test.each(['analyst', 'author', 'manager'] as const)(
    'a person invited as %s joins in six steps from a phone, and finds the team',
    async (role) => {
      const owner = await open.signUp(`owner-${++people}`);
      await owner.call('workspace/rename-workspace', { name: 'Parish of St Mary' });
      await owner.call('user/update_profile', { first_name: 'Olga', last_name: 'Ek' });
      const { code } = (await owner.call<{ code: string }>('workspace/invite-member', { role })).body.data;
      const visited = await visit(browser as Browser, app.url, PHONE);
      onTestFinished(() => visited.end());
      const { page } = visited;
      const name = `guest-${people}`;
      const look = (what: string) => lookEverywhere(page, `invited-${mode}-${role}-${what}`);

      await page.goto(`/join#${code}`);
      await page.getByText('Olga Ek invites you to work together in “Parish of St Mary”.').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await look('link');
      let steps = 0;
      const step = async (act: Promise<void>) => {
        await act;
        steps++;
      };
      await step(page.getByRole('link', { name: 'Sign up' }).tap());
      await page.getByText('Olga Ek invites you').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await look('form');
      await step(page.getByLabel('First name').fill(name));
      await step(page.getByLabel('User name').fill(name));
      await step(page.getByLabel('Email').fill(`${name}@example.com`));
      await step(page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD));
      await step(page.getByRole('button', { name: 'Create account' }).tap());
      await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
      expect(steps).toBe(6);

      expect(await listWorkspaces(await open.signIn(name))).toMatchObject([{ name: 'Parish of St Mary', role }]);
      await isNamed(page);
      // The pages behind the door are the same however somebody came in.
      if (mode === 'open') return;
      for (const path of ['/', '/campaigns/new', '/groups', '/account', '/settings', '/report', '/calendar']) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await isNamed(page);
        const told = Object.entries(FINDS[role]).find(([where]) => where === path)?.[1];
        if (told !== undefined) await page.getByText(told, { exact: false }).first().waitFor();
        await look(path.replaceAll('/', '-'));
        expect(await findBarriers(page)).toEqual([]);
      }
    },
  );
});

/** The workspace stands at the head of every page. */
const isNamed = (page: Page) => page.getByRole('button', { name: 'Workspace Parish of St Mary' }).waitFor();
