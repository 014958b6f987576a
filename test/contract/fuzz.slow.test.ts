/**
 * Fuzzing: good and bad bodies generated from `/openapi.json` for every operation. The seed is fixed; FUZZ_SEED and FUZZ_RUNS (bodies an
 * operation) change seed and length: `FUZZ_RUNS=2000 FUZZ_SEED=$RANDOM npx vitest run --mode all contract/fuzz`.
 */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { statusOf } from '../../src/api/server/envelope.ts';
import { ERROR_CODES, type ErrorCode } from '../../src/platform/errors/error-codes.ts';
import { failure, successEnvelope } from '../../src/api/contract/envelope.ts';
import { groupsOf, PASSWORD, startTestApp, type Person } from '../support/app.ts';
import { bodiesOf, type KnownFields } from '../support/inputs/generate-bodies.ts';
import { until } from '../support/ledger.ts';
import { readOperations, type DocumentedOperation } from '../support/http/openapi.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { runs } from '../support/runs.ts';

const SEED = Number(process.env['FUZZ_SEED'] ?? 20_261_121);
const RUNS = runs(6);
const ENDS_TOKENS = new Set(['revoke_tokens', 'delete_account']);

const app = await startTestApp({ sandboxSpeed: 0 });
afterAll(() => app.stop());
const operations = await readOperations(app.url);

let witness: Person;
let owner: Person;
let known: KnownFields;
let newcomers = 0;
const accepted: Array<{ owner: Person; campaignId: string; isNow: boolean }> = [];

beforeAll(async () => {
  await app.database.clock.set('2031-06-01T00:00:00Z');
  witness = await app.signUp('witness');
  await settle(await app.signUp('owner'));
});

const PHONES = ['1234567', '+49 (151) 234.56-78', '00123456789012345', '\u00a01234567\u2003', '1—2—3—4567'].map(
  (number) => JSON.stringify(number),
);
const HTML = [
  'Hello',
  '<h1>Fair</h1><p>*odd* _marks_ ~and~ `signs`</p>',
  '<ul><li>1. one<li>- two</ul> &lt;b&gt; &amp;amp; 😀\u0301\u202e',
  '<a href="https://example.org/?q=%F0%9F%98%80&amp;x=*_">x</a>',
  `${'<b>'.repeat(100)}x`,
  'x'.repeat(65_536),
  `<!--${'😀'.repeat(100_000)}-->x`,
];

/** Makes the person the owner, whose token is used, with groups and campaigns to refer to. */
async function settle(person: Person) {
  owner = person;
  const groups = await groupsOf(person);
  const campaigns: string[] = [];
  for (const day of ['2032-06-01', '2032-06-02']) {
    const body = {
      name: 'Fair',
      html: 'Hello',
      group_metadata_ids: groups,
      is_schedule: true,
      schedule_time: '09:00:00',
    };
    const answer = await person.call('venom/add-campaign-batch', { ...body, start_date: day, end_date: day });
    campaigns.push(answer.headers.get('x-campaign-id') ?? '');
  }
  const group = fc.constantFrom(...groups.map(String), '0', '-0', '-1', '9007199254740991');
  known = {
    group_metadata_id: group,
    group_metadata_ids: fc.oneof(
      { weight: 4, arbitrary: fc.subarray(groups.map(String), { minLength: 1 }).map((ids) => `[${ids.join(',')}]`) },
      { weight: 1, arbitrary: fc.array(group, { minLength: 1, maxLength: 5 }).map((ids) => `[${ids.join(',')}]`) },
    ),
    campaign_id: fc.constantFrom(...campaigns.map((id) => JSON.stringify(id))),
    start_date: fc.constantFrom('"2032-02-29"', '"2032-06-01"', '"2031-06-01"'),
    end_date: fc.constantFrom('"2032-06-01"', '"2032-06-03"', '"2032-12-31"'),
    schedule_time: fc.constantFrom('"09:00:00"', '"09:00:00"', '"2032-06-01 23:59:59"'),
    time_zone: fc.constantFrom('"UTC"', '"Asia/Kathmandu"', '"america/new_york"', 'null'),
    html: fc.constantFrom(...HTML.map((html) => JSON.stringify(html))),
    image: fc.constantFrom('null', 'null', JSON.stringify(`data:image/png;base64,${PNG.toString('base64')}`)),
    sha256: fc.constantFrom(JSON.stringify(createHash('sha256').update(PNG).digest('hex')), `"${'0'.repeat(64)}"`),
    phone_number: fc.constantFrom(...PHONES),
    whatsapp_number: fc.constantFrom(...PHONES),
    cursor: fc.constantFrom('null', JSON.stringify(btoa('v1:999999999999999').replaceAll('=', ''))),
    skip_dates: fc.constantFrom('null', '[]', '["2032-06-02","2032-06-02","0001-01-01"]'),
    user_name: fc.constant(null).map(() => JSON.stringify(`fuzzed-${++newcomers}`)),
    email: fc.constant(null).map(() => JSON.stringify(`fuzzed.${newcomers}@example.com`)),
    current_password: fc.constantFrom(JSON.stringify(PASSWORD), '"not the password"'),
  };
}

interface Answered {
  status: number;
  headers: Headers;
  body: { data: Record<string, unknown> } | undefined;
}

/** Sends a body and checks the rules for every answer. */
async function sendOdd({ path, isBearer, statuses }: DocumentedOperation, body: string): Promise<Answered> {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json', ...(isBearer && { authorization: `Bearer ${owner.token}` }) },
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await response.text();
  expect(statuses, `a status that the document lists, for ${text.slice(0, 500)}`).toContain(response.status);
  expect([500, 503], text).not.toContain(response.status);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  const answer = { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : undefined };
  expectEnvelope(answer, text);
  return answer;
}

const hasStatus = (status: number) => (told: ErrorCode) => told in ERROR_CODES && statusOf(told) === status;

function expectEnvelope({ status, headers, body }: Answered, text: string) {
  const requestId = headers.get('x-request-id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  // `data` is validated where it is made: `checkAnswers`.
  const schema = status === 200 ? successEnvelope.extend({ data: z.unknown() }).strict() : failure.strict();
  if (body !== undefined) schema.parse(body);
  const isRefusal = status !== 200;
  expect(body ?? {}).toMatchObject(
    isRefusal ? { code: status, error_code: expect.toSatisfy(hasStatus(status)), request_id: requestId } : {},
  );
  expect(isRefusal && text.length > 10_000, 'a refusal repeats what was sent').toBe(false);
}

/** Reads an accepted body back. Returns pairs of found and expected values. */
async function readBack(
  { name }: DocumentedOperation,
  sent: Sent,
  answer: Answered,
): Promise<Array<[unknown, unknown]>> {
  if (name === 'create_user') {
    const { user_name, password, whatsapp_number, first_name, last_name, email, phone_number } = sent;
    const { body } = await app.call('user/authorize_user', { user_name, password });
    const user_info = { user_name, first_name, last_name, email, phone_number, wharsapp_number: whatsapp_number };
    return [[body.data, { user_info }]];
  }
  if (name === 'update_profile') {
    const changed = Object.entries(sent).filter(([field, value]) => value !== null && PROFILE_FIELDS.has(field));
    const { time_zone, whatsapp_number, ...user_info } = Object.fromEntries(changed);
    const number = whatsapp_number !== undefined && { wharsapp_number: whatsapp_number };
    const { body } = await owner.call('user/get_profile');
    return [[body.data, { user_info: { ...user_info, ...number }, ...(time_zone !== undefined && { time_zone }) }]];
  }
  if (name === 'add-campaign' || name === 'add-campaign-batch') {
    const campaign_id = String(answer.headers.get('x-campaign-id') ?? answer.body?.data['campaign_id']);
    accepted.push({ owner, campaignId: campaign_id, isNow: name === 'add-campaign' });
    const { body } = await owner.call('venom/get-campaign', { campaign_id });
    const group_metadata_ids = [...new Set((sent['group_metadata_ids'] as number[]).map((id) => id + 0))];
    return [[body.data, { name: sent['name'], desc: sent['desc'] ?? '', html: sent['html'], group_metadata_ids }]];
  }
  const created = CREATIONS[name];
  if (created === undefined) return [];
  const { body } = await owner.call<{ groups: object[] }>('venom/list-groups', { limit: 500 });
  return [[body.data, { groups: expect.arrayContaining([expect.objectContaining({ group_name: sent[created] })]) }]];
}

type Sent = Readonly<Record<string, unknown>>;
/** The name field of each operation that creates something. */
const CREATIONS: Readonly<Record<string, string>> = {
  'create-channel': 'name',
  'create-community': 'community_name',
  'create-group': 'group_name',
};
const PROFILE_FIELDS = new Set(['first_name', 'last_name', 'phone_number', 'whatsapp_number', 'time_zone']);

/** Checks that the service still serves the sender and others. */
async function expectService() {
  expect((await witness.call('user/get_profile')).status).toBe(200);
  // After a request that revoked all tokens or deleted the account.
  if ((await owner.call('user/get_profile')).status !== 200) await settle(await app.signUp(`owner-${++newcomers}`));
  // After a request that unlinked the account, accepted campaigns wait for it to be linked again.
  const { body } = await owner.call<{ status: string }>('venom/account-status');
  if (body.data.status !== 'connected') await owner.call('venom/connect-account', { messenger: 'sandbox' });
}

/** Parses an accepted body. */
function readSent(body: string): Sent {
  const text = body.replace(/^\ufeff/, '').trim();
  return ((text === '' ? {} : JSON.parse(text)) ?? {}) as Sent;
}

describe(`fuzzing: ${RUNS} bodies of seed ${SEED} cause no defect`, () => {
  test.each(operations.map((operation) => [operation.path, operation] as const))(
    'of %s',
    async (_path, operation) => {
      const property = fc.asyncProperty(bodiesOf(operation.body, known), async (body) => {
        const answer = await sendOdd(operation, body);
        const isTaken = answer.status === 200;
        const kept = isTaken ? await readBack(operation, readSent(body), answer) : [];
        for (const [found, wanted] of kept) expect(found).toMatchObject(wanted as object);
        await expectService();
      });
      // After a revoked token the test signs in again.
      const numRuns = ENDS_TOKENS.has(operation.name) ? Math.ceil(RUNS / 5) : RUNS;
      await fc.assert(property, { seed: SEED, numRuns, endOnFailure: true });
    },
    600_000 + RUNS * 1_000,
  );

  test('and loses nothing that it accepted', async () => {
    expect(accepted.length, 'campaigns of odd bodies').toBeGreaterThanOrEqual(Math.floor(RUNS / 10));
    for (const { owner, campaignId, isNow } of accepted) {
      // A fuzzed body may have set quiet hours or a daily cap.
      await owner.call('venom/update-account', { quiet_hours: 'none', daily_cap: 'none', warm_up: false });
      const read = async () => {
        const call = owner.call<{ totals: Record<string, number> }>;
        return (await call('analytics/get-campaign-group-analytics-master', { campaign_id: campaignId })).body;
      };
      const { data } = await until(read, (found) => !isNow || found.data.totals['queued'] === 0);
      expect(data.totals).toMatchObject(isNow ? { sent: data.totals['groups'], failed: 0 } : { runs_done: 0 });
    }
  });
});
