/** Requests of a client written from the specification alone, and their exact answers. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Person, type TestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { signUpOf } from '../support/people.ts';
import { PNG } from '../support/inputs/sample-files.ts';

let app: TestApp;
let alice: Person;
let group: number;
beforeAll(async () => {
  app = await startTestApp({ sandboxSpeed: 0 });
  await app.database.clock.set('2026-06-01T00:00:00Z');
  alice = await app.signUp('alice');
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  group = body.data.groups[0]?.group_metadata_id ?? 0;
});
afterAll(() => app.stop());

const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
const PICTURE = PNG.toString('base64');
const succeeded = (data: unknown) => ({ error: false, status: 'success', code: 200, data });
let people = 0;
const newcomer = () => signUpOf(`client-${++people}`);

/** The bodies of the specification, field by field. */
const sendNow = () => ({
  name: 'Spring fair',
  desc: 'For everybody in town',
  html: '<h1>Spring fair</h1><p>We <b>open</b> at <i>nine</i>.<br>See you!</p>',
  image: null as string | null,
  group_metadata_ids: [group],
  is_channel_campaign: false,
  is_schedule: false,
  schedule_time: '2032-06-01 09:00:00',
});
const scheduled = () => ({
  ...sendNow(),
  is_schedule: true,
  start_date: '2032-06-01',
  end_date: '2032-06-03',
  schedule_time: '09:00:00',
});
const accepted = succeeded({ campaign_id: UUID, status: 'running', group_count: 1, scheduled_for: null });
const planned = succeeded({ data: true });

function expectAnswer(answer: Answer<unknown>, body: unknown) {
  expect(answer.body).toEqual(body);
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer.headers.get('x-request-id')).toEqual(UUID);
}

describe('the seven operations answer exactly as specified:', () => {
  const infoOf = (user: ReturnType<typeof newcomer>, isFirst: boolean) => ({
    user_id: expect.any(Number) as number,
    email: user.email,
    user_name: user.user_name,
    phone_number: user.phone_number,
    first_name: user.first_name,
    last_name: user.last_name,
    wharsapp_number: user.whatsapp_number,
    is_first_login: isFirst,
  });

  test('create_user and authorize_user, with every text unchanged', async () => {
    const user = {
      ...newcomer(),
      first_name: ' Ænne-Marie ',
      last_name: "O'Neill\t<b>",
      phone_number: '(0151) 234.56-78',
    };
    expectAnswer(await app.call('user/create_user', user), succeeded({ user_info: infoOf(user, true) }));
    for (const [name, isFirst] of [
      [user.user_name, true],
      [user.email, false],
      [user.user_name.toUpperCase(), false],
    ] as const)
      expectAnswer(
        await app.call('user/authorize_user', { user_name: name, password: user.password }),
        succeeded({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/), user_info: infoOf(user, isFirst) }),
      );
  });

  test('add-campaign', async () => {
    expectAnswer(await alice.call('venom/add-campaign', sendNow()), accepted);
  });

  test('add-campaign-batch, with the id in a header', async () => {
    const answer = await alice.call('venom/add-campaign-batch', scheduled());
    expectAnswer(answer, planned);
    expect(answer.headers.get('x-campaign-id')).toEqual(UUID);
  });

  test('create-channel', async () => {
    const channel = { name: 'Town news', description: 'What is on', image: `data:image/png;base64,${PICTURE}` };
    const answer = await alice.call<{ resp: { nid: Record<string, string> } }>('venom/create-channel', channel);
    const { server = '', user = '' } = answer.body.data.resp.nid;
    const resp = {
      title: 'Town news',
      nid: { server, user, _serialized: `${user}@${server}` },
      inviteLink: expect.stringMatching(/^https:\/\//) as string,
      createdAtTs: expect.any(Number) as number,
    };
    expect(user.length * server.length).toBeGreaterThan(0);
    expectAnswer(answer, succeeded({ resp, group_metadata_id: expect.any(Number) }));
  });

  test('create-community', async () => {
    const community = { community_name: 'Old town', description: 'Neighbours' };
    const data = { group_name: 'Old town', group_metadata_id: expect.any(Number) as number };
    expectAnswer(await alice.call('venom/create-community', community), succeeded(data));
  });

  test('get-campaign-group-analytics-master', async () => {
    const sent = await alice.call<{ campaign_id: string }>('venom/add-campaign', sendNow());
    const { campaign_id } = sent.body.data;
    const read = () =>
      alice.call<{ totals: { sent: number } }>('analytics/get-campaign-group-analytics-master', { campaign_id });
    const answer = await until(read, ({ body }) => body.data.totals.sent === 1);
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string;
    const number = expect.any(Number) as number;
    const progress = { queued: 0, sent: 1, failed: 0, cancelled: 0 };
    const counts = {
      ...progress,
      deliveries: 1,
      recipients: number,
      delivered: 0,
      read: 0,
      reactions: 0,
      replies: 0,
      views: null,
      delivery_rate: 0,
      read_rate: 0,
    };
    expectAnswer(
      answer,
      succeeded({
        campaign: {
          campaign_id,
          name: 'Spring fair',
          desc: 'For everybody in town',
          status: 'completed',
          is_channel_campaign: false,
          is_schedule: false,
          start_date: null,
          end_date: null,
          schedule_time: '2032-06-01 09:00:00',
          recurrence: null,
          time_zone: null,
          created_at: instant,
          finished_at: instant,
        },
        totals: { groups: 1, runs: 1, runs_done: 1, ...counts },
        groups: [
          {
            group_metadata_id: group,
            group_name: expect.any(String),
            kind: 'group',
            participants: number,
            ...counts,
            first_sent_at: instant,
            last_sent_at: instant,
            last_error: null,
          },
        ],
        runs: [
          {
            run_id: number,
            due_at: instant,
            started_at: instant,
            finished_at: instant,
            status: 'completed',
            ...progress,
          },
        ],
        timeline: [{ at: instant, sent: 1, delivered: 0, read: 0 }],
      }),
    );
  });
});

describe('returns a phone number exactly as it was sent:', () => {
  test.each([
    '+4915112345678',
    '4915112345678',
    '004915112345678',
    '+49 151 1234-5678',
    '+49 (151) 1234.5678',
    ' 0151 1234 567 ',
    '(0151)-123-45-67',
    '+1-202-555-0143',
    '1234567',
    '123456789012345',
    '0151/2345678',
    '+1 202-555-0143 ext. 12',
    '+1 (202) 555-0143 x12',
    '+1-202-555-0143;ext=12',
    'whatsapp:+919876543210',
    'tel:+919876543210',
    '919876543210@c.us',
    '919876543210@s.whatsapp.net',
  ])('%j', async (number) => {
    const user = { ...newcomer(), phone_number: number, whatsapp_number: number };
    const answer = await app.call('user/create_user', user);
    expect(answer.body.data).toMatchObject({ user_info: { phone_number: number, wharsapp_number: number } });
  });
});

test('a number that is written for a messaging service is the same number', async () => {
  for (const number of ['whatsapp:+49 30 1234567', '49301234567@c.us', '+49/30/1234567 ext 5']) {
    const user = { ...newcomer(), whatsapp_number: number };
    await app.call('user/create_user', user);
    const { rows } = await sql<{ whatsapp_digits: string }>`
      select whatsapp_digits from users where user_name = ${user.user_name}`.execute(app.database.db);
    expect(rows).toEqual([{ whatsapp_digits: '49301234567' }]);
  }
});

describe('create_user accepts the user name', () => {
  test.each([
    ["Seán O'Neill", "SEÁN  O'NEILL"],
    ['Anne’s shop', ' anne’s SHOP '],
    ['李明', '李明'],
    ['अनिल कुमार', 'अनिल कुमार'],
    ['Ｗｉｄｅ', 'wide'],
    ['東京　支店', '東京 支店'],
    ['Ål', 'ÅL'],
  ])('%j, and signs in %j', async (user_name, as) => {
    const user = { ...newcomer(), user_name };
    const { body } = await app.call('user/create_user', user);
    expect(body).toMatchObject({ code: 200, data: { user_info: { user_name } } });
    const signedIn = await app.call('user/authorize_user', { user_name: as, password: user.password });
    expect(signedIn.body).toMatchObject({ code: 200, data: { user_info: { user_name } } });
    const again = await app.call('user/create_user', { ...newcomer(), user_name: as });
    expect(again.body).toMatchObject({ code: 409, details: [{ field: 'user_name', issue: 'is already taken' }] });
  });

  test.each(['x', ' x ', '   ', 'a\nb', 'a\u200bb', 'x'.repeat(65), 'a<b'])('but not %j', async (user_name) => {
    const { body } = await app.call('user/create_user', { ...newcomer(), user_name });
    expect(body).toMatchObject({ code: 400, details: [{ field: 'user_name' }] });
  });

  test('and removes the space around it and around the address', async () => {
    const user = newcomer();
    const sent = { ...user, user_name: ` ${user.user_name}\n`, email: `\t${user.email} ` };
    const { body } = await app.call('user/create_user', sent);
    expect(body.data).toMatchObject({ user_info: { user_name: user.user_name, email: user.email } });
    const signIn = { user_name: ` ${user.email} `, password: user.password };
    expect((await app.call('user/authorize_user', signIn)).status).toBe(200);
  });
});

describe('add-campaign accepts', () => {
  const bodies: Array<[what: string, change: object]> = [
    [
      'null in every optional field',
      { desc: null, image: null, is_channel_campaign: null, schedule_time: null, is_schedule: null },
    ],
    [
      'only the required fields',
      {
        desc: undefined,
        image: undefined,
        is_channel_campaign: undefined,
        is_schedule: undefined,
        schedule_time: undefined,
      },
    ],
    ['a body without is_schedule', { is_schedule: undefined }],
    ['schedule_time as a datetime', { schedule_time: '2020-01-31 23:59:59' }],
    ['schedule_time as a time of day', { schedule_time: '23:59:59' }],
    ['an empty schedule_time', { schedule_time: '' }],
    ['dates of the scheduled form', { start_date: '2020-01-01', end_date: '2019-01-01' }],
    ['empty dates', { start_date: '', end_date: null }],
    [
      'fields of the scheduled form of any type',
      { start_date: 7, end_date: {}, time_zone: 'Mars', weekdays: 'all', skip_dates: false },
    ],
    ['unknown fields', { id: 1, '': '', campaign_id: 'x', nested: { deep: [null] }, __proto__x: {} }],
    ['a channel campaign', { is_channel_campaign: true }],
    ['a picture in plain base64', { image: PICTURE }],
    ['a picture as a data URL', { image: `data:image/png;base64,${PICTURE}` }],
    ['a picture with another MIME name', { image: `data:image/jpg;base64,${PICTURE}` }],
    ['a picture without a MIME type', { image: `data:;base64,${PICTURE}` }],
    ['base64 in lines', { image: PICTURE.replace(/.{20}/g, '$&\r\n') }],
    ['every tag of the specification', { html: TAGS }],
    ['tags in capitals, unclosed, with attributes', { html: '<P class="x" style="a:b">Hello <B id=1>all<BR/>of you' }],
    ['plain text', { html: 'Hello & welcome, 2 < 3' }],
  ];
  test.each(bodies)('%s', async (_what, change) => {
    expectAnswer(await alice.call('venom/add-campaign', { ...sendNow(), ...change }), accepted);
  });

  test.each([
    '2032-06-01T09:00:00Z',
    '2032-06-01T09:00:00.000+05:30',
    '2032-06-01 09:00',
    '01/06/2032 9:00 AM',
    '9:00',
    'tomorrow',
    ' ',
  ])('schedule_time in any form, and returns it: %j', async (schedule_time) => {
    const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', { ...sendNow(), schedule_time });
    expectAnswer(answer, accepted);
    const { campaign_id } = answer.body.data;
    expect((await alice.call('venom/get-campaign', { campaign_id })).body.data).toMatchObject({ schedule_time });
    const copy = await alice.call('venom/duplicate-campaign', { campaign_id });
    expect(copy.body.data).toMatchObject({ is_schedule: false, schedule_time });
    expect((await alice.call('venom/check-campaign', { ...sendNow(), schedule_time })).status).toBe(200);
  });

  test('a repeated group id, and counts it once', async () => {
    const answer = await alice.call('venom/add-campaign', { ...sendNow(), group_metadata_ids: [group, group] });
    expectAnswer(answer, accepted);
  });
});

const TAGS = `${[1, 2, 3, 4, 5, 6].map((level) => `<h${level}>Title</h${level}>`).join('')}<p><i>a</i> <em>b</em> <b>c</b> <strong>d</strong><br>
<span style="color:red">e</span> <a href="https://example.org/?a=1&amp;b=2" target="_blank">f</a></p><ul><li>g</li></ul><ol start="3"><li>h</li></ol>`;

describe('add-campaign-batch accepts', () => {
  const bodies: Array<[what: string, change: object]> = [
    [
      'null in every optional field',
      { desc: null, image: null, is_channel_campaign: null, time_zone: null, weekdays: null, skip_dates: null },
    ],
    ['only the required fields', { desc: undefined, image: undefined, is_channel_campaign: undefined }],
    ['a body without is_schedule, since the path says it', { is_schedule: undefined }],
    ['null as is_schedule', { is_schedule: null }],
    ['a single day', { end_date: '2032-06-01' }],
    ['a leap day', { start_date: '2032-02-29', end_date: '2032-02-29' }],
    ['a range that has already begun', { start_date: '2026-01-01', end_date: '2026-12-31' }],
    [
      'a time that a DST change skips',
      { start_date: '2032-03-28', end_date: '2032-03-28', schedule_time: '02:30:00', time_zone: 'Europe/Berlin' },
    ],
    ['unknown fields', { id: 1, group_count: 'x' }],
    ['a picture in plain base64', { image: PICTURE }],
    ['a picture as a data URL', { image: `data:image/png;base64,${PICTURE}` }],
  ];
  test.each(bodies)('%s', async (_what, change) => {
    expectAnswer(await alice.call('venom/add-campaign-batch', { ...scheduled(), ...change }), planned);
  });

  test('no schedule with a run in the year 10000, which ISO 8601 timestamps cannot express', async () => {
    const far = { start_date: '9999-12-31', end_date: '9999-12-31', schedule_time: '23:30:00' };
    expectAnswer(await alice.call('venom/add-campaign-batch', { ...scheduled(), ...far }), planned);
    const west = await alice.call('venom/add-campaign-batch', {
      ...scheduled(),
      ...far,
      time_zone: 'America/New_York',
    });
    expect(west.body).toMatchObject({ code: 400, details: [{ field: 'end_date' }] });
  });
});

describe('the other operations accept', () => {
  test.each([
    ['create-channel without a picture', 'venom/create-channel', { name: 'News', description: 'x', image: null }],
    ['create-channel with its name only', 'venom/create-channel', { name: 'News' }],
    ['create-channel with null', 'venom/create-channel', { name: 'News', description: null, image: null }],
    ['create-community with its name only', 'venom/create-community', { community_name: 'Town' }],
    ['create-community with null', 'venom/create-community', { community_name: 'Town', description: null }],
    [
      'the lists with null in every field',
      'venom/list-campaigns',
      { status: null, search: null, limit: null, cursor: null },
    ],
    ['the list of groups with null', 'venom/list-groups', { kind: null, search: null, limit: null, cursor: null }],
    [
      'a profile change without any value',
      'user/update_profile',
      { first_name: null, last_name: null, phone_number: null, time_zone: null },
    ],
  ])('%s', async (_what, path, body) => {
    expect((await alice.call(path, body)).body).toMatchObject({ error: false, code: 200 });
  });

  test('a channel picture only as a data URL with its MIME type', async () => {
    const image = (text: string) => alice.call('venom/create-channel', { name: 'News', image: text });
    expect((await image(`data:image/png;base64,${PICTURE}`)).status).toBe(200);
    expect((await image(PICTURE)).body).toMatchObject({ code: 400, details: [{ field: 'image' }] });
  });
});

describe('over HTTP', () => {
  const post = async (path: string, init: RequestInit = {}, body: object = {}) => {
    const headers = { authorization: `Bearer ${alice.token}`, 'content-type': 'application/json', ...init.headers };
    const response = await fetch(`${app.url}${path}`, { method: 'POST', body: JSON.stringify(body), ...init, headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as Answer['body'] };
  };

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON; charset="utf-8"',
    'application/json ; x=y',
  ])('accepts the content type %j', async (type) => {
    expectAnswer(await post('/api/v1/venom/add-campaign', { headers: { 'content-type': type } }, sendNow()), accepted);
  });

  test.each(['/api/v1/venom/add-campaign/', '//api/v1/venom/add-campaign', '/api/v1/venom/add-campaign?debug=1'])(
    'accepts the path %s',
    async (path) => {
      expectAnswer(await post(path, {}, sendNow()), accepted);
    },
  );

  test.each(['Bearer', 'bearer', 'BEARER', 'Bearer  '])('accepts the authentication scheme %j', async (word) => {
    const headers = { authorization: `${word} ${alice.token}` };
    expectAnswer(await post('/api/v1/venom/add-campaign', { headers }, sendNow()), accepted);
  });

  test('treats an empty body as {} if no field is required', async () => {
    for (const init of [{ body: '' }, { body: ' \n' }, { body: 'null' }])
      expect((await post('/api/v1/user/get_profile', init)).status).toBe(200);
    const headers = { authorization: `Bearer ${alice.token}` };
    expect((await fetch(`${app.url}/api/v1/venom/account-status`, { method: 'POST', headers })).status).toBe(200);
  });
});

test('delivers an accepted campaign once, with its text and picture', async () => {
  const carol = await app.signUp('carol');
  const groups = await carol.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const id = groups.body.data.groups[0]?.group_metadata_id;
  const post = { ...sendNow(), group_metadata_ids: [id, id], image: `data:image/png;base64,${PICTURE}` };
  await carol.call('venom/add-campaign', post);
  const read = async () =>
    (await carol.call<{ messages: object[] }>('sandbox/list-messages', { group_metadata_id: id })).body.data.messages;
  expect(await until(read, (messages) => messages.length > 0)).toEqual([
    {
      message_id: expect.any(String),
      text: '*Spring fair*\n\nWe *open* at _nine_.\nSee you!',
      media: { mime: 'image/png', size: PNG.length, sha256: createHash('sha256').update(PNG).digest('hex') },
      link_preview: null,
      sent_at: expect.any(String),
    },
  ]);
});
