/** Writing a campaign in the dashboard: what it lacks, a test to one group, and a schedule over a change of the clocks. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { launchBrowser, refused, visit, type Visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { pasteMessage, writeMessage } from '../support/browser/dashboard-user.ts';
import { PNG } from '../support/inputs/sample-files.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 200 });
afterAll(() => app.stop());

const ZONE = 'Europe/Berlin';
const DAY_MS = 86_400_000;

/** What the page has; the types of this project contain no DOM. */
interface Style {
  getComputedStyle(element: unknown): { direction: string; unicodeBidi: string };
}

/** The next day on which the clocks of the zone change, three days from now at the earliest. */
function nextClockChange(): Temporal.PlainDate {
  const change = Temporal.Now.zonedDateTimeISO(ZONE).add({ days: 3 }).getTimeZoneTransition('next');
  if (!change) throw new Error(`the clocks of ${ZONE} change no more`);
  return change.toPlainDate();
}

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  beforeEach(async () => {
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
  });
  afterEach(() => visited.end());

  const press = (name: string | RegExp) => page.getByRole('button', { name, exact: true }).click();
  const dialog = () => page.getByRole('dialog');
  const check = () => page.getByRole('region', { name: 'Check' });

  /** Picks a day in the calendar of a field. */
  async function choose(field: string, day: Temporal.PlainDate): Promise<void> {
    await press(field);
    const month = day.toLocaleString('en-GB', { month: 'long', year: 'numeric' });
    const calendar = page.getByRole('dialog', { name: field });
    const shown = calendar.getByText(month, { exact: true });
    // The calendar opens at the month of a day that is known: counted before it is there, one click would go past it.
    await calendar.getByRole('button', { name: 'Next month' }).waitFor();
    for (let clicks = 0; clicks < 12 && (await shown.count()) === 0; clicks++)
      await calendar.getByRole('button', { name: 'Next month' }).click();
    await calendar.getByRole('button', { name: `${day.day} ${month}`, exact: true }).click();
    await calendar.waitFor({ state: 'detached' });
  }

  const ask = <Data>(path: string, data?: object) => askInBrowser<Data>(page, path, data);

  test('lists what a new campaign still lacks, until nothing is missing', async () => {
    await enterAsNew(page, 'ada');
    await page.goto('/campaigns/new');
    for (const missing of ['Write a message, or attach a file.', 'Select at least one group.'])
      await check().getByText(missing).waitFor();
    await writeMessage(page, 'Hello');
    await check().getByText('Write a message, or attach a file.').waitFor({ state: 'detached' });
    await page.getByText('On a schedule').click();
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await check().getByText('Choose the first day.').waitFor();
    expect(await check().getByText('Ready to send.').count()).toBe(0);
    await page.getByText('Now', { exact: true }).click();
    await check().getByText('Ready to send.').waitFor();
    await page.getByText(/^Sending takes about .* Done by about \d\d:\d\d\.$/).waitFor();
  });

  test('says in quiet hours when sending begins: in the button, the receipt, the message, the status and the pill', async () => {
    await enterAsNew(page, 'nina');
    const { time_zone: zone } = await ask<{ time_zone: string }>('venom/update-account');
    const clock = (hours: number) =>
      Temporal.Now.zonedDateTimeISO(zone).add({ hours }).toPlainTime().toString({ smallestUnit: 'minute' });
    const end = clock(2);
    await ask('venom/update-account', { quiet_hours: { from: clock(-1), to: end } });
    await page.goto('/campaigns/new');
    await page.getByRole('link', { name: new RegExp(`^Account: Paused until .*${end}`) }).waitFor();
    await writeMessage(page, 'Good night');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await press(new RegExp(`^Send from .*${end} on$`));
    await dialog().getByText('Send to 1 simulated group').first().waitFor();
    const why = new RegExp(`It is quiet hours\\. Posts go out from .*${end} on\\.`);
    await dialog().getByText(why).waitFor();
    for (const untrue of ['Sending begins immediately', 'Sending begins as soon as you confirm', 'Sending takes'])
      expect(await page.getByText(untrue, { exact: false }).count(), untrue).toBe(0);
    await dialog()
      .getByRole('button', { name: new RegExp(`^Send from .*${end} on$`) })
      .click();
    await page.getByText(/^Good night is accepted\. It is quiet hours\./).waitFor();
    const progress = page.getByRole('region', { name: 'Progress' });
    await progress.getByText(new RegExp(`^Waiting until .*${end}$`)).waitFor();
    await progress.getByText(why).waitFor();
  });

  test('sends a picture without a text, named after its file', async () => {
    await enterAsNew(page, 'pia');
    await page.goto('/campaigns/new');
    await check().getByText('Write a message, or attach a file.').waitFor();
    await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: PNG });
    await check().getByText('Write a message, or attach a file.').waitFor({ state: 'detached' });
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await check().getByText('Ready to send.').waitFor();
    await press('Send to 1 simulated group now');
    await dialog().getByRole('button', { name: 'Send now' }).click();
    await page.getByRole('heading', { name: 'fair.png' }).waitFor();
    const { campaigns } = await ask<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns');
    expect(await ask('venom/get-campaign', { campaign_id: campaigns[0]?.campaign_id })).toMatchObject({
      name: 'fair.png',
      text: '',
      media: { mime: 'image/png' },
    });
  });

  test('warns about a group that already got the same text, and can exclude it', async () => {
    await enterAsNew(page, 'bea');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    await ask('venom/add-campaign', {
      name: 'Before',
      html: '<p>The very same</p>',
      group_metadata_ids: [groups[0]?.group_metadata_id],
    });
    await page.goto('/campaigns/new');
    await writeMessage(page, 'The very same');
    await press('Select all matching');
    // The button stands beside the count, on one line.
    const [sum, clear] = await Promise.all([
      page
        .locator('main')
        .getByText(/^3 groups · \d+ members$/)
        .boundingBox(),
      page.getByRole('button', { name: 'Clear', exact: true }).boundingBox(),
    ]);
    expect(Math.abs((sum?.y ?? 0) + (sum?.height ?? 0) / 2 - (clear?.y ?? 0) - (clear?.height ?? 0) / 2)).toBeLessThan(
      3,
    );
    await check().getByText('1 group gets the same text from another campaign of yours').waitFor();
    await check().getByText('Chess friends', { exact: true }).waitFor();
    await check().getByRole('button', { name: 'Remove this group' }).click();
    await check().getByText('Ready to send.').waitFor();
    await page.getByRole('button', { name: 'Send to 2 simulated groups now' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Chess friends' }).isChecked()).toBe(false);
  });

  test('sends a test with its file to one group as its own campaign, and keeps the draft', async () => {
    await enterAsNew(page, 'eve');
    await page.goto('/campaigns/new');
    await press('Send a test…');
    await dialog().getByText('Write a message or attach a file first').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await writeMessage(page, 'Spring *fair*');
    await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: PNG });
    await page.getByRole('complementary').locator('img').waitFor();
    await press('Select all matching');
    await press('Send a test…');
    await page.getByRole('combobox', { name: 'Group', exact: true }).fill('chess');
    await page.getByRole('option', { name: 'Chess friends' }).click();
    await dialog()
      .getByText('5 members of Chess friends will see it. Tests do not show in lists or figures.')
      .waitFor();
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    await press('Send the test now');
    await dialog().getByText('The test is on its way to Chess friends.').waitFor();
    await dialog().getByRole('button', { name: 'Done' }).click();

    const { campaigns } = await ask<{ campaigns: Array<{ campaign_id: string; name: string }> }>(
      'venom/list-campaigns',
      { with_tests: true },
    );
    expect(campaigns.map(({ name }) => name)).toEqual(['Test: Spring fair']);
    expect(await ask('venom/list-campaigns')).toMatchObject({ campaigns: [] });
    const sent = await ask<{ media: object | null; group_metadata_ids: number[] }>('venom/get-campaign', {
      campaign_id: campaigns[0]?.campaign_id,
    });
    expect([sent.media === null, sent.group_metadata_ids.length]).toEqual([false, 1]);
    await page.getByText('3 groups · 151 members').waitFor();
    // A page that is left before that loses what it had not saved yet, and asks before.
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await page.getByRole('textbox', { name: 'Message' }).getByText('Spring').waitFor();
    await page.getByText('3 groups · 151 members').waitFor();
    await press('Send a test…');
    await dialog().getByText('5 members of Chess friends will see it.', { exact: false }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Group', exact: true }).inputValue()).toBe('Chess friends');
  });

  test('scrolls the page over the list of groups, and the list once one of them was clicked', async () => {
    await enterAsNew(page, 'fay');
    await page.goto('/campaigns/new');
    // The types of this project know no browser.
    const browserSide = 'getComputedStyle(document.querySelector("[aria-label=\'Groups to choose from\']")).overflowY';
    const overflow = () => page.evaluate(browserSide);
    await page.getByRole('checkbox', { name: 'Chess friends' }).waitFor();
    expect(await overflow()).toBe('hidden');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    expect(await overflow()).toBe('auto');
  });

  test('attaches a picture that is pasted into the message', async () => {
    await enterAsNew(page, 'gwen');
    await page.goto('/campaigns/new');
    const editor = page.getByRole('textbox', { name: 'Message' });
    await editor.click();
    await editor.evaluate(
      (element, bytes) => {
        // The types of this project know no browser.
        const browserSide = globalThis as never as Record<string, new (...args: never[]) => never>;
        const make = (name: string, ...args: unknown[]) => Reflect.construct(browserSide[name] as never, args) as never;
        const clipboard = make('DataTransfer') as { items: { add(file: never): void } };
        const file = { type: 'image/png' };
        clipboard.items.add(make('File', [Uint8Array.from(bytes)], 'pasted.png', file));
        const init = { clipboardData: clipboard, bubbles: true, cancelable: true };
        (element as never as { dispatchEvent(event: never): void }).dispatchEvent(
          make('ClipboardEvent', 'paste', init),
        );
      },
      [...PNG],
    );
    await page.getByRole('complementary').locator('img').waitFor();
    // Members see no name of a picture.
    expect(await page.getByText('pasted.png').count()).toBe(0);
    await press('Remove');
    await page.getByRole('complementary').locator('img').waitFor({ state: 'detached' });
  });

  test('opens the preview by button on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await enterAsNew(page, 'hana');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Spring *fair*');
    expect(await page.getByRole('complementary').count()).toBe(0);
    await press('Preview');
    const phone = dialog().getByRole('figure');
    await phone.locator('[data-styles~=bold]', { hasText: 'fair' }).waitFor();
    await phone.getByText(/^\+\d/).waitFor();
    expect(await phone.locator('svg').count()).toBe(0);
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
  });

  test('inserts emoji at the cursor, by mouse and by keyboard', async () => {
    await enterAsNew(page, 'iris');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Cake ');
    await press('Emoji');
    await dialog().getByRole('button', { name: '🎂' }).click();
    await dialog().waitFor({ state: 'detached' });
    await press('Emoji');
    await dialog().getByRole('button', { name: '😀' }).focus();
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('complementary').getByText('Cake 🎂😉').waitFor();
  });

  test('shows the last post of each group, and sums up in the confirmation, warnings first', async () => {
    await enterAsNew(page, 'jon');
    const { groups } = await ask<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
    const sent = await ask<{ campaign_id: string }>('venom/add-campaign', {
      name: 'Before',
      html: '<p>The very same</p>',
      group_metadata_ids: [groups[0]?.group_metadata_id],
    });
    await expect.poll(async () => (await ask<{ status: string }>('venom/get-campaign', sent)).status).toBe('completed');
    await page.goto('/campaigns/new');
    const list = page.getByRole('group', { name: 'Groups to choose from' });
    await list
      .getByText(/^just now|^now|ago|\d% read|—/)
      .first()
      .waitFor();
    await writeMessage(page, 'The very same');
    await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: PNG });
    await press('Select all matching');
    await press('Send to 3 simulated groups now');
    await dialog().locator('li', { hasText: '1 group gets the same text from another campaign of yours' }).waitFor();
    const text = await dialog().innerText();
    const order = [
      'the same text',
      // Not those of the title.
      '3 groups\n',
      '151 simulated members',
      'Sending begins immediately.',
      'Sending takes about',
      'The very same',
    ];
    expect(order.map((part) => text.indexOf(part))).toEqual(
      order.map((part) => text.indexOf(part)).toSorted((a, b) => a - b),
    );
    expect(order.filter((part) => !text.includes(part))).toEqual([]);
    expect(await dialog().getByRole('img', { name: /./ }).count()).toBe(1);
    expect(await findBarriers(page, { within: '[role=dialog]' })).toEqual([]);
  });

  test('keeps the cursor in its place while a name is edited', async () => {
    await enterAsNew(page, 'nia');
    await page.goto('/campaigns/new');
    const name = page.getByLabel('Campaign name');
    await name.fill('Fair');
    await name.press('Home');
    await name.pressSequentially('Spring ');
    await expect.poll(() => name.inputValue()).toBe('Spring Fair');
  });

  test('applies a schedule preset, and confirms its days, time and zone', async () => {
    await enterAsNew(page, 'kim');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Good morning');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await page.getByText('On a schedule').click();
    await press('Weekly');
    await page.getByText(/^Runs: .*, 09:00 · .*, then 1 more\.$|^Runs: .*CES?T.*, then 1 more\.$/).waitFor();
    await press('Monday to Friday');
    expect(await page.getByRole('button', { name: 'Monday to Friday' }).getAttribute('aria-pressed')).toBe('true');
    await page.getByRole('button', { name: 'Schedule for 1 simulated group' }).click();
    await dialog()
      .getByText(
        /^From \w{3},? \d+ \w{3,4} to \w{3},? \d+ \w{3,4}, Mon, Tue, Wed, Thu, Fri, at 09:00, Europe\/Berlin\.$/,
      )
      .waitFor();
  });

  test('leaves out the public holidays of a country', async () => {
    await enterAsNew(page, 'hol');
    await page.goto('/campaigns/new');
    await page.getByText('On a schedule').click();
    const soon = Temporal.Now.plainDateISO(ZONE).add({ days: 1 });
    const april = soon.with({ month: 4, day: 29 });
    await choose('First day', Temporal.PlainDate.compare(april, soon) < 0 ? april.add({ years: 1 }) : april);
    await page.getByLabel('Duration').selectOption('1 week');
    await press('Skip days');
    await expect.poll(() => page.getByRole('combobox', { name: 'Public holidays in' }).inputValue()).toBe('Germany');
    await press('Skip 1 holiday');
    await page.getByText(/^1 day is skipped: .*1 May/).waitFor();
    await page.getByRole('combobox', { name: 'Public holidays in' }).fill('Denm');
    await page.getByRole('option', { name: 'Denmark' }).click();
    await page.getByText('None of these days is a public holiday.').waitFor();
  });

  test('leaves out days that are tapped in the calendar, and keeps them with the draft and the campaign', async () => {
    await enterAsNew(page, 'gil');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Good morning');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await page.getByText('On a schedule').click();
    const first = Temporal.Now.plainDateISO(ZONE).with({ day: 1 }).add({ months: 2 });
    await choose('First day', first);
    await page.getByLabel('Duration').selectOption('1 week');
    await press('Skip days');
    const calendar = page.getByRole('group', { name: 'Skip days' });
    const month = first.toLocaleString('en-GB', { month: 'long', year: 'numeric' });
    for (const day of [3, 4, 5]) await calendar.getByRole('button', { name: `${day} ${month}`, exact: true }).click();
    await calendar.getByRole('button', { name: `5 ${month}`, exact: true, pressed: false }).click();
    await page.getByText(/^2 days are skipped: /).waitFor();
    await page.getByText(/^Runs: .*then 2 more\.$/).waitFor();
    await page.getByText('Draft saved').waitFor();
    await page.reload();
    await page.getByText(/^2 days are skipped: /).waitFor();
    await press('Schedule for 1 simulated group');
    await dialog()
      .getByText(/ 2 days are skipped: /)
      .waitFor();
    await dialog().getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByText('2 days are skipped.', { exact: false }).waitFor();
    const campaign = await ask<{ skip_dates: string[]; runs: unknown[] }>('venom/get-campaign', {
      campaign_id: page.url().slice(-36),
    });
    expect(campaign.skip_dates).toEqual([3, 4].map((day) => first.with({ day }).toString()));
    expect(campaign.runs).toHaveLength(5);
  });

  test('shows no times of the former days once the days have changed', async () => {
    await enterAsNew(page, 'hal');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Good morning');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await page.getByText('On a schedule').click();
    await press('Daily');
    await page.getByText(/^Runs: .*then 4 more\.$/).waitFor();
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/venom/check-campaign', async (route) => {
      await held;
      await route.continue();
    });
    await press('Once');
    await page.getByText('Checking…').first().waitFor();
    expect(await page.getByText(/^Runs: .*then 4 more\.$/).count()).toBe(0);
    answer();
    await page.getByText(/^Runs: [^·]*\.$/).waitFor();
  });

  test('saves the words without a file that cannot be sent, and says so beside the file', async () => {
    await enterAsNew(page, 'ian');
    await page.goto('/campaigns/new');
    const message = page.getByRole('region', { name: 'Message' });
    await page.setInputFiles('input[type=file]', { name: 'setup.exe', mimeType: '', buffer: PNG });
    await message.getByText('setup.exe cannot be sent', { exact: false }).waitFor();
    await writeMessage(page, 'O');
    // What it is shows only in the bytes.
    await page.setInputFiles('input[type=file]', {
      name: 'fair.jpg',
      mimeType: 'image/jpeg',
      buffer: Buffer.from('no'),
    });
    await message.getByRole('alert').getByText('JPEG', { exact: false }).waitFor();
    await writeMessage(page, 'pen from nine o’clock on, all day long.');
    await page.getByText('Draft saved').waitFor();
    expect(await message.getByRole('alert').count()).toBe(1);
    await page.getByRole('button', { name: 'Remove', exact: true }).waitFor();
    await page.reload();
    await page
      .getByRole('textbox', { name: 'Message' })
      .getByText('Open from nine o’clock on, all day long.')
      .waitFor();
    visited.forgive(refused('400'));
  });

  test('counts the characters of a text that is too long to send', async () => {
    await enterAsNew(page, 'kai');
    await page.goto('/campaigns/new');
    await pasteMessage(page, { text: 'x'.repeat(70_000) });
    await page.getByText('70,000 of 65,536 characters').waitFor();
    await check().getByText('The message has 70,000 characters; at most 65,536 can be sent.').waitFor();
    expect(await check().getByText('Ready to send.').count()).toBe(0);
    visited.forgive(refused('400'));
  });

  test('shows a message in Arabic from right to left', async () => {
    await enterAsNew(page, 'jim');
    await page.goto('/campaigns/new');
    await writeMessage(page, 'Hello', 'مرحبا بكم');
    const styleOf = (of: Locator) =>
      of.evaluate((element) => {
        const { direction, unicodeBidi } = (globalThis as never as Style).getComputedStyle(element);
        return { direction, unicodeBidi };
      });
    const lines = page.getByRole('complementary').locator('p[dir=auto]');
    await expect.poll(() => lines.count()).toBe(2);
    const directions = (await lines.all()).map(async (line) => (await styleOf(line)).direction);
    expect(await Promise.all(directions)).toEqual(['ltr', 'rtl']);
    const written = page.getByRole('textbox', { name: 'Message' }).locator('p').nth(1);
    expect(await styleOf(written)).toMatchObject({ unicodeBidi: 'plaintext' });
  });

  test("keeps a schedule's time of day across a clock change", async () => {
    const last = nextClockChange();
    const first = last.subtract({ days: 2 });
    await enterAsNew(page, 'finn');
    await page.goto('/campaigns/new');
    await page.getByLabel('Campaign name').fill('Over the change');
    await writeMessage(page, 'Good morning');
    await page.getByRole('checkbox', { name: 'Chess friends' }).check();
    await page.getByText('On a schedule').click();
    await choose('First day', first);
    await choose('Last day', last);
    await page.getByLabel('Time', { exact: true }).fill('09:00');
    const zones = last.month < 7 ? ['CET', 'CEST'] : ['CEST', 'CET'];
    await page
      .getByText(new RegExp(`^Runs: .*, 09:00 ${zones[0]} · .*, 09:00 ${zones[0]} · .*, 09:00 ${zones[1]}\\.$`))
      .waitFor();
    await page.getByText(`from ${zones[0]} to ${zones[1]}. The time stays 09:00.`).waitFor();
    await press('Schedule for 1 simulated group');
    await dialog().getByText('1 group', { exact: true }).waitFor();
    await dialog().getByText('5 simulated members', { exact: true }).waitFor();
    await dialog().getByRole('button', { name: 'Schedule', exact: true }).click();
    await page.getByRole('heading', { name: 'Over the change', level: 1 }).waitFor();
    const { runs } = await ask<{ runs: Array<{ due_at: string }> }>('venom/get-campaign', {
      campaign_id: page.url().slice(-36),
    });
    const times = runs.map((run) => Date.parse(run.due_at));
    expect(times.map((at) => new Date(at).toLocaleTimeString('en-GB', { timeZone: ZONE }))).toEqual(
      Array.from({ length: 3 }, () => '09:00:00'),
    );
    expect((times[2] ?? 0) - (times[1] ?? 0)).not.toBe(DAY_MS);

    await page.goto(`/calendar?day=${first.toString()}`);
    const chips = page.getByRole('link', { name: /Over the change/ });
    await expect.poll(() => chips.count()).toBe(3);
    for (const chip of await chips.all()) expect(await chip.textContent()).toContain('09:00');
  });
});
