/** A client that a generator makes from `/openapi.json` compiles under strict rules, and works against the service. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { generate } from 'orval';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PASSWORD, startTestApp, type TestApp } from '../support/app.ts';

const TSC = join(import.meta.dirname, '../../node_modules/typescript/bin/tsc');
const run = promisify(execFile);

let folder: string;
let app: TestApp;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'campanile-generated-'));
  app = await startTestApp();
  const document = await fetch(`${app.url}/openapi.json`);
  writeFileSync(join(folder, 'openapi.json'), await document.text());
  await generate({
    input: join(folder, 'openapi.json'),
    output: { target: join(folder, 'client.ts'), client: 'fetch', baseUrl: app.url },
  });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.stop();
});

/** A program against the generated client, which uses its types of bodies, answers and failures. */
const PROGRAM = `
import {
  addCampaign, addCampaignBatch, authorizeUser, createUser, getCampaignGroupAnalyticsMaster, getProfile, listGroups, type AddCampaignInput,
} from './client.ts';
const [name = '', password = ''] = process.argv.slice(2);
const numbers = { phone_number: '+49 151 1234567', whatsapp_number: '+49 151 1234567' };
const user = { first_name: name, last_name: '', user_name: name, email: name + '@example.com', ...numbers, password };
const created = await createUser(user);
if (created.status !== 200) throw new Error(created.data.error_code);
const signedIn = await authorizeUser({ user_name: name, password });
if (signedIn.status !== 200) throw new Error(signedIn.data.error_code);
const token: string = signedIn.data.data.token;
const withToken = { headers: { authorization: 'Bearer ' + token } };
const listed = await listGroups({ limit: 2 }, withToken);
if (listed.status !== 200) throw new Error(listed.data.error_code);
const ids: number[] = listed.data.data.groups.map((group) => group.group_metadata_id);
const body: AddCampaignInput = { name: 'Fair', html: '<b>Nine</b>', group_metadata_ids: ids };
const added = await addCampaign(body, { headers: { ...withToken.headers, 'idempotency-key': 'one' } });
if (added.status !== 200) throw new Error(added.data.error_code);
const { campaign_id, group_count } = added.data.data;
let sent = 0;
while (sent < ids.length) {
  const analytics = await getCampaignGroupAnalyticsMaster({ campaign_id }, withToken);
  if (analytics.status !== 200) throw new Error(analytics.data.error_code);
  sent = analytics.data.data.totals.sent;
}
const dates = { start_date: '2020-01-01', end_date: '2020-01-02', schedule_time: '09:00:00', is_schedule: true } as const;
const late = await addCampaignBatch({ ...body, ...dates }, withToken);
const field: string | undefined = late.status === 200 ? undefined : late.data.details[0]?.field;
const open = await getProfile({});
const code = open.status === 200 ? undefined : open.data.error_code;
// An error code that there is not is a type error.
const isMissing: boolean = code === 'token_missing';
console.log(JSON.stringify({ user: created.data.data.user_info.user_name, group_count, sent, field, isMissing }));
`;
const STRICTNESS =
  '--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --noEmit --allowImportingTsExtensions';
const TARGET = '--target esnext --module nodenext --lib esnext,dom,dom.iterable --types node --typeRoots';
const COMPILE = [...`${STRICTNESS} ${TARGET}`.split(' '), join(import.meta.dirname, '../../node_modules/@types')];

/** Compiles a program beside the generated client. Returns the errors of the compiler. */
async function compile(program: string): Promise<string> {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'program.ts'), program);
  const compiling = run(process.execPath, [TSC, ...COMPILE, 'program.ts'], { cwd: folder });
  return compiling.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

test('has a function for each operation', () => {
  const { paths } = JSON.parse(readFileSync(join(folder, 'openapi.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const client = readFileSync(join(folder, 'client.ts'), 'utf8');
  const ids = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  const functions = new Set([...client.matchAll(/^export const (\w+) = async/gm)].map(([, name = '']) => name));
  const camelCase = (id: string) => id.replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
  expect(ids.length).toBeGreaterThan(80);
  // A word that the language reserves, such as `import`, gets an underscore.
  const isThere = (name: string) => functions.has(name) || functions.has(`_${name}`);
  expect(ids.filter((id) => !isThere(camelCase(id)))).toEqual([]);
});

test('compiles with the strictest rules, and works', async () => {
  expect(await compile(PROGRAM)).toBe('');
  const { stdout } = await run(process.execPath, ['program.ts', 'generated', PASSWORD], { cwd: folder });
  expect(JSON.parse(stdout)).toEqual({
    user: 'generated',
    group_count: 2,
    sent: 2,
    field: 'end_date',
    isMissing: true,
  });
});

test.each([
  ['an unknown field', `await addCampaign({ name: 'x', html: 'x', group_metadata_ids: [1], colour: 'red' });`],
  ['a missing field', `await addCampaign({ html: 'x', group_metadata_ids: [1] });`],
  ['a wrong type', `await addCampaign({ name: 'x', html: 'x', group_metadata_ids: ['1'] });`],
  ['the data of a failure', `const { data } = await addCampaign({} as never); data.data.campaign_id;`],
  [
    'an error code that is not of the status',
    `const { data, status } = await addCampaign({} as never); if (status === 404) data.error_code === 'approval_required';`,
  ],
])('rejects %s at compile time', async (_what, statement) => {
  expect(await compile(`import { addCampaign } from './client.ts';\n${statement}`)).toMatch(/^program\.ts\(2,/m);
});
