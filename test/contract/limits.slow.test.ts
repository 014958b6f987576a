/** Every row of the contract's table of errors, and every limit in it: at the limit, and one beyond. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, PASSWORD, type Answer, type Person, type TestApp } from '../support/app.ts';
import { createTestDatabase } from '../support/database.ts';
import { until } from '../support/ledger.ts';
import { exampleOf, readOperations, typeOf, withoutNull, type DocumentedOperation } from '../support/http/openapi.ts';
import { signUpOf } from '../support/people.ts';
import { PNG } from '../support/inputs/sample-files.ts';
import { startTestServer } from '../support/http/server.ts';
import { workspaceOf } from '../support/workspaces.ts';

let app: TestApp;
let alice: Person;
let group: number;
let operations: DocumentedOperation[];
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  alice = await app.signUp('alice');
  const groups = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  group = groups.body.data.groups[0]?.group_metadata_id ?? 0;
  operations = await readOperations(app.url);
});
afterAll(() => app.stop());

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
let people = 0;
/** Returns the body of a new sign-up. */
const newcomer = () => signUpOf(`person-${++people}`);
const now = () => ({ name: 'Fair', html: 'Hello', group_metadata_ids: [group] });
const later = () => ({
  ...now(),
  is_schedule: true,
  start_date: '2032-06-01',
  end_date: '2032-06-03',
  schedule_time: '09:00:00',
});

const ratesOf = ({ headers }: Answer) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`x-ratelimit-${name}`));

function expectFailure(answer: Answer, code: number) {
  expect(answer.status).toBe(code);
  expect(answer.headers.get('x-request-id')).toMatch(UUID);
  expect(answer.body).toEqual({
    error: true,
    status: 'error',
    code,
    error_code: expect.stringMatching(/^[a-z]+(_[a-z]+)*$/),
    // One sentence has no full stop, several have.
    message: expect.stringMatching(/^\S((?!\. [A-Z]).)*[^.\s]$|^\S.*\. [A-Z].*\.$/),
    details: expect.any(Array),
    data: null,
    request_id: answer.headers.get('x-request-id'),
  });
}

const send = (path: string, body: string, headers: Record<string, string> = {}, method = 'POST') =>
  request(`${app.url}/api/v1/${path}`, { method, body, headers: { 'content-type': 'application/json', ...headers } });

async function request(url: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
}

describe('answers 400 to', () => {
  const senseless: Array<[what: string, path: string, change: object, field: string]> = [
    ['a field that is missing', 'venom/add-campaign', { name: undefined }, 'name'],
    ['a field of the wrong type', 'venom/add-campaign', { html: 7 }, 'html'],
    ['a field that is too long', 'venom/add-campaign', { name: 'x'.repeat(201) }, 'name'],
    ['a malformed time', 'venom/add-campaign-batch', { schedule_time: 'noon' }, 'schedule_time'],
    ['a schedule sent to send-now', 'venom/add-campaign', { is_schedule: true }, 'is_schedule'],
    ['a tag that is not allowed', 'venom/add-campaign', { html: '<script>x</script>' }, 'html'],
    ['a post without text', 'venom/add-campaign', { html: '<p> <br>\n</p>' }, 'html'],
    ['tags nested over 100 deep', 'venom/add-campaign', { html: `${'<b>'.repeat(101)}x${'</b>'.repeat(101)}` }, 'html'],
    ['a file that cannot be recognised', 'venom/add-campaign', { image: btoa('hello') }, 'image'],
    ['an image that is not base64', 'venom/add-campaign', { image: 'data:image/png;base64,***' }, 'image'],
    ['send-now sent to the schedule', 'venom/add-campaign-batch', { is_schedule: false }, 'is_schedule'],
    ['an unknown time zone', 'venom/add-campaign-batch', { time_zone: 'Mars/Olympus' }, 'time_zone'],
    ['end_date before start_date', 'venom/add-campaign-batch', { end_date: '2032-05-31' }, 'end_date'],
    ['a date that does not exist', 'venom/add-campaign-batch', { start_date: '2032-02-30' }, 'start_date'],
    [
      'a datetime for a time of day',
      'venom/add-campaign-batch',
      { schedule_time: '2032-06-01 09:00:00' },
      'schedule_time',
    ],
    [
      'a schedule that is over',
      'venom/add-campaign-batch',
      { start_date: '2001-01-01', end_date: '2001-01-02' },
      'end_date',
    ],
  ];
  test.each(senseless)('%s', async (_what, path, change, field) => {
    const base = path.endsWith('batch') ? later() : now();
    const answer = await alice.call(path, { ...base, ...change });
    expectFailure(answer, 400);
    expect(answer.body.details?.map((problem) => problem.field)).toEqual([field]);
  });

  test.each(['', '{', '[]', '"x"', '7', "{'a':1}", '{"a":1}}', '\u0000', 'null'])('the body %j', async (body) => {
    const answer = await send('venom/add-campaign', body, { authorization: `Bearer ${alice.token}` });
    expectFailure(answer, 400);
  });
});

describe('answers the other errors:', () => {
  test('401 without a token', async () => {
    expectFailure(await app.call('user/get_profile'), 401);
  });

  test('401 with one and the same message for a wrong name and a wrong password', async () => {
    const wrong = { password: 'not the password' };
    const name = await app.call('user/authorize_user', { ...wrong, user_name: 'nobody' });
    const password = await app.call('user/authorize_user', { ...wrong, user_name: 'alice' });
    expectFailure(name, 401);
    expect({ ...name.body, request_id: '' }).toEqual({ ...password.body, request_id: '' });
  });

  test('403 if sign-up is closed', async () => {
    const database = await createTestDatabase();
    const server = await startTestServer({ db: database.db, users: { signUp: 'closed' } });
    const headers = { 'content-type': 'application/json' };
    const signUp = () =>
      request(`${server.url}/api/v1/user/create_user`, { method: 'POST', body: JSON.stringify(newcomer()), headers });
    expect((await signUp()).status, 'the first user of all').toBe(200);
    expectFailure(await signUp(), 403);
    await server.close();
    await database.drop();
  });

  test('404 for an unknown path, group or campaign', async () => {
    expectFailure(await app.call('venom/nothing', {}), 404);
    expectFailure(await alice.call('venom/add-campaign', { ...now(), group_metadata_ids: [900_000_000_001] }), 404);
    expectFailure(await alice.call('venom/add-campaign-batch', { ...later(), group_metadata_ids: [0, -1] }), 404);
    expectFailure(await alice.call('sandbox/list-messages', { group_metadata_id: Number.MAX_SAFE_INTEGER }), 404);
    for (const campaign_id of [
      '00000000-0000-0000-0000-000000000000',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
      '018F4E9A-7B3C-7DEF-8123-456789ABCDEF',
      '2b1a8d26-0c7a-11ee-be56-0242ac120002',
    ])
      expectFailure(await alice.call('venom/get-campaign', { campaign_id }), 404);
  });

  test('405 for another method, with the allowed one', async () => {
    for (const { path } of operations) {
      const answer = await request(`${app.url}${path}`, { method: 'GET' });
      expectFailure(answer, 405);
      expect(answer.headers.get('allow')).toBe('POST');
    }
  });

  test('409 for a user name or e-mail address in use, in any case and in one namespace', async () => {
    const first = newcomer();
    expect((await app.call('user/create_user', first)).status).toBe(200);
    for (const [change, fields] of [
      [{ user_name: first.user_name.toUpperCase() }, ['user_name']],
      [{ email: first.email.toUpperCase() }, ['email']],
      [{ user_name: first.email }, ['user_name']],
      [{ user_name: first.user_name, email: first.email }, ['user_name', 'email']],
    ] as const) {
      const answer = await app.call('user/create_user', { ...newcomer(), ...change });
      expectFailure(answer, 409);
      expect(answer.body.details?.map(({ field }) => field)).toEqual(fields);
    }
  });

  test('409 for an action that the state of a campaign does not allow', async () => {
    const sent = await alice.call<{ campaign_id: string }>('venom/add-campaign', now());
    const { campaign_id } = sent.body.data;
    const status = async () =>
      (await alice.call<{ status: string }>('venom/get-campaign', { campaign_id })).body.data.status;
    await until(status, (found) => found === 'completed');
    for (const verb of ['pause', 'resume', 'cancel'])
      expectFailure(await alice.call(`venom/${verb}-campaign`, { campaign_id }), 409);
  });

  test('409 for an account that is not linked, and 503 for one that is reconnecting', async () => {
    const creations: Array<[string, object]> = [
      ['venom/create-channel', { name: 'News' }],
      ['venom/create-community', { community_name: 'Town' }],
      ['venom/create-group', { group_name: 'Choir', participants: [] }],
      ['venom/sync-groups', {}],
    ];
    const bob = await app.signUp('bob');
    for (const [status, code] of [
      ['unlinked', 409],
      ['logged_out', 409],
      ['reconnecting', 503],
    ] as const) {
      await sql`update accounts set status = ${status} where workspace_id = ${workspaceOf(bob)}`.execute(
        app.database.db,
      );
      for (const [path, body] of creations) {
        const answer = await bob.call(path, body);
        expectFailure(answer, code);
        expect(Number(answer.headers.get('retry-after')) > 0).toBe(code === 503);
      }
    }
  });

  test('413 for a body over the limit', async () => {
    const authorization = { authorization: `Bearer ${alice.token}` };
    const most = 256 * 1024;
    const padded = (length: number) => `{"x":"${'x'.repeat(length - 8)}"}`;
    expect((await send('user/get_profile', padded(most), authorization)).status).toBe(200);
    expectFailure(await send('user/get_profile', padded(most + 1), authorization), 413);
    expectFailure(await send('venom/add-campaign', padded(27 * 1024 * 1024), authorization), 413);
  });

  test('415 for anything but application/json', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/jsonx', 'application/json-seq'])
      expectFailure(await send('user/authorize_user', '{}', { 'content-type': type }), 415);
    expectFailure(await send('user/authorize_user', '{}', { 'content-encoding': 'gzip' }), 415);
  });

  test('429 after ten failed sign-ins, and never for successful ones (brute force)', async () => {
    const carol = newcomer();
    await app.call('user/create_user', carol);
    const signIn = (password: string) => app.call('user/authorize_user', { user_name: carol.user_name, password });
    for (let count = 0; count < 12; count++) expect((await signIn(carol.password)).status).toBe(200);
    for (let count = 0; count < 10; count++) expectFailure(await signIn('not the password'), 401);
    const answer = await signIn(carol.password);
    expectFailure(answer, 429);
    expect(ratesOf(answer)).toEqual(['10', '0', answer.headers.get('retry-after')]);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('429 beyond the rate limit of a user', async () => {
    const database = await createTestDatabase();
    const server = await startTestServer({ db: database.db, settings: { rateLimit: 3 } });
    const ask = (path: string, body: object, token?: string) =>
      request(`${server.url}/api/v1/user/${path}`, {
        method: 'POST',
        body: JSON.stringify(body),
        headers: {
          'content-type': 'application/json',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      });
    const dave = newcomer();
    await ask('create_user', dave);
    const signedIn = await ask('authorize_user', { user_name: dave.user_name, password: dave.password });
    const { token } = signedIn.body.data as unknown as { token: string };
    for (let count = 0; count < 3; count++) expect((await ask('get_profile', {}, token)).status).toBe(200);
    const answer = await ask('get_profile', {}, token);
    expectFailure(answer, 429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await server.close();
    await database.drop();
  });

  test('429 beyond 600 previews and checks a minute and user together, with the rest in each answer', async () => {
    const erin = await app.signUp('erin');
    const left: number[] = [];
    const preview = async () => {
      const answer = await erin.call('venom/preview-campaign', { html: 'x' });
      if (answer.status === 200) left.push(Number(answer.headers.get('x-ratelimit-remaining')));
      return answer;
    };
    for (let round = 0; round < 59; round++) await Promise.all(Array.from({ length: 10 }, preview));
    expect(left).toHaveLength(590);
    const check = { name: 'x', html: 'x', group_metadata_ids: [0] };
    for (let round = 0; round < 10; round++) expect((await erin.call('venom/check-campaign', check)).status).toBe(404);
    expect(Math.min(...left)).toBe(10);
    const answer = await preview();
    expect(answer.body).toMatchObject({ code: 429, message: 'Rate limit exceeded: 600 previews and checks a minute' });
    expect(answer.headers.get('x-ratelimit-limit')).toBe('600');
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('0');
    expect(answer.headers.get('ratelimit-policy')).toBe('"previews";q=600;w=60');
    expect(answer.headers.get('ratelimit')).toMatch(/^"previews";r=0;t=\d+$/);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    // Other users have their own limit, and other operations have none.
    const frank = await app.signUp('frank');
    expect((await frank.call('venom/preview-campaign', { html: 'x' })).status).toBe(200);
    const other = await erin.call('venom/list-campaigns');
    expect([other.status, other.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
  });
});

/** Returns texts of `units` UTF-16 units: one of letters, one of characters that take two units each. */
const texts = (units: number) => ['x'.repeat(units), `${'😀'.repeat(units >> 1)}${'x'.repeat(units % 2)}`];
/** The same of letters only. */
const letters = (units: number) => ['x'.repeat(units), `${'𝒜'.repeat(units >> 1)}${'x'.repeat(units % 2)}`];
const digits = (count: number) => ['1'.repeat(count), `+${'1'.repeat(count)}`, `00 (${'1'.repeat(count - 1)}).1-`];
const mail = (units: number) => [
  `${'x'.repeat(units - 12)}@example.com`,
  `${'😀'.repeat((units - 12) >> 1)}@example.com`,
];

interface Limit {
  path: string;
  field: string;
  /** Returns a valid body without that field. */
  body: () => object;
  taken: readonly unknown[];
  refused: readonly unknown[];
}

const signUp = { path: 'user/create_user', body: newcomer };
const profile = { path: 'user/update_profile', body: () => ({}) };
const sendNow = { path: 'venom/add-campaign', body: now };
const schedule = { path: 'venom/add-campaign-batch', body: later };
const preview = { path: 'venom/preview-campaign', body: () => ({}) };
const channel = { path: 'venom/create-channel', body: () => ({ name: 'News' }) };
const community = { path: 'venom/create-community', body: () => ({ community_name: 'Town' }) };
const people7to15 = {
  taken: [...digits(7), ...digits(15)],
  refused: [...digits(6), ...digits(16), '', '+', '1234567x'],
};
const wholeNumbers = (from: number, to: number) => ({
  taken: [from, to, String(from), null],
  refused: [from - 1, to + 1, from + 0.5, `0${from}`, 1e300, true],
});
const campaignName = { field: 'name', taken: [...texts(1), ...texts(200), ' '], refused: ['', ...texts(201), null] };
const chatName = { taken: ['x', ...texts(100)], refused: ['', ...texts(101), null] };
const longDescription = { field: 'description', taken: ['', null, ...texts(2_048)], refused: texts(2_049) };
const html = {
  field: 'html',
  taken: [
    'x',
    'x'.repeat(65_536),
    '😀'.repeat(32_768),
    // A comment does not count towards the text.
    `x<!--${'x'.repeat(262_144 - 8)}-->`,
    `${'<b>'.repeat(100)}x${'</b>'.repeat(100)}`,
    // Formatting marks do.
    `<b>${'x'.repeat(65_534)}</b>`,
  ],
  refused: [
    '',
    'x'.repeat(65_537),
    `${'😀'.repeat(32_768)}x`,
    `x<!--${'x'.repeat(262_144 - 7)}-->`,
    `<b>${'x'.repeat(65_535)}</b>`,
    null,
  ],
};

const LIMITS: Limit[] = [
  { ...signUp, field: 'first_name', taken: ['x', ...texts(100)], refused: ['', ...texts(101)] },
  { ...signUp, field: 'last_name', taken: ['', ...texts(100)], refused: [...texts(101), null] },
  {
    ...signUp,
    field: 'user_name',
    taken: ['xy', '𝒜', 'abc', '𝒜b', ...letters(64), '._@+-'.replace('@', ''), 'żółw', 'अनु', "O'Neill Ann", ' abcd\n'],
    refused: ['x', ' x ', ...letters(65), 'a/b', 'ab\nc', '😀😀', ''],
  },
  { ...signUp, field: 'email', taken: mail(254), refused: [...mail(256), 'x', '@', 'x@', '@x', 'a b@x.org', ''] },
  { ...signUp, field: 'phone_number', ...people7to15 },
  { ...signUp, field: 'whatsapp_number', ...people7to15 },
  {
    ...signUp,
    field: 'password',
    taken: [...texts(8), ...texts(128), ' '.repeat(8), '\t\n"\\\u0001ñ字x'],
    refused: [...texts(7), ...texts(129), ''],
  },
  { ...profile, field: 'first_name', taken: ['x', null, ...texts(100)], refused: ['', ...texts(101)] },
  { ...profile, field: 'last_name', taken: ['', null, ...texts(100)], refused: texts(101) },
  { ...profile, field: 'phone_number', ...people7to15 },
  {
    ...profile,
    field: 'time_zone',
    taken: ['UTC', 'Europe/Berlin', 'Etc/GMT+12', 'america/argentina/comodrivadavia', null],
    refused: ['', 'Mars/Olympus', '+02:00', 'x'.repeat(100_000), '__proto__', 'Europe/Berlin\n'],
  },
  { ...sendNow, ...campaignName },
  { ...sendNow, field: 'desc', taken: ['', null, ...texts(2_000)], refused: texts(2_001) },
  { ...sendNow, ...html },
  {
    ...sendNow,
    field: 'schedule_time',
    taken: ['', null, '2026-12-01 09:00:00', '24:00:00', '2026-12-01T09:00:00Z', ...texts(200)],
    refused: [...texts(201), 7],
  },
  { ...sendNow, field: 'is_channel_campaign', taken: [true, false, null], refused: ['yes', 2] },
  { ...schedule, ...campaignName },
  { ...schedule, field: 'desc', taken: ['', null, ...texts(2_000)], refused: texts(2_001) },
  { ...schedule, ...html },
  {
    ...schedule,
    field: 'schedule_time',
    taken: ['00:00:00', '23:59:59'],
    refused: ['24:00:00', '9.00.00', '23:60:00', '23:59:60', '', null],
  },
  {
    ...schedule,
    field: 'end_date',
    taken: ['2032-06-01', '2033-06-01'],
    refused: ['2033-06-02', '2032-05-31', '9999-12-31'],
  },
  {
    ...schedule,
    field: 'weekdays',
    taken: [[1, 2, 3, 4, 5, 6, 7], [7, 2], null],
    refused: [[0], [8], [1.5], ['one'], [], 1, [1, 2, 3, 4, 5, 6, 7, 8]],
  },
  {
    ...schedule,
    field: 'skip_dates',
    taken: [[], ['2032-06-02'], null],
    refused: [['02.06.2032'], ['never'], '2032-06-02'],
  },
  { ...preview, ...html },
  { ...channel, field: 'name', ...chatName },
  { ...channel, ...longDescription },
  { ...community, field: 'community_name', ...chatName },
  { ...community, ...longDescription },
  { path: 'venom/list-groups', field: 'limit', body: () => ({}), ...wholeNumbers(1, 500) },
  { path: 'venom/list-groups', field: 'silent_days', body: () => ({}), ...wholeNumbers(1, 90) },
  {
    path: 'venom/list-groups',
    field: 'sort_by',
    body: () => ({}),
    taken: ['name', 'kind', 'participants', 'last_posted_at', 'read_rate', 'failed', null],
    refused: ['Name', '', 'group_name'],
  },
  {
    path: 'analytics/get-group',
    field: 'days',
    body: () => ({ group_metadata_id: group }),
    ...wholeNumbers(1, 366),
  },
  { path: 'venom/list-campaigns', field: 'limit', body: () => ({}), ...wholeNumbers(1, 200) },
  {
    path: 'sandbox/list-messages',
    field: 'limit',
    body: () => ({ group_metadata_id: group }),
    ...wholeNumbers(1, 1_000),
  },
  {
    path: 'venom/list-groups',
    field: 'kind',
    body: () => ({}),
    taken: ['group', 'channel', null],
    refused: ['Group', ''],
  },
  { path: 'venom/list-campaigns', field: 'status', body: () => ({}), taken: ['paused', null], refused: ['done', 7] },
];

describe('accepts a value up to its limit and rejects it beyond:', () => {
  const shown = (value: unknown) => `${JSON.stringify(value)?.slice(0, 40)} of ${String(value).length}`;

  test.each(LIMITS.map((limit) => [`${limit.path} ${limit.field}`, limit] as const))('%s', async (_name, limit) => {
    const { path, field, body, taken, refused } = limit;
    for (const value of taken) {
      const answer = await alice.call(path, { ...body(), [field]: value });
      expect(answer.status, `${shown(value)}: ${JSON.stringify(answer.body.details)}`).toBe(200);
    }
    for (const value of refused) {
      const answer = await alice.call(path, { ...body(), [field]: value });
      expectFailure(answer, 400);
      for (const problem of answer.body.details ?? [])
        expect(problem.field, shown(value)).toMatch(new RegExp(`^${field}`));
      expect(answer.body.details, shown(value)).not.toEqual([]);
    }
  });

  test('a new password', async () => {
    const eve = await app.signUp('eve');
    let current_password = PASSWORD;
    const change = (new_password: string) => eve.call('user/change_password', { current_password, new_password });
    for (const password of [...texts(7), ...texts(129)]) expectFailure(await change(password), 400);
    for (const password of [...texts(8), ...texts(128)]) {
      expect((await change(password)).status).toBe(200);
      current_password = password;
    }
  });

  test.each([sendNow, schedule])('$path group_metadata_ids', async ({ path, body }) => {
    const owner = await app.signUp(`owner-of-many-${path.length}`);
    const { rows } = await sql<{ group_id: number }>`
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
      select workspace_id, g || '@g.us', g || '@g.us', 'group', 'Group ' || g, 3, true
      from accounts, generate_series(1, 10001) g where workspace_id = ${workspaceOf(owner)} returning group_id`.execute(
      app.database.db,
    );
    const ids = rows.map((row) => row.group_id);
    const sent = (group_metadata_ids: unknown) => owner.call(path, { ...body(), group_metadata_ids });
    expect((await sent(ids.slice(0, 10_000))).status).toBe(200);
    expect((await sent(ids.slice(0, 1))).status).toBe(200);
    const repeated = await sent([...ids.slice(0, 3), ...Array.from({ length: 10_000 }, () => ids[0])]);
    expect(repeated.status, JSON.stringify(repeated.body)).toBe(200);
    for (const refused of [
      ids,
      Array.from({ length: 100_001 }, () => ids[0]),
      [],
      null,
      7,
      ['one'],
      [1.5],
      [2 ** 53],
      [1e300],
      [null],
      [[1]],
      '1',
    ])
      expectFailure(await sent(refused), 400);
  });

  test.each([sendNow, schedule])('$path image', async ({ path, body }) => {
    const file = (bytes: number) => Buffer.concat([PNG, Buffer.alloc(bytes - PNG.length)]).toString('base64');
    const most = 16 * 1024 * 1024;
    const withImage = async (image: string) => alice.call(path, { ...body(), image });
    const wrapped = file(most).replace(/.{76}/g, '$&\r\n');
    expect((await withImage(`data:image/png;base64,${wrapped}`)).status).toBe(200);
    const answer = await withImage(file(most + 1));
    expectFailure(answer, 400);
    expect(answer.body.details).toMatchObject([{ field: 'image', issue: 'is larger than 16 MiB' }]);
  });

  test('the longest body within every limit', async () => {
    const escaped = (character: string, count: number) => `\\u${character}`.repeat(count);
    const image = Buffer.concat([PNG, Buffer.alloc(16 * 1024 * 1024 - PNG.length)]).toString('base64');
    const post = {
      name: '<name>',
      desc: '<desc>',
      html: '<html>',
      image,
      group_metadata_ids: Array.from({ length: 10_000 }, () => group),
    };
    const body = JSON.stringify(post)
      .replace('<name>', escaped('00e9', 200))
      .replace('<desc>', escaped('00e9', 2_000))
      .replace('<html>', `x\\u003c!--${escaped('00e9', 262_144 - 8)}--\\u003e`);
    const answer = await send('venom/add-campaign', body, { authorization: `Bearer ${alice.token}` });
    expect(answer.body.details ?? []).toEqual([]);
    expect(answer.status).toBe(200);
  });
});

test('counts an astral character as two UTF-16 units, as JavaScript and WhatsApp do', async () => {
  for (const [path, body, field] of [
    ['venom/create-community', { community_name: '😀'.repeat(51) }, 'community_name'],
    ['venom/add-campaign', { ...now(), desc: '😀'.repeat(1_001) }, 'desc'],
    ['venom/preview-campaign', { html: `x<!--${'😀'.repeat(131_070)}-->` }, 'html'],
    ['user/update_profile', { first_name: '😀'.repeat(51) }, 'first_name'],
  ] as const) {
    const answer = await alice.call(path, body);
    expectFailure(answer, 400);
    expect(answer.body.details).toMatchObject([{ field, issue: expect.stringMatching(/^must be at most \d+ char/) }]);
  }
  expect((await app.call('user/create_user', { ...newcomer(), password: '😀'.repeat(4) })).status).toBe(200);
});

test('rejects NUL and lone surrogates in every string of every operation', async () => {
  const fields = operations.flatMap((operation) =>
    Object.entries(operation.body.properties ?? {})
      .filter(([, schema]) => typeOf(withoutNull(schema)) === 'string')
      .map(([field]) => ({ operation, field })),
  );
  expect(fields.length).toBeGreaterThan(40);
  // By now the sign-in of the others may be too old for operations that need a proof of identity.
  const bob = await app.signUp('bob');
  for (const { operation, field } of fields)
    for (const value of ['a\u0000b', '\ud800', 'a\udc00b']) {
      const path = operation.path.replace('/api/v1/', '');
      const answer = await bob.call(path, { ...(exampleOf(operation.body) as object), [field]: value });
      expectFailure(answer, 400);
      expect(answer.body.details, `${path} ${field}`).toMatchObject([{ field }]);
    }
});

test('rejects a cursor that no list has returned', async () => {
  const lists: Array<[string, object]> = [
    ['venom/list-groups', {}],
    ['venom/list-campaigns', {}],
    ['sandbox/list-messages', { group_metadata_id: group }],
  ];
  for (const [path, body] of lists)
    for (const cursor of ['', 'x', '1', 'djE6', btoa('v1:-1'), btoa('v1:1e3'), btoa(`v1:${'9'.repeat(16)}`), 7])
      expectFailure(await alice.call(path, { ...body, cursor }), 400);
});
