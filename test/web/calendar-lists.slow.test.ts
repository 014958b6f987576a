/** The colours of saved lists in the calendar, in a real browser. */
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, startTestApp, type Person } from '../support/app.ts';
import { findBarriersAnywhere } from '../support/browser/barriers.ts';
import { launchBrowser, visit, type Visit } from '../support/browser/browser.ts';
import { signInInBrowser } from '../support/browser/dashboard-user.ts';

const browser = await launchBrowser();
const app = await startTestApp({ sandboxSpeed: 0, timeZone: 'Europe/Berlin' });
afterAll(() => app.stop());

describe.skipIf(!browser)('in a browser', () => {
  let visited: Visit;
  let page: Page;
  let person: Person;
  let groups: number[];
  let people = 0;
  beforeEach(async () => {
    person = await app.signUp(`user${++people}`);
    groups = await groupsOf(person);
    visited = await visit(browser as Browser, app.url);
    ({ page } = visited);
    await page.goto('/sign-in');
    await signInInBrowser(page, person.name);
    await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  });
  afterEach(() => visited.end());

  const tomorrow = Temporal.Now.plainDateISO('Europe/Berlin').add({ days: 1 }).toString();
  const schedule = (name: string, group_metadata_ids: number[], hour: number) =>
    person.call('venom/add-campaign-batch', {
      name,
      html: name,
      group_metadata_ids,
      is_schedule: true,
      start_date: tomorrow,
      end_date: tomorrow,
      schedule_time: `${String(hour).padStart(2, '0')}:00:00`,
    });
  const save = (name: string, group_metadata_ids: number[]) =>
    person.call('venom/save-group-list', { name, group_metadata_ids });
  const chip = (name: string) => page.getByRole('link', { name: new RegExp(`\\b${name}\\b`) });
  const markIn = (of: Locator) => of.locator('[data-list-mark]');
  const colourOf = (of: Locator) =>
    markIn(of).evaluate((element) => {
      // The types of this project contain no DOM.
      const { getComputedStyle } = globalThis as never as {
        getComputedStyle: (of: never) => { backgroundColor: string };
      };
      return getComputedStyle(element as never).backgroundColor;
    });

  test('makes a link for calendar programs, and revokes it', async () => {
    await save('Clubs', groups.slice(0, 1));
    await page.goto('/calendar');
    await page.getByRole('button', { name: 'Subscribe' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('combobox').selectOption('Clubs');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByRole('textbox', { name: 'Link' }).inputValue();
    const feed = await page.context().request.get(link);
    expect([feed.status(), feed.headers()['content-type']]).toEqual([200, 'text/calendar; charset=utf-8']);
    expect(await feed.text()).toContain('· Clubs');
    const held = dialog.getByRole('region', { name: 'Links that work now' });
    expect(await held.innerText()).toMatch(/Clubs[^]*made by /);
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    await held.getByRole('button', { name: 'Revoke the link to Clubs' }).click();
    await page.getByText('The link no longer works.').waitFor();
    await held.waitFor({ state: 'detached' });
    expect((await page.context().request.get(link)).status()).toBe(404);
  });

  test('marks a run with the colour and the name of the list its groups come from, and explains the colours', async () => {
    const [one = 0, two = 0, three = 0] = groups;
    await save('River streets', [one, two]);
    await save('Clubs', [three]);
    await save('Never posted to', [one, three]);
    await schedule('Bridge', [one, two], 8);
    await schedule('Quay', [two], 9);
    await schedule('Chess', [three], 10);
    await schedule('Everybody', groups, 11);
    await page.goto(`/calendar?day=${tomorrow}`);
    await page.getByRole('link', { name: /^08:00\s*Bridge.*Saved list: River streets/ }).waitFor();
    await page.getByRole('link', { name: /^10:00\s*Chess.*Saved list: Clubs/ }).waitFor();
    const title = await chip('Bridge').getAttribute('title');
    expect(title?.split('\n')).toContain('Saved list: River streets');
    expect(await colourOf(chip('Quay'))).toBe(await colourOf(chip('Bridge')));
    expect(await colourOf(chip('Chess'))).not.toBe(await colourOf(chip('Bridge')));
    expect(await markIn(chip('Everybody')).count()).toBe(0);

    const legend = page.getByRole('list', { name: 'Saved lists' });
    expect(await legend.getByRole('listitem').allInnerTexts()).toEqual(['Clubs', 'River streets']);
    expect(await colourOf(legend.getByRole('listitem').filter({ hasText: 'Clubs' }))).toBe(
      await colourOf(chip('Chess')),
    );
    expect(await findBarriersAnywhere(page, {})).toEqual([]);
    // The colour of a list stays when another list is added.
    const colour = await colourOf(chip('Chess'));
    await save('Another', [one]);
    await page.goto(`/calendar?view=week&day=${tomorrow}`);
    await chip('Chess').waitFor();
    await expect.poll(() => colourOf(chip('Chess'))).toBe(colour);
  });

  test('has no legend of lists without one', async () => {
    await schedule('Everybody', groups, 11);
    await page.goto(`/calendar?day=${tomorrow}`);
    await chip('Everybody').waitFor();
    expect(await page.getByRole('list', { name: 'Saved lists' }).count()).toBe(0);
  });

  test('gives eight lists eight colours, which stand out from the chip, light and dark', async () => {
    const made = await person.call<{ group_metadata_id: number }>('venom/create-channel', { name: 'News' });
    const all = [...groups, made.body.data.group_metadata_id];
    for (let bits = 1; bits <= 8; bits++) {
      const own = all.filter((_, index) => (bits >> index) % 2 === 1);
      await save(`List ${bits}`, own);
      await schedule(`Post ${bits}`, own, 8 + bits);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`/calendar?view=week&day=${tomorrow}`);
      await chip('Post 8').waitFor();
      await markIn(chip('Post 8')).waitFor();
      const colours = new Set<string>();
      for (let bits = 1; bits <= 8; bits++) {
        const { mark, ground } = await coloursOf(chip(`Post ${bits}`));
        colours.add(mark.join());
        expect(contrast(mark, ground), `${colorScheme}: list ${bits}`).toBeGreaterThanOrEqual(3);
      }
      expect(colours.size).toBe(8);
    }
  });

  /** Red, green and blue, 0 to 255, of the mark and of the chip behind it, as they are painted. */
  async function coloursOf(of: Locator): Promise<{ mark: number[]; ground: number[] }> {
    return of.evaluate((element) => {
      const dom = globalThis as never as Record<string, never> & {
        getComputedStyle: (of: unknown) => { backgroundColor: string };
        document: { createElement(name: 'canvas'): { getContext(kind: '2d', more: object): Brush } };
      };
      interface Brush {
        fillStyle: string;
        fillRect(...of: number[]): void;
        getImageData(...of: number[]): { data: Iterable<number> };
      }
      const brush = dom.document.createElement('canvas').getContext('2d', { willReadFrequently: true });
      const painted = (of: unknown) => {
        brush.fillStyle = dom.getComputedStyle(of).backgroundColor;
        brush.fillRect(0, 0, 1, 1);
        return [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const { querySelector } = element as never as { querySelector: (selector: string) => unknown };
      return { mark: painted(querySelector.call(element, '[data-list-mark]')), ground: painted(element) };
    });
  }
});

/** As WCAG 2.2 defines it. */
function contrast(one: readonly number[], other: readonly number[]): number {
  const luminance = (rgb: readonly number[]) => {
    const [red = 0, green = 0, blue = 0] = rgb.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
