/** Linking a number by its passkey, with the line of the dashboard in the console of a page at WhatsApp's address. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../support/app.ts';
import { launchBrowser, refused, visit } from '../support/browser/browser.ts';
import { askInBrowser, enterAsNew, findBarriers } from '../support/browser/dashboard-page.ts';
import { towards, type Status } from '../support/whatsapp.ts';
import { exportPasskey } from '../../harness/whatsapp-peer/authenticator.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../../harness/whatsapp-peer/peer.ts';
import type { Person as PeerPerson } from '../../harness/whatsapp-peer/world.ts';

const browser = await launchBrowser();
let peer: WhatsAppPeer;
let app: TestApp;

beforeAll(async () => {
  peer = await startWhatsAppPeer();
  app = await startTestApp(towards(peer));
});
afterAll(async () => {
  await app.stop();
  await peer.stop();
});

/** Another tab at WhatsApp's address, without a network, in a browser that has the person's passkey. */
async function openWhatsAppWeb(page: Page, person: PeerPerson): Promise<Page> {
  const tab = await page.context().newPage();
  await tab.route('https://web.whatsapp.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>WhatsApp</title>' }),
  );
  await tab.goto('https://web.whatsapp.com/');
  const cdp = await page.context().newCDPSession(tab);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const userHandle = Buffer.from(person.number).toString('base64');
  const credential = { isResidentCredential: true, rpId: 'whatsapp.com', userHandle, signCount: 0 };
  await cdp.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: { ...credential, ...exportPasskey(person) },
  });
  return tab;
}

/** Runs the line as if it were typed into the console. Returns what it prints. */
async function runInConsole(tab: Page, line: string): Promise<string> {
  await tab.bringToFront();
  const [printed] = await Promise.all([tab.waitForEvent('console'), tab.evaluate(line)]);
  return printed.text();
}

test.skipIf(!browser)('links a number by the passkey that its user has shown on the page of WhatsApp', async () => {
  const visited = await visit(browser as Browser, app.url);
  const { page } = visited;
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
  const own = peer.addPerson('447700900170');
  peer.script.asksForPasskey = true;
  await enterAsNew(page, 'gil', '+447700900170');
  await page.goto('/account');
  await page.getByRole('radio', { name: 'It has posted to groups for a long time' }).check();
  await press('Link with a QR code');
  await page.getByRole('img', { name: 'Code to scan with your phone' }).waitFor();
  const { qr = '' } = await askInBrowser<Status>(page, 'venom/account-status');
  const linked = peer.scan(own, qr);
  await page.getByRole('heading', { name: 'Confirm with the passkey of this number' }).waitFor();
  await page.getByText(/^\d+ min \d+ s left$/).waitFor();
  expect(await findBarriers(page)).toEqual([]);

  const answer = page.getByRole('textbox', { name: 'Text from the console' });
  const line = page.getByLabel('Line for the console');
  await answer.fill('Uncaught NotAllowedError');
  await press('Submit');
  await page.getByText('This is not the text from the console.', { exact: false }).waitFor();

  const shown = (await line.textContent()) ?? '';
  const stranger = await openWhatsAppWeb(page, peer.addPerson('447700900171'));
  await answer.fill(await runInConsole(stranger, shown));
  await press('Submit');
  // The line is another: WhatsApp has seen an answer to the first.
  await page.getByLabel('Line for the console').filter({ hasNotText: shown }).waitFor();
  await page.getByText('WhatsApp did not accept this text', { exact: false }).waitFor();
  expect(await answer.inputValue()).toBe('');

  const tab = await openWhatsAppWeb(page, own);
  await answer.fill(`'${await runInConsole(tab, (await line.textContent()) ?? '')}'`);
  await page.bringToFront();
  await press('Submit');
  const letters = page.getByRole('img', { name: /^Characters to compare with your phone: (\S ){7}\S$/ });
  await letters.waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await peer.compare(own, (await letters.textContent()) ?? '');
  await linked;
  await page.getByRole('region', { name: 'Connection' }).getByText('Connected', { exact: true }).waitFor();
  visited.forgive(refused('400'));
  await visited.end();
});
