/** A page as its readers see it: on a desk and on a phone, light and dark. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const LOOKS = [
  ['desk', { width: 1_366, height: 768 }],
  ['phone', { width: 390, height: 844 }],
] as const;
const FOLDER = process.env['PICTURES'];
/** No width depends on them. */
const COLOR_SCHEMES = FOLDER === undefined ? (['light'] as const) : (['light', 'dark'] as const);

/** What makes the page wider than the screen, as tags and classes. */
const BEYOND_THE_SCREEN = `document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
    .map((element) => element.outerHTML.slice(0, 160)).slice(0, 20)`;

/**
 * Asserts that the page is never wider than the screen, and leaves it as it was. Where PICTURES names a folder, it puts four pictures
 * there to be looked at.
 */
export async function lookEverywhere(page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const [where, size] of LOOKS) {
    await page.setViewportSize(size);
    for (const colorScheme of COLOR_SCHEMES) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
      await expect.poll(() => page.locator('[data-skeleton], [data-stale]').count()).toBe(0);
      if (FOLDER !== undefined) await page.screenshot({ path: join(FOLDER, `${name}-${where}-${colorScheme}.png`) });
      // Charts follow the width a moment later.
      await expect
        .poll(() => page.evaluate<string[]>(BEYOND_THE_SCREEN), { message: `${name} on a ${where}` })
        .toEqual([]);
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.locator('html[data-mantine-color-scheme=light]').waitFor();
  if (before) await page.setViewportSize(before);
}
