import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { doMainJob } from '../support/service/main-job.ts';
import { findOldNode } from '../support/service/old-node.ts';
import { removeService, startService } from '../support/service/service.ts';

const ROOT = join(import.meta.dirname, '../..');
const MEBIBYTE = 1024 ** 2;
const MINUTES = 60_000;
/** Node.js takes 143 MiB of it, PostgreSQL 57 and sharp 19. The docs say 300 MB in all; it may grow by a tenth before they are changed. */
const LARGEST_MIB = 315;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-package-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

/** Runs npm as on a new machine: the PATH contains none of the project's tools. */
function npm(cwd: string, ...words: string[]): string {
  const old = findOldNode();
  const path = [...(old ? [dirname(old)] : []), '/usr/local/bin', '/usr/bin', '/bin'].join(':');
  return execFileSync('npm', words, { cwd, encoding: 'utf8', env: { PATH: path, HOME: process.env['HOME'] } });
}

function sizeOf(path: string): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

test(
  'the package, installed in an empty folder with an old Node.js, sends a campaign and serves the dashboard',
  async () => {
    const [packed] = JSON.parse(npm(ROOT, 'pack', '--json', '--pack-destination', folder)) as [{ filename: string }];
    const home = join(folder, 'empty');
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{}');
    npm(home, 'install', '--no-audit', '--no-fund', join(folder, packed.filename));
    expect(sizeOf(join(home, 'node_modules')) / MEBIBYTE).toBeLessThan(LARGEST_MIB);
    const entry = join(home, 'node_modules/campanile/bin/campanile.mjs');
    const service = await startService({ entry, cwd: home, node: findOldNode() || process.execPath });
    expect(await doMainJob(service.url)).toContain('Posting to 1 of your groups');
    const page = await fetch(service.url, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<script type="module"');
    expect(await service.stop()).toBe(0);
    await removeService(service);
  },
  15 * MINUTES,
);

test(
  'a checkout without development dependencies works and logs how to get the dashboard',
  async () => {
    const checkout = join(folder, 'checkout');
    for (const name of ['bin', 'src', 'clients', 'web', 'docs', 'package.json', 'package-lock.json', '.npmrc'])
      cpSync(join(ROOT, name), join(checkout, name), {
        recursive: true,
        filter: (path) => !path.startsWith(join(ROOT, 'web/dist')),
      });
    npm(checkout, 'ci', '--omit=dev');
    const entry = join(checkout, 'bin/campanile.mjs');
    const service = await startService({ entry, cwd: checkout, node: findOldNode() || process.execPath });
    expect(await doMainJob(service.url)).toContain('Posting to 1 of your groups');
    const lines = service
      .log()
      .split('\n')
      .filter((line) => line.includes('dashboard'));
    expect(lines).toEqual([expect.stringContaining(String.raw`Run \"npm ci\" without --omit=dev`)]);
    await service.stop();
    await removeService(service);
  },
  15 * MINUTES,
);
