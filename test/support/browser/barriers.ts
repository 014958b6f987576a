/** Accessibility problems of a page. */
import type { Page } from 'playwright-core';
import { findBarriers } from './dashboard-page.ts';

export const DESK = { width: 1_280, height: 860 };
const PHONE = { width: 390, height: 844 };

/**
 * Checks the page in light mode at desktop size, in dark mode (contrast only), and at phone size. With `within`, checks only that element
 * and that it is inside a landmark. `show` reopens content that does not stay open.
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

/** Resolves once the page has the requested colour scheme. */
async function paint(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
}
