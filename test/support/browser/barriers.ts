/** What is in the way of people with a screen reader or weak eyes. */
import type { Page } from 'playwright-core';
import { findBarriers } from './dashboard-page.ts';

export const DESK = { width: 1_280, height: 860 };
const PHONE = { width: 390, height: 844 };

/**
 * Checks accessibility with the light theme at a desk, with the dark theme (colours only), and on a phone. With `within` checks that part
 * of the page, and not whether content is in a landmark. `show` repeats the steps that a new theme or size undoes.
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
