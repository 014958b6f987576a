import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type TestApp } from '../support/app.ts';
import { findOldNode } from '../support/service/old-node.ts';

const ROOT = join(import.meta.dirname, '../..');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
const run = promisify(execFile);

let folder: string;
let home: string;
let app: TestApp;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-client-'));
  app = await startTestApp();
  home = await installClient();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});

/** Packs a copy of the client, and installs the tarball in an empty folder without a network. Returns that folder. */
async function installClient(): Promise<string> {
  const source = join(folder, 'source');
  const home = join(folder, 'home');
  cpSync(join(ROOT, 'clients/typescript'), source, { recursive: true });
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "type": "module" }');
  const env = { ...process.env, PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter) };
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source, env });
  const tarball = join(folder, stdout.trim());
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: home, env });
  return home;
}

/** Signs up a user, sends a campaign to all groups and waits for its end. Uses values of the client's types. */
const PROGRAM = `import { CampanileError, createClient, type AddCampaign, type Client } from 'campanile-client';
const [url = '', password = '', name = ''] = process.argv.slice(2);
const visitor: Client = createClient({ url });
const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
await visitor.call('user/create_user', {
  first_name: name, last_name: '', user_name: name, email: name + '@example.com', ...numbers, password,
});
const { token } = await visitor.call('user/authorize_user', { user_name: name, password });
const mine = visitor.withToken(token);
const { groups } = await mine.call('venom/list-groups');
const body: AddCampaign = { name: 'Fair', html: '<b>Nine</b>', group_metadata_ids: groups.map((one) => one.group_metadata_id) };
const { campaign_id } = await mine.call('venom/add-campaign', body);
let sent = 0;
for await (const { event, data } of mine.events())
  if (event === 'campaign' && data.campaign_id === campaign_id && data.status === 'completed') {
    sent = data.progress.sent;
    break;
  }
const failure: unknown = await visitor.call('user/get_profile').catch((error: unknown) => error);
if (!(failure instanceof CampanileError)) throw new Error('no failure');
// @ts-expect-error: there is no such field
void (() => mine.call('venom/list-groups', { nonsense: 1 }));
console.log(JSON.stringify({ sent, status: failure.status, errorCode: failure.errorCode }));
`;
const SETTINGS = ['--strict', '--target', 'es2022', '--lib', 'es2022,dom,dom.iterable,dom.asynciterable'];
/** The program uses `process` without the types of Node.js. */
const GLOBALS = 'declare const process: { argv: string[] };\n';

test('the tarball has code, types, README and licence, and depends on nothing', () => {
  expect(readdirSync(join(home, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual(['campanile-client']);
  const installed = join(home, 'node_modules/campanile-client');
  const { dependencies, peerDependencies, optionalDependencies, version } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  ) as Record<string, unknown>;
  expect({ dependencies, peerDependencies, optionalDependencies }).toEqual({});
  const { version: ofService } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(version).toBe(ofService);
  expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(readFileSync(join(ROOT, 'LICENSE'), 'utf8'));
  expect(readdirSync(join(installed, 'dist')).filter((name) => !/(\.d\.ts|\.js)$/.test(name))).toEqual([]);
});

test.each(['nodenext', 'bundler'])(
  'a program with the installed types compiles with module resolution %s',
  async (resolution) => {
    const file = join(home, `${resolution}.ts`);
    writeFileSync(file, GLOBALS + PROGRAM);
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
    const words = [...SETTINGS, '--module', module, '--moduleResolution', resolution, '--types', '', '--noEmit'];
    await expect(run(process.execPath, [TSC, ...words, file], { cwd: home })).resolves.toMatchObject({ stdout: '' });
  },
);

test.each([process.execPath, findOldNode()].filter(Boolean))(
  '%s sends a campaign with the installed client',
  async (node) => {
    const name = node === process.execPath ? 'alice' : 'bob';
    writeFileSync(join(home, 'program.ts'), GLOBALS + PROGRAM);
    const words = [...SETTINGS, '--module', 'nodenext', '--types', ''];
    await run(process.execPath, [TSC, ...words, 'program.ts'], { cwd: home });
    const { stdout } = await run(node, ['program.js', app.url, PASSWORD, name], { cwd: home });
    expect(JSON.parse(stdout)).toEqual({ sent: 3, status: 401, errorCode: 'token_missing' });
  },
);
