/** What is in the way of people with a screen reader or weak eyes. */
import type { Page } from 'playwright-core';
import { findBarriers } from './dashboard-page.ts';

export const DESK = { width: 1_280, height: 860 };
const PHONE = { width: 390, height: 844 };

/**
 * In light at a desk; in dark, where but for the colours all is the same; and on a phone. Of what is `within` alone where that is given,
 * and of whether it is in a part of the page that has a name. `show` shows anew what does not stay.
 */
export async function findBarriersAnywhere(
  page: Page,
  { within, show }: { within?: string | undefined; show?: (() => Promise<void>) | undefined },
): Promise<string[]> {
  const only = within === undefined ? {} : { within };
  await show?.();
  const light = await findBarriers(page, only);
  if (within !== undefined) light.push(...(await findBarriers(page, { rules: ['region'] })));
  await paint(page, 'dark');
  await show?.();
  const dark = await findBarriers(page, { ...only, rules: ['color-contrast'] });
  await paint(page, 'light');
  await page.setViewportSize(PHONE);
  await show?.();
  const phone = await findBarriers(page, only);
  await page.setViewportSize(DESK);
  const said = (where: string) => (barrier: string) => `${where}: ${barrier}`;
  return [...light.map(said('light')), ...dark.map(said('dark')), ...phone.map(said('phone'))];
}

/** Resolves once the page has the colours that are asked for. */
async function paint(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}
