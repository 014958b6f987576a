/** What links in mails lead to, and the administrators' page: what they do, and that nothing of it is in anybody's way. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMailLinks } from '../../src/platform/mail/mail-links.ts';
import { PASSWORD, startTestApp } from '../support/app.ts';
import { DESK, findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enter, enterAsNew } from '../support/browser/dashboard-page.ts';
import { startMailServer } from '../support/servers/mail-server.ts';

const browser = await launchBrowser();
const post = await startMailServer();
const jwtSecret = 'the secret of this file, long enough for anything';
const mailing = await startTestApp({
  jwtSecret,
  smtpUrl: post.url,
  mailFrom: 'post@campanile.example',
  publicUrl: 'http://campanile.example',
  signUp: 'invite',
});
const silent = await startTestApp({ signUp: 'invite' });
const links = createMailLinks(jwtSecret);
afterAll(async () => {
  await mailing.stop();
  await silent.stop();
  await post.close();
});

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit | undefined;
  let page: Page;
  async function open(url: string) {
    visited = await visit(browser as Browser, url);
    ({ page } = visited);
    await page.setViewportSize(DESK);
  }
  beforeEach(() => open(mailing.url));
  afterEach(() => visited?.end());

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();

  test('resets a forgotten password by a link from a mail', async () => {
    await enterAsNew(page, 'ada');
    await page.context().clearCookies();
    await page.goto('/');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await heading('Forgot your password?');
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await page.getByLabel('User name or email').fill('ada');
    await button('Email me a link').click();
    await page.getByRole('status').getByText('an email with a link is on its way').waitFor();
    const mails = await post.received('ada@example.com', 2);
    const { code } = mails.find(({ subject }) => /Reset your/.test(subject)) ?? {};
    await page.goto(`/reset-password#${code}`);
    await heading('Set a new password');
    await page.getByLabel('New password').fill('mauve otters knit slowly');
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await button('Set password').click();
    await page.getByText('Your password is set.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('User name or email').fill('ada');
    await page.locator('input[type=password]').fill('mauve otters knit slowly');
    await button('Sign in').click();
    await heading('Campaigns');
    await page.goto(`/reset-password#${code}`);
    await page.getByLabel('New password').fill('seven pale lanterns hum');
    await button('Set password').click();
    await page.getByRole('alert').getByText('This link was already used').waitFor();
    visited?.forgive(refused('400'));
  });

  test('verifies an e-mail address by button, not by opening the link', async () => {
    await signInUnverified('ben');
    await page.goto('/settings');
    await page.getByText('Your email address is not confirmed yet.').waitFor();
    await button('Resend the link').click();
    const [mail] = await post.received('ben@example.com');
    await page.goto(`/verify-email#${mail?.code}`);
    await heading('Confirm your email address');
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await button('Confirm').click();
    await page.getByText('Your email address is confirmed.').waitFor();
    await button('Continue').click();
    await heading('Campaigns');
    await page.goto('/settings');
    await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' }).waitFor();
    expect(await page.getByText('Your email address is not confirmed yet.').count()).toBe(0);
  });

  /** Lets somebody in who has opened no mail, and signs them in on the page. */
  async function signInUnverified(name: string): Promise<void> {
    const { rows } = await sql<{ mailId: string }>`
      insert into mails (kind, recipient, sent_at, expires_at)
      values ('invitation', ${`${name}@example.com`}, campanile_now(), campanile_now() + interval '1 day')
      returning mail_id as "mailId"`.execute(mailing.database.db);
    const code = links.codeOf(rows[0]?.mailId ?? '');
    const number = '+44 20 7946 0123';
    await askInBrowser(page, 'user/accept_invite', {
      code,
      first_name: name,
      last_name: '',
      user_name: name,
      phone_number: number,
      whatsapp_number: number,
      password: PASSWORD,
    });
    await sql`update users set email_verified_at = null where user_name = ${name}`.execute(mailing.database.db);
    await enter(page, name);
  }

  test('invites a user, who signs up and is disabled, enabled and deleted', async () => {
    await visited?.end();
    await open(silent.url);
    await enterAsNew(page, 'root');
    await page.goto('/');
    await page.getByRole('button', { name: 'root', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Users' }).click();
    await heading('Users');
    await button('Invite a user').click();
    await dialog().getByLabel('Email').fill('cleo@example.com');
    await dialog().getByRole('button', { name: 'Invite', exact: true }).click();
    const link = await dialog().locator('pre').innerText();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await button('Done').click();
    await page.getByRole('region', { name: 'Invitations' }).getByText('cleo@example.com').waitFor();

    const guest = await visit(browser as Browser, silent.url);
    await guest.page.setViewportSize(DESK);
    await guest.page.goto(new URL(link).pathname + new URL(link).hash);
    await guest.page.getByRole('heading', { name: 'You are invited', level: 1 }).waitFor();
    await guest.page.getByLabel('First name').fill('Cleo');
    await guest.page.getByLabel('User name').fill('cleo');
    await guest.page.locator('input[type=password]').fill(PASSWORD);
    expect(await findBarriersAnywhere(guest.page, {})).toEqual([]);
    await guest.page.getByRole('button', { name: 'Create account' }).click();
    await guest.page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await guest.close();

    await page.reload();
    const row = page.getByRole('row', { name: /cleo/ });
    await row.getByText('Active').waitFor();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await row.getByRole('button').press('Enter');
    await page.getByRole('menuitem', { name: 'Details' }).press('Enter');
    await dialog().getByText('cleo@example.com').first().waitFor();
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    for (const [act, state] of [
      ['Disable', 'Disabled'],
      ['Enable', 'Active'],
    ] as const) {
      await row.getByRole('button').click();
      await page.getByRole('menuitem', { name: act, exact: true }).click();
      await dialog().getByRole('button', { name: act, exact: true }).click();
      await row.getByText(state).waitFor();
    }
    await row.getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await dialog().getByLabel('Your password').fill('wrong');
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog().getByText('Current password is wrong.').waitFor();
    visited?.forgive(refused('400'));
    await dialog().getByLabel('Your password').fill(PASSWORD);
    await dialog().getByRole('button', { name: 'Delete', exact: true }).click();
    await row.waitFor({ state: 'detached' });
  });
});
