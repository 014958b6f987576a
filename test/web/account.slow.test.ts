/** The page of the account in the dashboard: linking WhatsApp and when it rests, in a real browser, against the peer and the phone it has. */
import { sql } from 'kysely';
import type { Browser, Page } from 'playwright-core';
import { create } from 'qrcode';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeOrQuarantine } from '../../src/sending/accounts/quarantine-account.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { signUpInBrowser } from '../support/browser/dashboard-user.ts';
import { OWN_NUMBER, towards, type Status } from '../support/whatsapp.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';
import { tellRestriction } from '../../harness/whatsapp-peer/phones.ts';
import { addGroup, type Person as PeerPerson } from '../../harness/whatsapp-peer/world.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

const browser = await launchBrowser();
let peer: WhatsAppPeer;
let phone: PeerPerson;
let app: TestApp;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  phone = peer.addPerson(OWN_NUMBER);
  addGroup(peer.world, phone, { subject: 'Running club' }, [peer.addPerson('447700900001')]);
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
  afterEach(async () => {
    peer.behave();
    await visited.end();
  });

  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  /** At the first link the page asks how the number was used. */
  const chooseUse = (name: string) => page.getByRole('radio', { name }).check();
  const USED = 'It has posted to groups for a long time';
  const state = (text: string) => page.getByRole('region', { name: 'Connection' }).getByText(text, { exact: true });

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);

  /** Which squares of the picture are dark: where each is, in the order in which it is drawn. */
  function squaresOf(text: string): string[] {
    const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
    return Array.from(data).flatMap((isDark, index) =>
      isDark ? [`${(index % size) + 4} ${Math.floor(index / size) + 4}`] : [],
    );
  }

  test('links an account by QR code and posts to its groups', async () => {
    await signUpInBrowser(page, 'ada', `+${OWN_NUMBER}`);
    await page.getByText('Link your WhatsApp, or try everything').waitFor();
    await page.getByRole('link', { name: 'View account' }).click();
    await state('Not linked').waitFor();
    await press('Link with a QR code');
    await page.getByText('Choose one: a new number has to start slowly.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await chooseUse(USED);
    await press('Link with a QR code');
    const picture = page.getByRole('img', { name: 'Code to scan with your phone' });
    await picture.waitFor();
    await page.getByText(/^This code is valid for another \d+ s/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    const { qr = '' } = await ask<Status>('venom/account-status');
    const drawn = (await picture.locator('path').getAttribute('d')) ?? '';
    expect([...drawn.matchAll(/M(\d+ \d+)/g)].map(([, square]) => square)).toEqual(squaresOf(qr));
    await peer.scan(phone, qr);
    await state('Connected').waitFor();
    await picture.waitFor({ state: 'detached' });
    const history = page.getByRole('region', { name: 'History' });
    for (const past of ['Connected', 'Linking', 'Not linked']) await history.getByText(past).first().waitFor();
    await page.getByRole('link', { name: 'Groups', exact: true }).click();
    await page.getByText('Running club').waitFor();
  });

  test('links an account by pairing code, and unlinks it after a confirmation', async () => {
    // Nobody else has entered it, or no code would go to it.
    const own = peer.addPerson('447700900150');
    await enterAsNew(page, 'ben', '+447700900150');
    await page.goto('/account');
    await chooseUse(USED);
    await press('Link with a QR code');
    await press('Use a code instead');
    const code = page.getByRole('img', { name: /^Code to enter on your phone: (\S ){7}\S$/ });
    const shown = ((await code.textContent()) ?? '').replace('-', '');
    const companion = await peer.enter(own, shown);
    await state('Connected').waitFor();
    await press('Unlink');
    await page.getByRole('dialog').getByText('Nothing is sent until you link again.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Unlink', exact: true }).click();
    await state('Not linked').waitFor();
    expect(own.companions.has(companion.device)).toBe(false);
    await press('Link with a code');
    await press('Cancel linking');
    await state('Not linked').waitFor();
  });

  test('switches an account to the sandbox, and keeps it there while a campaign is planned', async () => {
    await enterAsNew(page, 'cleo', `+${OWN_NUMBER}`);
    await page.goto('/account');
    await page.getByRole('radiogroup', { name: 'Messaging app' }).getByText('Sandbox').click();
    await press('Use the sandbox');
    await page.getByText('See what its members see').waitFor();
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    await ask('venom/add-campaign-batch', {
      name: 'Later',
      html: 'Hello',
      group_metadata_ids: groups.map((group) => group.group_metadata_id),
      is_schedule: true,
      start_date: '2032-06-01',
      end_date: '2032-06-01',
      schedule_time: '09:00:00',
    });
    await page.getByRole('radiogroup', { name: 'Messaging app' }).getByText('WhatsApp').click();
    await chooseUse(USED);
    await press('Link with a QR code');
    await page.getByRole('alert').getByText('This account still has campaigns or waiting posts.').waitFor();
    // The browser itself complains about every answer that is an error.
    expect(visited.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
    expect(await ask<Status>('venom/account-status')).toMatchObject({ messenger: 'sandbox', status: 'connected' });
  });

  test('shows the reason and the end of a pause, and that no action is needed', async () => {
    await enterAsNew(page, 'rita', `+${OWN_NUMBER}`);
    await page.goto('/account');
    await state('Not linked').waitFor();
    const { qr = '' } = await ask<Status>('venom/connect-account', {});
    const companion = await peer.scan(phone, qr);
    await state('Connected').waitFor();
    const end = new Date(Date.now() + 2 * 3_600_000);
    peer.script.restrictedUntil = end;
    tellRestriction(companion, end);
    await page
      .getByRole('status')
      .getByText(/^WhatsApp has locked new private chats until/)
      .waitFor();
    await page.getByText('Posts to groups and channels go on, at a third of the pace.').waitFor();
    expect(await findBarriers(page)).toEqual([]);
    peer.script.judge = () => ({ refuse: 463 });
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const ids = groups.map((group) => group.group_metadata_id);
    await ask('venom/add-campaign', { name: 'Refused', html: 'Hello', group_metadata_ids: ids });
    await page.getByText(/^Sending is paused until .*, \d\d:\d\d CES?T$/).waitFor();
    await page.getByRole('status').getByText('WhatsApp has restricted').waitFor();
    await page.getByText('It resumes automatically in 2 hours.').waitFor();
    await page.getByRole('link', { name: /^Account: Paused until .*\d\d:\d\d/ }).waitFor();
    expect(await findBarriers(page)).toEqual([]);
  });

  test('offers to try an ended link once more', async () => {
    const own = peer.addPerson('447700900151');
    await enterAsNew(page, 'eve', '+447700900151');
    await page.goto('/account');
    await state('Not linked').waitFor();
    const { qr = '' } = await ask<Status>('venom/connect-account', {});
    await peer.scan(own, qr);
    await state('Connected').waitFor();
    peer.script.refuseLogin = 403;
    peer.cut(own);
    await page.getByRole('note').getByText('You can try the former link once more').waitFor();
    await page.getByText(/^Its keys are kept until .*\d\d:\d\d/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    peer.behave();
    await press('Try once more');
    await state('Connected').waitFor();
    await page.getByText('You can try the former link once more').waitFor({ state: 'detached' });
  });

  test('says in words that WhatsApp gives no pairing code', async () => {
    peer.addPerson('447700900152');
    await enterAsNew(page, 'finn', '+447700900152');
    await page.goto('/account');
    await chooseUse(USED);
    peer.script.refuseQuery = ({ action }) => (action === 'link_code_companion_reg' ? 429 : undefined);
    await press('Link with a code');
    await page.getByRole('alert').getByText('WhatsApp gives no more codes for this number').waitFor();
    expect(visited.complaints.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  test('shows why an account was stopped, and resumes it by button', async () => {
    await enterAsNew(page, 'stan', `+${OWN_NUMBER}`);
    await ask('venom/connect-account', { messenger: 'sandbox' });
    await page.goto('/account');
    await state('Sandbox').or(state('Connected')).first().waitFor();
    const { db } = app.database;
    const { rows } = await sql<{ id: AccountId }>`select max(account_id) as id from accounts`.execute(db);
    await writeOrQuarantine({ db }, { accountId: rows[0]?.id ?? (0 as AccountId) }, () =>
      sql`select 1 / 0`.execute(db),
    );
    await page.getByText('Sending is stopped', { exact: true }).waitFor();
    await page.getByText(/^Sending is stopped, because the records .* Connect the account again/).waitFor();
    expect(await findBarriers(page)).toEqual([]);
    await press('Check and resume');
    await page.getByText('Sending is stopped', { exact: true }).waitFor({ state: 'detached' });
    expect(await ask<Status>('venom/account-status')).toMatchObject({ messenger: 'sandbox', status: 'connected' });
  });

  test('sets and removes quiet hours and the daily cap', async () => {
    await enterAsNew(page, 'dora', `+${OWN_NUMBER}`);
    await page.goto('/account');
    await page.getByRole('checkbox', { name: /^Quiet hours/ }).check();
    await page.getByLabel('From').fill('21:30');
    await page.getByLabel('To', { exact: true }).fill('21:30');
    await press('Save');
    await page.getByText('Choose a time that differs from the start.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('06:15');
    await page.getByLabel('Maximum posts per day').fill('250');
    await press('Save');
    await page.getByText('Sent today: 0 of 250.').waitFor();
    const rules = () => ask<object>('venom/update-account');
    expect(await rules()).toMatchObject({ quiet_hours: { from: '21:30', to: '06:15' }, daily_cap: 250 });
    await page.reload();
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('06:15');
    expect(await findBarriers(page)).toEqual([]);
    await page.getByRole('checkbox', { name: /^Quiet hours/ }).uncheck();
    await page.getByLabel('Maximum posts per day').fill('');
    await press('Save');
    await page.getByText('Sent today').waitFor({ state: 'detached' });
    expect(await rules()).toMatchObject({ quiet_hours: null, daily_cap: null });
  });
});
