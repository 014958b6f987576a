/** A user's way from the sign-up on, in a real browser; elements are found by role and name. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PASSWORD, startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { enterAsNew } from '../support/browser/dashboard-page.ts';
import {
  moreOf,
  pasteMessage,
  sendToAll,
  signInInBrowser,
  signUpInBrowser,
  writeMessage,
} from '../support/browser/dashboard-user.ts';
import { PNG } from '../support/inputs/sample-files.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  async function tokenOf(name: string): Promise<string> {
    const answer = await app.call('user/authorize_user', { user_name: name, password: PASSWORD });
    return (answer.body.data as unknown as { token: string }).token;
  }

  test('signs up, creates a group, sends a campaign with a picture, and sees its reads', async () => {
    await signUpInBrowser(page, 'ada');
    await page.getByRole('link', { name: 'View groups' }).click();
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Group' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Book club');
    await page.getByRole('combobox', { name: 'Phone numbers' }).fill('+44 20 7946 0200,+44 20 7946 0201,');
    await page.getByRole('dialog').getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('button', { name: 'Invite link and QR code of Book club' }).click();
    await page.getByRole('img', { name: 'QR code of the invite link' }).waitFor();
    expect(await page.getByRole('dialog').locator('code').textContent()).toMatch(/^https:\/\//);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('n');
    await writeMessage(page, 'Spring *fair*', '- bring cake');
    await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: PNG });
    const phone = page.getByRole('complementary', { name: 'What members see' });
    await phone.locator('[data-styles~=bold]', { hasText: 'fair' }).waitFor();
    await phone.locator('img').waitFor();
    const id = await sendToAll(page);

    await page.getByText('Done', { exact: true }).first().waitFor();
    await page
      .getByText(/^[1-9][\d,]* of [1-9][\d,]* members$/)
      .nth(1)
      .waitFor();
    await page.getByRole('row', { name: /^Book club Sent/ }).waitFor();
    const answer = await app.call(
      'analytics/get-campaign-group-analytics-master',
      { campaign_id: id },
      await tokenOf('ada'),
    );
    expect(answer.body.data).toMatchObject({ campaign: { name: 'Spring fair' }, totals: { sent: 4, failed: 0 } });

    await page.getByRole('link', { name: 'Campaigns' }).click();
    await page
      .getByRole('link', { name: /Spring fair.*Done/ })
      .getByText('4 of 4 sent')
      .waitFor();
    await page.goto('/phone');
    await page.getByRole('button', { name: /Book club/ }).click();
    await page
      .getByRole('figure', { name: /with Book club open/ })
      .getByText('bring cake')
      .waitFor();
  });

  test('duplicates a campaign with its file and groups, and keeps the current draft', async () => {
    await enterAsNew(page, 'copyist');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Spring *fair*');
    await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: PNG });
    const first = await sendToAll(page);
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Something else');
    await page.goto(`/campaigns/${first}`);
    await page.getByRole('button', { name: 'Duplicate' }).click();
    await page.waitForURL('**/campaigns/new?draft=*');
    const phone = page.getByRole('complementary', { name: 'What members see' });
    await phone.locator('[data-styles~=bold]', { hasText: 'fair' }).waitFor();
    await phone.locator('img').waitFor();
    await page.getByRole('button', { name: 'Send to 3 simulated groups now' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Send now', exact: true }).click();
    await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
    const token = await tokenOf('copyist');
    const read = async (id: string) => (await app.call('venom/get-campaign', { campaign_id: id }, token)).body.data;
    const { name, html, media, group_metadata_ids } = (await read(first)) as Record<string, unknown>;
    expect(media).not.toBeNull();
    expect(page.url().slice(-36)).not.toBe(first);
    expect(await read(page.url().slice(-36))).toMatchObject({
      name: `${name} (copy)`,
      html,
      media,
      group_metadata_ids,
    });
    await page.goto('/campaigns/new');
    await page.getByRole('button', { name: 'Drafts (1)' }).click();
    await page.getByRole('menuitem', { name: 'Something else' }).click();
    await page.getByRole('textbox', { name: 'Message' }).getByText('Something else').waitFor();
  });

  /** As if `html` came from the clipboard. */
  async function paste(html: string): Promise<string> {
    await pasteMessage(page, { html });
    return page.getByRole('textbox', { name: 'Message' }).innerHTML();
  }

  test('keeps supported formatting of pasted html and drops the rest', async () => {
    await enterAsNew(page, 'bea');
    await page.goto('/campaigns/new');
    const html = await paste(
      '<h1 style="color: red">Fair</h1><table><tr><td>nine</td></tr></table><p onclick="x()"><b style="font-size: 9px">Bold</b> <span style="font-style: italic">slanted</span> <u>plain</u> <a href="javascript:alert(1)">bad</a> <a href="https://example.org/" target="_blank">good</a></p><script>globalThis.hacked = 1</script><img src="x" onerror="globalThis.hacked = 1">',
    );
    expect(html).not.toMatch(/style=|onclick|onerror|javascript:|<(?:u|table|td|img|script)\b/);
    expect(html).toContain('<h1>Fair</h1>');
    expect(html).toContain('<strong>Bold</strong> <em>slanted</em> plain bad <a href="https://example.org/">good</a>');
    await page.getByRole('complementary').getByText('nine').waitFor();
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  });

  test('keeps lists pasted from Word and drops its spacers', async () => {
    await enterAsNew(page, 'wanda');
    await page.goto('/campaigns/new');
    const item = (marker: string, text: string) =>
      `<p class=MsoListParagraph style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>${marker}<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>${text}<o:p></o:p></p>`;
    const html = await paste(
      `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style><!-- p.MsoNormal {margin:0cm} --></style></head><body lang=EN-GB><p class=MsoNormal>We <b style='mso-bidi-font-weight:normal'>open</b> at nine.<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p>${item('·', 'Cake')}${item('·', '<i>Tea</i>')}<p class=MsoNormal>Then<o:p></o:p></p>${item('1.', 'Sing')}${item('2.', 'Dance')}</body></html>`,
    );
    const bare = html
      .replaceAll(/<br[^>]*>/g, '')
      .replaceAll('<li><p>', '<li>')
      .replaceAll('</p></li>', '</li>');
    // The editor keeps an empty line to write on below a list.
    expect(bare.replace(/<p><\/p>$/, '')).toBe(
      '<p>We <strong>open</strong> at nine.</p><p></p><ul><li>Cake</li><li><em>Tea</em></li></ul><p></p><p>Then</p><p></p><ol><li>Sing</li><li>Dance</li></ol>',
    );
    expect(html).not.toContain('·');
  });

  test('creates a schedule with days, time and zone, and cancels it', async () => {
    await enterAsNew(page, 'cleo');
    await page.goto('/campaigns/new');
    await page.getByLabel('Campaign name').fill('Good morning');
    await writeMessage(page, 'Hello');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await page.getByText('On a schedule').click();
    // Until it is shown, the days are those of this month.
    const next = Temporal.Now.plainDateISO('Europe/Berlin').add({ months: 1 });
    const month = next.toLocaleString('en-GB', { month: 'long', year: 'numeric' });
    for (const [field, day] of [
      ['First day', 10],
      ['Last day', 12],
    ] as const) {
      await page.getByRole('button', { name: field, exact: true }).click();
      const calendar = page.getByRole('dialog', { name: field });
      if (field === 'First day') await calendar.getByRole('button', { name: 'Next month' }).click();
      await calendar.getByText(month, { exact: true }).waitFor();
      await calendar.getByRole('button', { name: `${day} ${month}`, exact: true }).click();
      await calendar.waitFor({ state: 'detached' });
    }
    await page.getByLabel('Time', { exact: true }).fill('09:30');
    await page.getByText(/^Runs: .*, 09:30 · .*, 09:30 · .*, 09:30 \(CES?T\)\.$/).waitFor();
    await page.getByRole('button', { name: 'Schedule for 1 simulated group' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByRole('heading', { name: 'Good morning', level: 1 }).waitFor();
    expect(
      await page
        .getByRole('listitem')
        .filter({ hasText: /09:30 CES?T/ })
        .count(),
    ).toBe(3);
    await moreOf(page, 'Cancel campaign');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel campaign' }).click();
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
  });

  test('returns to the draft after an expired session', async () => {
    await enterAsNew(page, 'dora');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Not lost');
    await page.getByRole('checkbox', { name: 'Village news' }).check();
    await page.reload();
    await page.getByText('1 group · 121 members').waitFor();
    await app.call('user/revoke_tokens', {}, await tokenOf('dora'));
    await page.getByText('Your session has ended.', { exact: false }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/campaigns/new');
    await signInInBrowser(page, 'dora');
    await page.getByRole('textbox', { name: 'Message' }).getByText('Not lost').waitFor();
    await page.getByText('1 group · 121 members').waitFor();
    visited.forgive(refused('401'));
  });

  test('shows wrong credentials and missing fields beside the fields', async () => {
    await app.signUp('eve');
    await page.goto('/');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Enter your user name or email address.').waitFor();
    await page.getByLabel('User name or email').fill('eve');
    await page.getByRole('textbox', { name: 'Password' }).fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong user name or password. Check both and try again.').waitFor();
    visited.forgive(refused('401'));
    await signInInBrowser(page, 'eve');
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
    expect(await page.context().cookies()).toEqual([expect.objectContaining({ httpOnly: true, sameSite: 'Strict' })]);
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage)')).not.toContain('eyJ');
  });
});
