/** A real headless Chromium: the one among the packages, else an installed one. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';

const MODULES = join(import.meta.dirname, '../../../node_modules');
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/**
 * Flags of the package's browser that do not fit: it is built for servers without shared data, and renders 3D graphics. The first of these
 * would disable the web security under test; the others emulate a GPU, which is the largest part of the CPU time of flat pages.
 */
const UNWANTED = new Set([
  '--disable-web-security',
  '--allow-running-insecure-content',
  '--single-process',
  '--no-zygote',
  '--disable-site-isolation-trials',
  '--ignore-gpu-blocklist',
  '--in-process-gpu',
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
]);
const FLAT = ['--disable-gpu', '--disable-software-rasterizer'];

const REPORT_CSP_VIOLATIONS = `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) =>
  console.error('refused by the content policy:', violatedDirective, blockedURI, sample))`;

/** The browser's warning about a page that a busy machine renders late. */
const LATE = 'was preloaded using link preload but not used within a few seconds';

let launched: Promise<Browser | undefined> | undefined;

/**
 * Returns the browser of this process. All test files in the process share it, each test with its own context; it ends with the process.
 * Undefined without a browser: the tests are then skipped.
 */
export function launchBrowser(): Promise<Browser | undefined> {
  return (launched ??= launch());
}

async function launch(): Promise<Browser | undefined> {
  if (process.platform === 'linux' && process.arch === 'x64')
    return chromium.launch({
      executablePath: await unpack(),
      args: [...sparticuz.args.filter((argument) => !UNWANTED.has(argument)), ...FLAT],
    });
  const executablePath = INSTALLED.find((path) => existsSync(path));
  return executablePath === undefined ? undefined : chromium.launch({ executablePath });
}

/**
 * Returns the folder of the unpacked browser. The package unpacks into the system's temporary folder, and trusts any file there to be
 * complete. This renames a finished folder into place instead, so that several test runs may start at once.
 */
async function unpack(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(MODULES, '@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string;
  };
  const folder = join(MODULES, '.cache', `chromium-${version}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  await mkdir(join(MODULES, '.cache'), { recursive: true });
  const staging = await mkdtemp(`${folder}-`);
  const { TMPDIR: before } = process.env;
  process.env['TMPDIR'] = staging;
  try {
    await sparticuz.executablePath();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
  try {
    await rename(staging, folder);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!existsSync(path)) throw error;
  }
  return path;
}

/** A page and its errors, of which there should be none: console errors, violations of the content security policy, exceptions. */
export interface Visit {
  page: Page;
  complaints: string[];
  /**
   * Ignores a message, such as the browser's error about a network that the test cut (`CUT`), or about a status that the test expects
   * (`refused`).
   */
  forgive(complaint: RegExp): void;
  close(): Promise<void>;
  /** Closes, and throws when there were complaints. */
  end(): Promise<void>;
}

export const CUT = /net::ERR_/;
export const refused = (status: string) => new RegExp(`status of ${status}`);

export async function visit(browser: Browser, baseURL: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({
    baseURL,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1_280, height: 860 },
    reducedMotion: 'reduce',
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (message.text().includes(LATE)) return;
    complaints.push(`${message.text()} ${message.location().url}`.trimEnd());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // Some refusals are told to the page alone.
  await page.addInitScript(REPORT_CSP_VIOLATIONS);
  const close = () => context.close();
  return {
    page,
    complaints,
    forgive(complaint) {
      complaints.splice(0, Infinity, ...complaints.filter((text) => !complaint.test(text)));
    },
    close,
    async end() {
      await close();
      if (complaints.length > 0) throw new Error(`the page complained:\n${complaints.join('\n')}`);
    },
  };
}
