/** Actions of a user in the dashboard, located by role and name. */
import type { Page } from 'playwright-core';
import { PASSWORD } from '../app.ts';

/** `number` is the phone number, and the number of the messaging account. */
export async function signUpInBrowser(page: Page, name: string, number = '+44 20 7946 0123'): Promise<void> {
  await page.goto('/sign-up');
  await page.getByLabel('First name').fill(name);
  await page.getByLabel('User name').fill(name);
  await page.getByLabel('Email').fill(`${name}@example.com`);
  await page.getByLabel('Phone number').fill(number);
  if (!number.startsWith('+')) await page.getByText('Full number: ').waitFor();
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
}

export async function signInInBrowser(page: Page, name: string): Promise<void> {
  await page.getByLabel('User name or email').fill(name);
  await page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Types into the editor, one line per text. */
export async function writeMessage(page: Page, ...lines: string[]): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).click();
  for (const [index, line] of lines.entries()) {
    if (index > 0) await page.keyboard.press('Enter');
    await page.keyboard.type(line);
  }
}

/** Pastes into the editor: plain text, HTML, or both, as other programs provide it. */
export async function pasteMessage(page: Page, clipboard: { text?: string; html?: string }): Promise<void> {
  const editor = page.getByRole('textbox', { name: 'Message' });
  await editor.click();
  await editor.evaluate((element, { text, html }) => {
    // The types of this project contain no DOM.
    const browserSide = globalThis as never as Record<string, new (...args: unknown[]) => never>;
    const make = (name: string, ...args: unknown[]) => Reflect.construct(browserSide[name] as never, args) as never;
    const clipboardData = make('DataTransfer') as { setData(type: string, data: string): void };
    if (text !== undefined) clipboardData.setData('text/plain', text);
    if (html !== undefined) clipboardData.setData('text/html', html);
    const paste = make('ClipboardEvent', 'paste', { clipboardData, bubbles: true, cancelable: true });
    (element as never as { dispatchEvent(event: never): void }).dispatchEvent(paste);
  }, clipboard);
}

/** Selects every group, sends, and waits for the page of the campaign. Resolves to its id. */
export async function sendToAll(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Select all matching' }).click();
  await page.getByRole('button', { name: /^Send to \d+ simulated groups? now$/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send now', exact: true }).click();
  await page.waitForURL(/\/campaigns\/[0-9a-f-]{36}$/);
  return page.url().slice(-36);
}

/** Chooses an entry of the menu on a campaign's page. */
export async function moreOf(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Sends a post that waits for this member back to its author, on its page. */
export async function requestChanges(page: Page, remark: string): Promise<void> {
  await page.getByRole('button', { name: 'Request changes', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Remark').fill(remark);
  await dialog.getByRole('button', { name: 'Request changes', exact: true }).click();
  await page.getByText('Changes requested', { exact: true }).waitFor();
}

/** Reads the remark on the page of a post that was sent back, and replaces its text. */
export async function changeAsAsked(
  page: Page,
  remark: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await page.reload();
  await page.getByText(remark).waitFor();
  await page.getByRole('button', { name: 'Change the post', exact: true }).click();
  const message = page.getByRole('textbox', { name: 'Message' });
  await message.getByText(from).waitFor();
  await page.getByRole('note').getByText(remark).waitFor();
  await message.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(to);
}
