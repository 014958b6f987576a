/** Webhooks and API keys in Settings, with a real receiver. */
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import type { Browser, Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { readAllowedHosts } from '../../src/platform/network/allowed-hosts.ts';
import { instantOf, localTime } from '../../web/format/local-time.ts';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { startReceiver } from '../support/servers/receiver.ts';

const browser = await launchBrowser();
const allowed = readAllowedHosts(['127.0.0.0/8']);
if (!allowed) throw new Error('no such hosts');
const app = await startTestApp({ egress: { allowHttp: true, allowed, proxy: {} } });
const receiver = await startReceiver();
afterAll(async () => {
  await app.stop();
  await receiver.close();
});

/** Something happens to the workspace of whoever is called so. */
async function happen(userName: string, groups: readonly string[]): Promise<void> {
  for (const name of groups)
    await sql`
      insert into events (workspace_id, type, data)
      select m.workspace_id, 'group.changed', ${JSON.stringify({ name })}::jsonb
      from memberships m join users u using (user_id) where u.user_name = ${userName}`.execute(app.database.db);
}

const told = () => receiver.received.filter(({ type }) => type === 'group.changed').map(({ data }) => data['name']);

/** In both appearances nobody stumbles over anything in the dialog, or where none is open in the part of the page. */
async function expectNoBarriers(page: Page): Promise<void> {
  const within = (await page.getByRole('dialog').count()) > 0 ? '[role=dialog]' : 'section[aria-label=Webhooks]';
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    expect(await findBarriers(page, { within }), colorScheme).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
}

test('converts a local time to its instant', () => {
  expect(instantOf('2026-01-15T12:00', 'Europe/Berlin')?.toISOString()).toBe('2026-01-15T11:00:00.000Z');
  expect(instantOf('2026-07-15T12:00', 'America/New_York')?.toISOString()).toBe('2026-07-15T16:00:00.000Z');
  expect(instantOf('2026-07-15T12:00', 'Asia/Kathmandu')?.toISOString()).toBe('2026-07-15T06:15:00.000Z');
  // Set back: it was 02:30 twice, and the first of them counts. Set forward: it never was.
  expect(instantOf('2026-10-25T02:30', 'Europe/Berlin')?.toISOString()).toBe('2026-10-25T00:30:00.000Z');
  expect(instantOf('2026-03-29T02:30', 'Europe/Berlin')?.toISOString()).toMatch(/^2026-03-29T0[01]:30/);
  expect(instantOf('', 'Europe/Berlin')).toBeUndefined();
  expect(localTime(new Date('2026-12-31T23:30:00Z'), 'Europe/Berlin')).toBe('2027-01-01T00:30');
});

describe.skipIf(!browser)('in a browser', () => {
  test('creates, tests, follows, rotates and deletes a webhook by keyboard', async () => {
    const visited = await visit(browser as Browser, app.url);
    const { page } = visited;
    const section = page.getByRole('region', { name: 'Webhooks' });
    const dialog = page.getByRole('dialog');
    const button = (name: string) => section.getByRole('button', { name, exact: true });
    /** As somebody without a mouse presses what has a name. */
    const press = async (name: string, within = section) => {
      await within.getByRole('button', { name, exact: true }).focus();
      await page.keyboard.press('Enter');
    };
    const choose = async (name: string) => {
      await press('More');
      await page.getByRole('menuitem', { name, exact: true }).waitFor();
      for (let tries = 0; tries < 8; tries++) {
        if ((await page.evaluate('document.activeElement.textContent')) === name) break;
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
    };
    await enterAsNew(page, 'ann');
    await page.goto('/settings');

    // Nothing yet, and what goes wrong is said at its field.
    await section.getByText('None yet.', { exact: false }).waitFor();
    await press('New webhook');
    await dialog.getByRole('checkbox', { name: 'Everything', checked: true }).waitFor();
    expect(await dialog.getByRole('checkbox').count()).toBe(1);
    await expectNoBarriers(page);
    await page.keyboard.type('nonsense');
    await page.keyboard.press('Enter');
    await dialog.getByText('Enter a valid web address.').waitFor();
    expect(await dialog.getByLabel('Address').getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByRole('checkbox', { name: 'Everything' }).press('Space');
    await dialog.getByRole('button', { name: 'Add webhook' }).press('Enter');
    await dialog.getByText('Choose at least one.').waitFor();
    await dialog.getByRole('checkbox', { name: 'Groups were added, removed or changed' }).press('Space');
    await dialog.getByLabel('Description').fill('The till');
    await page.keyboard.press('Enter');

    // The secret stays until its reader is done with it.
    await dialog.getByRole('button', { name: 'Copy secret' }).waitFor();
    const secret = (await dialog.locator('pre').textContent()) ?? '';
    expect(secret).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    await expectNoBarriers(page);
    await press('Done', dialog);
    await dialog.waitFor({ state: 'detached' });
    await section.getByText('The till').waitFor();
    expect(await askInBrowser(page, 'venom/list-webhooks')).toMatchObject({
      webhooks: [{ url: receiver.url, events: ['group.changed'], description: 'The till', signature: 'v1' }],
    });

    // A test shows its answer at once, as a receiver with the secret took it.
    receiver.answer(() => ({ status: 200, text: 'thank you' }));
    await press('Send a test');
    await section.getByText('thank you').waitFor();
    const [test0] = receiver.received;
    expect(new Webhook(secret).verify(test0?.text ?? '', test0?.headers as Record<string, string>)).toMatchObject({
      type: 'webhook.test',
    });

    // What fails says so, with what the receiver answered.
    receiver.answer(() => ({ status: 500, text: 'out of order' }));
    await happen('ann', ['one', 'two']);
    await section.getByText('On, but deliveries fail').waitFor();
    await section.getByText('Next attempt').waitFor();
    await expectNoBarriers(page);
    await press('Log');
    const failed = dialog.getByRole('listitem').filter({ hasText: 'Answered 500' }).first();
    await failed.waitFor();
    await dialog.getByRole('switch', { name: 'Failed only' }).press('Space');
    await expect.poll(() => dialog.getByRole('listitem').filter({ hasText: 'Answered 200' }).count()).toBe(0);
    await failed.locator('summary').press('Enter');
    await failed.getByText('out of order').waitFor();
    await expectNoBarriers(page);

    // It is mended; one is told again, and what waited follows.
    receiver.answer(() => ({ status: 204 }));
    await press('Resend: Groups were added, removed or changed', failed);
    await page.getByText('1 message is being resent.').waitFor();
    await expect.poll(told).toContain('two');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await section.getByText('On', { exact: true }).waitFor();
    const before = told().length;
    await choose('Resend messages…');
    await dialog.getByText('Times are in Europe/Berlin.').waitFor();
    await expectNoBarriers(page);
    await dialog.getByLabel('To').fill('2020-01-01T00:00');
    await press('Resend', dialog);
    await dialog.getByText('The end must be after the start.').waitFor();
    await dialog.getByLabel('To').fill(localTime(new Date(Date.now() + 60_000), 'Europe/Berlin'));
    await press('Resend', dialog);
    await page.getByText('2 messages are being resent.').waitFor();
    await expect.poll(() => told().slice(before)).toEqual(['one', 'two']);

    // Another secret; the one before stays good for a day.
    await choose('Rotate secret…');
    await press('Rotate', dialog);
    await dialog.getByText('This one and the previous one are both valid until', { exact: false }).waitFor();
    expect(await dialog.locator('pre').textContent()).not.toBe(secret);
    await press('Done', dialog);
    await section.getByText('Old secret valid until').waitFor();
    // The focus is where it was, and not at the top of the page.
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('More');

    // Off and on, by its owner and by a receiver that wants no more.
    await choose('Turn off');
    await section.getByText('Turned off', { exact: true }).waitFor();
    await press('Turn on again');
    await button('Send a test').waitFor();
    receiver.answer(() => ({ status: 410 }));
    await happen('ann', ['three']);
    await section.getByText('Ended: it answered 410', { exact: false }).waitFor();
    await section.getByText('Off since').waitFor();
    await expectNoBarriers(page);
    receiver.answer(() => ({ status: 204 }));
    await press('Turn on again');
    await expect.poll(() => told().at(-1)).toBe('three');

    // Changed, and gone.
    await press('Edit');
    await dialog.getByRole('checkbox', { name: 'Everything' }).press('Space');
    await press('Save', dialog);
    await page.getByText('Saved.', { exact: true }).last().waitFor();
    await section.getByText('Everything').waitFor();
    await press('Edit');
    await dialog.getByRole('checkbox', { name: 'Everything' }).press('Space');
    await dialog.getByRole('checkbox', { name: 'All group events' }).press('Space');
    await expectNoBarriers(page);
    const inFamily = dialog.getByRole('checkbox', { name: 'Groups were added, removed or changed' });
    expect([await inFamily.isChecked(), await inFamily.isDisabled()]).toEqual([true, true]);
    await press('Save', dialog);
    await section.getByText('All group events').waitFor();
    await choose('Delete…');
    await press('Delete', dialog);
    await section.getByText('None yet.', { exact: false }).waitFor();
    visited.forgive(refused('400'));
    await visited.end();
  });

  test('does not create a webhook later without a network, and shows scopes and last use of a key', async () => {
    const visited = await visit(browser as Browser, app.url, { viewport: { width: 390, height: 844 } });
    const { page } = visited;
    const dialog = page.getByRole('dialog');
    await enterAsNew(page, 'ben');
    const { key } = await askInBrowser<{ key: string }>(page, 'user/create_api_key', {
      name: 'Till',
      scopes: ['read', 'admin'],
    });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const made = await fetch(`${app.url}/api/v1/venom/create-webhook`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ url: receiver.url, signature: 'v1a' }),
    });
    expect(made.status).toBe(200);
    await page.goto('/settings');
    const keys = page.getByRole('region', { name: 'API keys' });
    await keys.getByRole('row', { name: /Till .*read, admin · Owner .*just now/ }).waitFor();
    const hooks = page.getByRole('region', { name: 'Webhooks' });
    await hooks.getByText('Everything').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await hooks.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Public key' }).click();
    await dialog.getByText(/^whpk_/).waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await dialog.waitFor({ state: 'detached' });

    await hooks.getByRole('button', { name: 'New webhook' }).click();
    await dialog.getByLabel('Address').fill(receiver.url);
    await page.context().setOffline(true);
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText('You’re offline. Nothing was sent.').waitFor();
    await page.context().setOffline(false);
    expect(await askInBrowser<{ webhooks: unknown[] }>(page, 'venom/list-webhooks')).toMatchObject({
      webhooks: [{ signature: 'v1a' }],
    });
    visited.forgive(/net::ERR_/);
    await visited.end();
  });
});
