/** Second factors, as they are set up and asked for in a browser. */
import { createHmac } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';

const JWT_SECRET = 'the secret of this file, long enough for anything';
const browser = await launchBrowser();
const app = await startTestApp({ jwtSecret: JWT_SECRET });
afterAll(() => app.stop());

/** The code that an app shows now, or that one shows whose clock is ahead. */
const codeOf = (secret: string, aheadMs = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + aheadMs });

/** A token like this one, but of somebody who proved who they are long ago. */
function aged(token: string): string {
  const [head = '', payload = ''] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { auth_time: number };
  const older = Buffer.from(JSON.stringify({ ...claims, auth_time: claims.auth_time - 700 })).toString('base64url');
  return `${head}.${older}.${createHmac('sha256', JWT_SECRET).update(`${head}.${older}`).digest('base64url')}`;
}

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    // Browsers make passkeys for names, not for addresses.
    visited = await visit(browser as Browser, app.url.replace('127.0.0.1', 'localhost'));
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');

  async function signIn(name: string): Promise<void> {
    await page.context().clearCookies();
    await page.goto('/');
    await page.getByLabel('User name or email').fill(name);
    await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await button('Sign in').click();
  }

  test('sets up an authenticator app by QR code or key, and asks for its code at sign-in', async () => {
    await enterAsNew(page, 'ann');
    await page.goto('/settings');
    await button('Add an authenticator app').click();
    await page.getByRole('img', { name: 'QR code for an authenticator app' }).waitFor();
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    const secret = (await dialog().locator('pre').textContent()) ?? '';
    await dialog().getByRole('textbox', { name: 'Code' }).fill(codeOf(secret));
    await button('Turn on').click();
    await button('Copy codes').waitFor();
    const [recovery] = await dialog().getByRole('listitem').allTextContents();
    expect(await dialog().getByRole('listitem').count()).toBe(10);
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    await page.keyboard.press('Escape');
    await button('Done').click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByText('10 recovery codes left.').waitFor();

    await signIn('ann');
    await page.getByRole('textbox', { name: 'Code' }).fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong or was already used.', { exact: false }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(secret, 30_000));
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    await signIn('ann');
    await page.getByRole('textbox', { name: 'Code' }).fill(recovery ?? '');
    await button('Sign in').click();
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    visited.forgive(refused('4'));
  });

  test('registers a passkey, signs in with it, and removes it', async () => {
    const cdp = await page.context().newCDPSession(page);
    await cdp.send('WebAuthn.enable');
    const authenticator = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    await cdp.send('WebAuthn.addVirtualAuthenticator', { options: authenticator });
    await enterAsNew(page, 'ben');
    await page.goto('/settings');
    await button('Add a passkey').click();
    await dialog().getByLabel('Name').fill('Laptop');
    await dialog().getByRole('button', { name: 'Add a passkey' }).click();
    await button('Copy codes').waitFor();
    await button('Done').click();
    await page.getByText('Laptop').waitFor();

    await page.context().clearCookies();
    await page.goto('/settings');
    await button('Use a passkey').click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await button('Remove Laptop').click();
    await dialog().getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Not set up. Add one,', { exact: false }).waitFor();
    await page.context().clearCookies();
    await page.goto('/settings');
    await button('Use a passkey').click();
    await page.getByText('This passkey is not registered here.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    visited.forgive(refused('4'));
  });

  test('asks for re-authentication before a sensitive action, then runs it', async () => {
    await enterAsNew(page, 'cat');
    const cookies = await page.context().cookies();
    await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, value: aged(cookie.value) })));
    await page.goto('/settings');
    await button('New API key').click();
    await dialog().getByLabel('Name').fill('Till');
    await button('Create key').click();
    const asking = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await asking.waitFor();
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    await asking.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await asking.getByRole('button', { name: 'Continue' }).click();
    await asking.getByText('is wrong. Check it', { exact: false }).waitFor();
    await asking.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await asking.getByRole('button', { name: 'Continue' }).click();
    await button('Copy key').waitFor();
    visited.forgive(refused('4'));
  });

  test('does nothing when re-authentication is dismissed, and keeps the form', async () => {
    await enterAsNew(page, 'dan');
    const cookies = await page.context().cookies();
    await page.context().addCookies(cookies.map((cookie) => ({ ...cookie, value: aged(cookie.value) })));
    await page.goto('/settings');
    await button('New API key').click();
    await dialog().getByLabel('Name').fill('Till');
    await button('Create key').click();
    const asking = page.getByRole('dialog', { name: 'Confirm it’s you' });
    await asking.getByRole('textbox', { name: 'Password' }).fill('x');
    await page.keyboard.press('Escape');
    await asking.waitFor({ state: 'detached' });
    await page.getByText('Confirm your identity to do this.').waitFor();
    expect(await dialog().getByLabel('Name').inputValue()).toBe('Till');
    visited.forgive(refused('4'));
  });
});
