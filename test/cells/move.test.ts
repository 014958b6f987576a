import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../src/lib/time.ts';
import { campanile } from '../support/service/campanile.ts';
import { until } from '../support/ledger.ts';
import {
  askProxy,
  awaitProxy,
  change,
  freePort,
  has,
  makeCertificate,
  runNginx,
  type ReverseProxy,
} from '../support/servers/reverse-proxy.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';
import { judge, type ExpectedRun } from '../witness/judge.ts';
import { startWitness, type Witness } from '../witness/start-witness.ts';
import { ENTRY } from '../witness/start-worker.ts';

/** Two cells, each with a database and processes of its own, behind the router as it is printed. */
const ROUTER = join(import.meta.dirname, '../../deploy/nginx-cells.conf');
const ALICE = 'alice.campanile.example';
const PASSWORD = 'a long sentence nobody has said';
const GROUPS = 110;
const GAP = { minMs: 120, maxMs: 200 };
const HAS_NGINX = has('nginx', '-v') && has('openssl', 'version');

let folder: string;
let witness: Witness;
let cells: Service[];
let router: ReverseProxy;
let groups: Array<{ id: number; chatId: string }>;
let key: string;
let accountId: number;
const runs: ExpectedRun[] = [];
const nowMs = () => performance.timeOrigin + performance.now();

beforeAll(async () => {
  if (!HAS_NGINX) return;
  folder = mkdtempSync(join(tmpdir(), 'campanile-cells-'));
  writeFileSync(join(folder, 'passphrase'), 'a passphrase that is long enough\n');
  witness = await startWitness();
  cells = [await startCell(1), await startCell(2)];
  router = await startRouter();
  key = await signUpThroughRouter();
  groups = await createGroups();
}, 180_000);

afterAll(async () => {
  if (!HAS_NGINX) return;
  await router.stop();
  for (const cell of cells) {
    await cell.stop();
    await removeService(cell);
  }
  await witness.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function startCell(number: number, at?: Service): Promise<Service> {
  const environment = {
    WITNESS_PORT: String(witness.port),
    SANDBOX_GAP_MS: `${GAP.minMs}-${GAP.maxMs}`,
    PUBLIC_URL: `https://cell${number}.campanile.example`,
  };
  const cell = await startService({ entry: ENTRY, environment, ...(at && { folder: at.folder }) });
  // To be given the number once more changes nothing.
  expect((await operate(cell, 'cell', String(number))).code).toBe(0);
  return cell;
}

/** As the operator of the cell. */
function operate({ folder: home }: Service, ...words: string[]) {
  return campanile({ DATA_DIR: join(home, 'data'), STATE_DIR: join(home, 'state') }, ...words);
}

const cell = (number: 1 | 2): Service => {
  const found = cells[number - 1];
  if (!found) throw new Error('there is no such cell');
  return found;
};

async function startRouter(): Promise<ReverseProxy> {
  const { certificate, key: certificateKey } = makeCertificate(folder, '*.campanile.example');
  const port = await freePort();
  const map = join(folder, 'campanile-cells.map');
  writeFileSync(map, '');
  const example = change(readFileSync(ROUTER, 'utf8'), [
    [/127\.0\.0\.1:3000/g, new URL(cell(1).url).host],
    [/127\.0\.0\.1:3001/g, new URL(cell(2).url).host],
    [/\/etc\/nginx\/campanile-cells\.map/g, map],
    [/^ *listen \[::\].*\n/gm, ''],
    [/listen 443 /g, `listen 127.0.0.1:${port} `],
    [/ssl_certificate .*;/g, `ssl_certificate ${certificate};`],
    [/ssl_certificate_key .*;/g, `ssl_certificate_key ${certificateKey};`],
  ]);
  return awaitProxy(port, runNginx(folder, example), ALICE);
}

interface Answered<Data> {
  status: number | undefined;
  body: { data: Data; message?: string; error_code?: string };
}

/** Asks as a program of alice's does, which knows nothing of cells. */
async function ask<Data>(path: string, body: object = {}, token?: string): Promise<Answered<Data>> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { status, text } = await askProxy(router, 'POST', `/api/v1/${path}`, { host: ALICE, headers, body });
  return { status, body: JSON.parse(text) as Answered<Data>['body'] };
}

/** Again and again while it is put off, as programs are told to: of a 503 like this one nothing came. */
async function call<Data>(path: string, body: object = {}): Promise<Data> {
  const answer = await until(
    () => ask<Data>(path, body, key),
    ({ status }) => status !== 503,
    120_000,
  );
  expect([answer.status, answer.body.message]).toEqual([200, undefined]);
  return answer.body.data;
}

async function signUpThroughRouter(): Promise<string> {
  const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
  const person = { user_name: 'alice', email: 'alice@example.com', first_name: 'Alice', last_name: '', ...numbers };
  expect((await ask('user/create_user', { ...person, password: PASSWORD })).status).toBe(200);
  const { token } = (await ask<{ token: string }>('user/authorize_user', { user_name: 'alice', password: PASSWORD }))
    .body.data;
  const wanted = { name: 'of a program', scopes: ['read', 'send'] };
  return (await ask<{ key: string }>('user/create_api_key', wanted, token)).body.data.key;
}

async function createGroups(): Promise<typeof groups> {
  for (let index = 0; index < GROUPS; index++)
    await call('venom/create-group', { group_name: `Group ${index}`, participants: [] });
  const listed = await call<{
    groups: Array<{ group_metadata_id: number; nid: { user: string; server: string } }>;
  }>('venom/list-groups', { limit: 500 });
  return listed.groups.map(({ group_metadata_id: id, nid }) => ({ id, chatId: `${nid.user}@${nid.server}` }));
}

async function send(text: string, more: object = {}, isPaused = false): Promise<string> {
  const askedMs = nowMs();
  const campaign = { name: text, html: text, group_metadata_ids: groups.map(({ id }) => id), ...more };
  const { campaign_id } = await call<{ campaign_id: string }>('venom/add-campaign', campaign);
  if (isPaused) await call('venom/pause-campaign', { campaign_id });
  const chatIds = groups.map(({ chatId }) => chatId);
  runs.push({ accountId: 0, text, chatIds, halts: [], cancelled: false, askedMs, dueMs: nowMs() });
  return campaign_id;
}

const acceptedSoFar = async () => (await witness.entries()).filter(({ verdict }) => verdict === 'accepted').length;

interface Totals {
  sent: number;
  queued: number;
  failed: number;
  cancelled: number;
}
const totalsOf = async (campaign_id: string) =>
  (await call<{ totals: Totals }>('analytics/get-campaign-group-analytics-master', { campaign_id })).totals;

test(
  'a workspace moves in the middle of sending, and each post arrives once',
  { timeout: 300_000 },
  async ({ skip }) => {
    skip(!HAS_NGINX, 'nginx or openssl is not installed here');
    const picture = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');
    const running = await send('running', { image: picture });
    const alsoRunning = await send('also running');
    await until(acceptedSoFar, (count) => count >= 40, 120_000);
    accountId = (await witness.entries())[0]?.accountId ?? 0;

    const file = join(folder, 'alice.workspace');
    const secrets = ['--passphrase-file', join(folder, 'passphrase')];
    const exported = await operate(cell(1), 'workspace', 'export', 'alice', file, '--to', '2', ...secrets);
    expect(exported).toMatchObject({ code: 0, said: expect.stringContaining('Here it sends nothing any more') });

    // Killed and started anew, the cell that it has left sends nothing of it either, and refuses it with a sentence.
    await cell(1).kill();
    const left = await acceptedSoFar();
    expect(left).toBeLessThan(2 * GROUPS);
    cells[0] = await startCell(1, cell(1));
    await restartRouter();
    await sleep(3_000);
    expect(await acceptedSoFar()).toBe(left);
    expect(await ask('venom/list-campaigns', {}, key)).toMatchObject({
      status: 503,
      body: { error_code: 'workspace_moved', message: expect.stringContaining('another server') },
    });
    expect(await operate(cell(1), 'workspace', 'import', file, ...secrets)).toMatchObject({
      code: 1,
      said: expect.stringContaining('exported for cell 2, and this is cell 1'),
    });

    // What a program asks meanwhile is put off until the router leads to where the workspace is.
    const asked = send(`asked meanwhile ${randomUUID()}`);
    expect(await operate(cell(2), 'workspace', 'import', file, ...secrets)).toMatchObject({
      code: 0,
      said: expect.stringContaining('The workspace of alice is here'),
    });
    expect(await operate(cell(2), 'workspace', 'import', file, ...secrets)).toMatchObject({
      code: 1,
      said: expect.stringContaining('imported here before'),
    });
    writeFileSync(join(folder, 'campanile-cells.map'), `${ALICE} 2;\n`);
    router.reload();
    const meanwhile = await asked;

    // Deleted where it was, which changes nothing where it is.
    expect(await operate(cell(1), 'users', 'delete', 'alice', '--yes')).toMatchObject({ code: 0 });
    for (const campaign of [running, alsoRunning, meanwhile]) {
      const totals = await until(
        () => totalsOf(campaign),
        ({ queued }) => queued === 0,
        240_000,
      );
      expect(totals).toMatchObject({ sent: GROUPS, failed: 0, cancelled: 0 });
    }
    const { faults, copies } = judge(await witness.entries(), {
      runs: runs.map((run) => ({ ...run, accountId })),
      gapMs: new Map([[accountId, GAP.minMs]]),
      turnSize: () => 1,
    });
    expect(Object.entries(faults).filter(([, found]) => found > 0)).toEqual([]);
    expect([await acceptedSoFar(), copies]).toEqual([3 * GROUPS, 0]);
  },
);

/** The cell listens elsewhere since it was started anew. */
async function restartRouter(): Promise<void> {
  await router.stop();
  rmSync(join(folder, 'nginx'), { recursive: true });
  router = await startRouter();
}
