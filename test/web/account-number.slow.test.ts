/** The number of an account: typed, corrected, taken over from a phone, and warmed up. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { signUpInBrowser } from '../support/browser/dashboard-user.ts';
import { towards, type Status } from '../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';

const browser = await launchBrowser();
let peer: WhatsAppPeer;
let app: TestApp;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  app = await startTestApp({ ...towards(peer), sandboxSpeed: 200 });
});
afterAll(async () => {
  await app.stop();
  await peer.stop();
});

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const saveProfile = async () => {
    await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.', { exact: true }).waitFor();
  };
  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);
  const numbers = async () => {
    const { user_info } = await ask<{ user_info: { phone_number: string; wharsapp_number: string } }>(
      'user/get_profile',
    );
    return [user_info.phone_number, user_info.wharsapp_number];
  };
  const country = () => page.getByRole('combobox', { name: 'Country code' });

  test('asks for the country of a national number at sign-up', async () => {
    const scripts: string[] = [];
    page.on('request', (request) => void scripts.push(request.url()));
    await page.goto('/sign-up');
    await page.getByLabel('Phone number').fill('+4915112345678');
    await page.getByLabel('First name').fill('Nora');
    expect(await country().count()).toBe(0);
    const withoutCountry = scripts.length;
    await page.getByLabel('Phone number').fill('020 7946 0123');
    await page.getByText('Full number: +44 20 7946 0123').waitFor();
    expect(scripts.slice(withoutCountry).filter((url) => /phone-country/.test(url))).not.toEqual([]);
    expect(scripts.slice(0, withoutCountry).filter((url) => /phone-country/.test(url))).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await country().fill('Germ');
    await page.getByRole('option', { name: 'Germany (+49)' }).click();
    await page.getByLabel('Phone number').fill('0151 2345 6789');
    await page.getByText('Full number: +49 1512 3456789').waitFor();
    await page.getByLabel('WhatsApp number').fill('(011) 98');
    await page.getByText('Not a complete number of this country yet.').waitFor();
    await page.getByLabel('User name').fill('nora');
    await page.getByLabel('Email').fill('nora@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery');
    await press('Create account');
    await page.getByText('Enter the full number and its country').waitFor();
    await page.getByLabel('WhatsApp number').fill('+55 11 98765-4321');
    await press('Create account');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await numbers()).toEqual(['+49 1512 3456789', '+55 11 98765-4321']);
  });

  test('asks for the country once if one number is used for both', async () => {
    await signUpInBrowser(page, 'olga', '07700 900123');
    expect(await numbers()).toEqual(['+44 7700 900123', '+44 7700 900123']);
    await page.goto('/settings');
    await page.getByLabel('Phone number').fill('07700 900124');
    await page.getByText('Full number: +44 7700 900124').waitFor();
    await saveProfile();
    expect(await numbers()).toEqual(['+44 7700 900124', '+44 7700 900123']);
    expect(await page.getByLabel('Phone number').inputValue()).toBe('+44 7700 900124');
  });

  test('keeps a stored national number until it is changed', async () => {
    await enterAsNew(page, 'pia', '0151 23456789');
    await page.goto('/settings');
    expect(await page.getByLabel('Phone number').inputValue()).toBe('0151 23456789');
    await page.getByLabel('Last name').fill('Peters');
    await saveProfile();
    expect(await country().count()).toBe(0);
    expect((await numbers())[0]).toBe('0151 23456789');
  });

  test('changes the number until a phone was linked', async () => {
    const phone = peer.addPerson('447700900201');
    await enterAsNew(page, 'quinn', '+447700900200');
    await page.goto('/account');
    await press('Change');
    const dialog = page.getByRole('dialog', { name: 'Change the WhatsApp number' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Fill this in.').waitFor();
    await dialog.getByLabel('WhatsApp number').fill('07700 900201');
    await dialog.getByText('Full number: +44 7700 900201').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your number is changed. Link it next.').waitFor();
    await page.getByText('You post to the groups, communities and channels of +44 7700 900201').waitFor();
    const { qr = '' } = await ask<Status>('venom/connect-account');
    await peer.scan(phone, qr);
    await page.getByRole('region', { name: 'Connection' }).getByText('Connected', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Change', exact: true }).count()).toBe(0);
  });

  test('takes over the number of another phone, and links it by the next scan', async () => {
    const phone = peer.addPerson('5511987654321');
    await enterAsNew(page, 'rosa', '+5511911112222');
    await page.goto('/account');
    await page.getByRole('radio', { name: 'It is new' }).check();
    await press('Link with a QR code');
    await page.getByRole('img', { name: 'Code to scan with your phone' }).waitFor();
    const { qr = '' } = await ask<Status>('venom/account-status');
    await expect(peer.scan(phone, qr)).rejects.toThrow('hung up');
    await page.getByText('This phone has another number: +5511987654321').waitFor();
    await page.getByText('Nothing was linked: your account is for +5511911112222.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press('Use +5511987654321 instead');
    await page.getByRole('img', { name: 'Code to scan with your phone' }).waitFor();
    await peer.scan(phone, (await ask<Status>('venom/account-status')).qr ?? '');
    await page.getByRole('region', { name: 'Connection' }).getByText('Connected', { exact: true }).waitFor();
    expect((await numbers())[1]).toBe('+5511987654321');
    await page
      .getByRole('region', { name: 'Warm-up' })
      .getByText('Day 1 of 14: at most 30 posts today, 0 sent.')
      .waitFor();
  });

  test('shows that a campaign waits for the warm-up, and continues when that is ended', async () => {
    await enterAsNew(page, 'sara');
    await app.database.clock.set('2031-06-01T10:00:00Z');
    await ask('venom/connect-account', { messenger: 'sandbox', warm_up: true });
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const group_metadata_ids = groups.map((group) => group.group_metadata_id);
    let campaign_id = '';
    for (let number = 1; number <= 11; number++) {
      const body = { name: `Number ${number}`, html: `Number ${number}`, group_metadata_ids };
      ({ campaign_id } = await ask<{ campaign_id: string }>('venom/add-campaign', body));
    }
    await page.goto(`/campaigns/${campaign_id}`);
    await page.getByText('at most 30 posts today (day 1 of 14), 30 already sent').waitFor();
    await page.getByText(/done by about/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'See the warm-up' }).click();
    const warmUp = page.getByRole('region', { name: 'Warm-up' });
    await warmUp.getByText('Day 1 of 14: at most 30 posts today, 30 sent.').waitFor();
    await warmUp.getByRole('img', { name: /^At most 30 posts on the first day, up to 850 on day 14/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await warmUp.getByRole('button', { name: 'End the warm-up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End the warm-up' }).click();
    await warmUp.waitFor({ state: 'detached' });
    await page.goto(`/campaigns/${campaign_id}`);
    await page.getByRole('region', { name: 'Progress' }).getByText('Done').waitFor();
  });
});
