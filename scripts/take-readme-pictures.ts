/** The pictures in the README, out of a service with something in it: `npx node scripts/take-readme-pictures.ts`. Small files, for they stay in the history. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { post } from '../test/support/app.ts';
import { launchBrowser, visit } from '../test/support/browser/browser.ts';
import { signUpInBrowser, writeMessage } from '../test/support/browser/dashboard-user.ts';
import { removeService, startService } from '../test/support/service/service.ts';
import { startWhatsAppPeer } from '../harness/whatsapp-peer/peer.ts';

const FOLDER = join(import.meta.dirname, '../docs/screenshots');
const LIMIT_BYTES = 150_000;
const SETTLE_MS = 1_200;
const GROUPS = [
  'Riverside choir',
  'Allotment gardens',
  'Parents of class 3b',
  'Book club',
  'Market traders',
  'Football, under 12',
  'Harbour swimmers',
  'Film nights',
  'Bakers on Sunday',
  'Bell ringers',
  'Repair café',
  'Cycle to school',
];
const MESSAGE = [
  'Spring **fair**',
  'We open on Saturday at nine, on the square. https://example.org/fair ',
  '- Cake',
  'Tea',
];

const browser = await launchBrowser();
if (!browser) throw new Error('there is no browser to take pictures with');
const peer = await startWhatsAppPeer();
const service = await startService({
  environment: {
    SANDBOX_SPEED: '8',
    // So slow that a campaign can be seen on its way.
    SANDBOX_GAP_MS: '1500-2500',
    WHATSAPP_URL: peer.url,
    WHATSAPP_ROOT_KEY: peer.rootKey,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  },
});
try {
  await mkdir(FOLDER, { recursive: true });
  const { page, close } = await visit(browser, service.url, { deviceScaleFactor: 1.5 });
  await signUpInBrowser(page, 'Ada');
  const campaign = await prepare();
  await page.goto('/campaigns/new');
  await compose(page);
  await take(page, 'compose');
  await page.goto(`/campaigns/${campaign}`);
  await page
    .getByText(/\b[5-9] sent\b/)
    .first()
    .waitFor();
  await take(page, 'campaign');
  await page.context().clearCookies();
  await signUpInBrowser(page, 'Linda');
  await page.goto('/account');
  await page.getByRole('radiogroup', { name: 'Messaging app' }).getByText('WhatsApp').click();
  await page.getByRole('radio', { name: 'It is new' }).check();
  await page.getByRole('button', { name: 'Link with a QR code' }).click();
  await page.getByRole('img', { name: 'Code to scan with your phone' }).waitFor();
  await take(page, 'account');
  await close();
} finally {
  await browser.close();
  await service.stop();
  await peer.stop();
  await removeService(service);
}

/** Groups, a saved list, and a campaign that has just begun. Resolves to its id. */
async function prepare(): Promise<string> {
  const signedIn = await post(service.url, 'user/authorize_user', {
    user_name: 'Ada',
    password: 'correct horse battery',
  });
  const { token } = signedIn.body.data as unknown as { token: string };
  const call = async <Data>(path: string, body: unknown) => {
    const answer = await post(service.url, path, body, token);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.body.message ?? answer.status}`);
    return answer.body.data as unknown as Data;
  };
  const participants = (many: number) => Array.from({ length: many }, (_, index) => `+44 20 7946 0${200 + index}`);
  await call('venom/create-community', { community_name: 'Old town', description: '' });
  await call('venom/create-channel', { name: 'Town news', description: '', image: null });
  for (const [index, name] of GROUPS.entries())
    await call('venom/create-group', { group_name: name, participants: participants(9 + ((index * 37) % 70)) });
  const { groups } = await call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups', { limit: 500 });
  const { campaign_id: id } = await call<{ campaign_id: string }>('venom/add-campaign', {
    name: 'Repair café on Friday',
    html: '<p>Bring what is broken: <b>Friday at six</b>, in the old school.</p>',
    group_metadata_ids: groups.map((group) => group.group_metadata_id),
  });
  return id;
}

async function compose(page: Page): Promise<void> {
  await writeMessage(page, ...MESSAGE);
  await page.setInputFiles('input[type=file]', { name: 'fair.png', mimeType: 'image/png', buffer: await drawPoster() });
  await page.getByRole('button', { name: 'Select all matching' }).click();
  await page.getByRole('complementary', { name: 'What members see' }).locator('img').waitFor();
  await page.getByRole('heading', { level: 1 }).scrollIntoViewIfNeeded();
}

/** Draws the picture attached to the post. */
function drawPoster(): Promise<Buffer> {
  return sharp(
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360">
      <rect width="640" height="360" fill="#f3d9a4"/><circle cx="500" cy="110" r="62" fill="#f2a541"/>
      <path d="M0 300 Q160 220 320 280 T640 250 V360 H0z" fill="#6f9e6a"/><path d="M0 330 Q200 270 400 320 T640 310 V360 H0z" fill="#4f7f55"/>
      <path d="M150 290V150l60-50 60 50v140z" fill="#8a5820"/><path d="M192 290v-60a18 18 0 0 1 36 0v60zM195 150h30v30h-30z" fill="#f3d9a4"/>
    </svg>`),
  )
    .png()
    .toBuffer();
}

async function take(page: Page, name: string): Promise<void> {
  await page.waitForTimeout(SETTLE_MS);
  const picture = await sharp(await page.screenshot())
    .webp({ quality: 82, effort: 6 })
    .toBuffer();
  if (picture.length > LIMIT_BYTES) throw new Error(`${name} has ${picture.length} bytes`);
  await writeFile(join(FOLDER, `${name}.webp`), picture);
}
