/** A real headless Chromium: the one among the packages, else an installed one. */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import sparticuz from '@sparticuz/chromium';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { PATIENCE_MS } from '../patience.ts';

/** Scripts that take pictures run without a test runner. */
const runner = process.env['VITEST'] === undefined ? undefined : await import('vitest');
const currentTest = () => runner?.TestRunner.getCurrentTest();

const MODULES = join(import.meta.dirname, '../../../node_modules');
const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
/**
 * Default arguments of the package, which targets serverless functions and 3D graphics. The first of these would disable
 * security features under test; the others emulate a GPU in software, which costs more CPU than everything else on flat pages.
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

/** The message of Chromium about a page that takes long to render. */
const LATE = 'was preloaded using link preload but not used within a few seconds';

let launched: Promise<Browser | undefined> | undefined;

/**
 * Returns the browser of this process. All files in it share it, with a context for each test; it ends with the process. Returns undefined
 * if there is no browser: the tests are then skipped.
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
 * Returns the path of the unpacked browser. The package unpacks into the system's temporary folder and assumes that a file
 * there is complete; this function moves it into place atomically, so that several test runs may start at the same time.
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

/** A page and its problems: console errors, CSP violations, exceptions. */
export interface Visit {
  page: Page;
  complaints: string[];
  /**
   * Ignores messages about a network that the test cut (`CUT`), or about an expected error answer (`refused`), from the whole visit: the
   * browser reports a failed request later than the page shows it, and a page without a network keeps asking.
   */
  forgive(complaint: RegExp): void;
  close(): Promise<void>;
  /** Closes the page. Throws if there were problems. */
  end(): Promise<void>;
}

/** Prints what the page shows when its test fails: a timeout says only what was awaited. Never rejects. */
async function printPage(page: Page, complaints: readonly string[]): Promise<void> {
  const shown = await page
    .evaluate<string>('`focus: ${document.activeElement?.outerHTML.slice(0, 200)}\\n${document.body.innerText}`')
    .catch(String);
  process.stderr.write(`${[page.url(), ...complaints, shown].join('\n')}\n`);
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
  const forgiven: RegExp[] = [];
  const page = await context.newPage();
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return;
    if (message.text().includes(LATE)) return;
    complaints.push(`${message.text()} ${message.location().url}`.trimEnd());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  // Some violations are reported to the page only.
  await page.addInitScript(REPORT_CSP_VIOLATIONS);
  async function close() {
    if (currentTest()?.result?.state === 'fail') await printPage(page, complaints);
    // What a route of a test has under way would fail with the page, in the test after it.
    if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  }
  // A failed test may never come to closing the page.
  if (currentTest()) runner?.onTestFailed(() => (page.isClosed() ? undefined : printPage(page, complaints)));
  return {
    page,
    complaints,
    forgive(complaint) {
      forgiven.push(complaint);
    },
    close,
    async end() {
      await close();
      const left = complaints.filter((text) => !forgiven.some((pattern) => pattern.test(text)));
      if (left.length > 0) throw new Error(`the page complained:\n${left.join('\n')}`);
    },
  };
}
