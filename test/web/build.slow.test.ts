/** How the dashboard comes to be built (docs/explanation/decisions/0019): in a checkout of its own, by the door. */
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../support/ledger.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';

const root = join(import.meta.dirname, '../..');
const BUILDING = 'building the dashboard';
let checkout: string;
let service: Service | undefined;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'campanile-checkout-'));
  const isSource = (path: string) => !/^(?:dist.*|node_modules)$/.test(basename(path));
  for (const name of ['bin', 'clients', 'messages', 'src', 'web', 'package.json', 'package-lock.json', 'tsconfig.json'])
    await cp(join(root, name), join(checkout, name), { recursive: true, filter: isSource });
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'), 'dir');
});
afterAll(async () => {
  if (service) await removeService(service);
  await rm(checkout, { recursive: true, force: true });
});

/** Starts from the checkout and stops again. Resolves to what was logged, and to the page at `/` when nothing is being built any more. */
async function run(): Promise<{ log: string; page: string; scripts: string }> {
  const entry = join(checkout, 'bin/campanile.mjs');
  service = await startService({ entry, ...(service && { folder: service.folder }) });
  const { url } = service;
  const answer = await until(
    () => fetch(url),
    ({ status }) => status !== 503,
  );
  const page = await answer.text();
  // Messages are loaded by a script of the page, and named in none of its tags.
  const assets = join(checkout, 'web/dist/assets');
  const names = existsSync(assets) ? (await readdir(assets)).filter((name) => name.endsWith('.js')) : [];
  const scripts = await Promise.all(names.map(async (name) => (await fetch(`${service?.url}/assets/${name}`)).text()));
  await service.stop();
  return { log: service.log(), page, scripts: scripts.join('\n') };
}

test('builds a fresh checkout at its first start only', async () => {
  expect(existsSync(join(checkout, 'web/dist'))).toBe(false);
  const first = await run();
  expect(first.log.indexOf('listening on')).toBeGreaterThan(0);
  expect(first.log.indexOf('listening on')).toBeLessThan(first.log.indexOf('the dashboard is built'));
  expect(first.log).toContain(BUILDING);
  expect(first.page).toContain('<div id="root">');
  const second = await run();
  expect(second.log).not.toContain(BUILDING);
  expect(second.page.replaceAll(/content="[\w-]{22}"/g, '')).toBe(first.page.replaceAll(/content="[\w-]{22}"/g, ''));
});

test('rebuilds after a change of the sources, and keeps the last build if that fails', async () => {
  const file = join(checkout, 'messages/en.json');
  const catalog = await readFile(file, 'utf8');
  await writeFile(file, catalog.replace('"shell.newCampaign": "New campaign"', '"shell.newCampaign": "Ring the bell"'));
  const changed = await run();
  expect(changed.log).toContain(BUILDING);
  expect(changed.scripts).toContain('Ring the bell');
  await writeFile(file, '{ "shell.newCampaign": "{" }');
  const broken = await run();
  expect(broken.log).toContain('the one that was built before is served');
  expect(broken.scripts).toContain('Ring the bell');
});

test('starts the service without a build', async () => {
  await rm(join(checkout, 'web/dist'), { recursive: true, force: true });
  const { log, page } = await run();
  expect(log).toContain('the service goes on without it');
  expect(page).toContain('swagger');
});
