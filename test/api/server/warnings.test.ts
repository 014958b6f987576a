import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp, type Answer, type Person, type TestApp } from '../../support/app.ts';

let app: TestApp;
let alice: Person;
let ids: number[];
beforeAll(async () => {
  app = await startTestApp();
  alice = await app.signUp('alice');
  await alice.call('user/update_profile', { time_zone: 'UTC' });
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  ids = body.data.groups.map((group) => group.group_metadata_id);
});
afterAll(() => app.stop());

interface Told extends Answer<Record<string, unknown>> {
  warnings: string[];
}

async function send(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Told> {
  const response = await fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}`, ...headers },
    body: JSON.stringify(body),
  });
  const warnings = JSON.parse(`[${response.headers.get('x-campanile-warnings') ?? ''}]`) as string[];
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Told['body'],
    warnings,
  };
}

const post = () => ({ name: 'Fair', html: 'Hello', group_metadata_ids: ids });
const schedule = { is_schedule: true, start_date: '2032-06-01', end_date: '2032-06-03', schedule_time: '09:00:00' };

/** A literal that clients send, and the field as it is read; undefined: it stays a 400. */
const LITERALS: readonly (readonly [field: string, sent: unknown, read: string | undefined])[] = [
  ['is_schedule', 'true', 'true'],
  ['is_schedule', 'True', 'true'],
  ['is_schedule', 1, 'true'],
  ['is_schedule', '1', undefined],
  ['is_schedule', 'yes', undefined],
  ['is_channel_campaign', 0, 'false'],
  ['is_channel_campaign', 'false', 'false'],
  ['is_channel_campaign', 2, undefined],
  ['schedule_time', '9:00:00', '09:00:00'],
  ['schedule_time', '10:00', '10:00:00'],
  ['schedule_time', '9:5', undefined],
  ['schedule_time', '24:00', undefined],
  ['schedule_time', '9 pm', undefined],
  ['start_date', '2032-06-01T09:00:00', '2032-06-01'],
  ['start_date', '2032-06-01T00:00:00.000Z', '2032-06-01'],
  ['start_date', '2032-06-01T23:30:00+02:00', '2032-06-01'],
  ['start_date', '20320601', '2032-06-01'],
  ['start_date', '2032-6-1', '2032-06-01'],
  // In Berlin this is the first of June.
  ['start_date', '2032-05-31T22:00:00.000Z', undefined],
  ['start_date', '01.06.2032', undefined],
  ['start_date', '06/01/2032', undefined],
  ['start_date', '2032-06-31T09:00:00', undefined],
  ['skip_dates', ['20320602'], '2032-06-02'],
  ['weekdays', ['1', '2'], '2'],
  ['weekdays', ['01'], undefined],
  ['weekdays', ['1.5'], undefined],
  ['weekdays', [' 1'], undefined],
];

describe('a value in another form than that of its field', () => {
  const plan = () => ({ ...post(), ...schedule, skip_dates: [], weekdays: [1, 2, 3, 4, 5, 6, 7] });

  const namedIn = ({ warnings }: Told, field: string) =>
    warnings.filter((warning) => warning.startsWith(`${field} `) || warning.startsWith(`${field}.`));

  test.each(LITERALS.filter(([, , read]) => read !== undefined))('%s %j is read as %j', async (field, sent, read) => {
    const body = { ...plan(), [field]: sent };
    const answer = await send('venom/check-campaign', body);
    expect(answer.body).toMatchObject({ error: false });
    expect(namedIn(answer, field)).toEqual([expect.stringContaining(`was read as ${read}: send `)]);
    const strict = await send('venom/check-campaign', body, { prefer: 'handling=strict' });
    expect(strict.status).toBe(400);
    expect(strict.body.details).toEqual(expect.arrayContaining([expect.objectContaining({ code: 'other_form' })]));
  });

  test.each(LITERALS.filter(([, , read]) => read === undefined))('%s %j stays wrong', async (field, sent) => {
    const answer = await send('venom/check-campaign', { ...plan(), [field]: sent });
    expect(answer.status).toBe(400);
    expect(answer.body.details?.map((issue) => issue.field.split('.')[0])).toContain(field);
    expect(namedIn(answer, field)).toEqual([]);
  });

  test('counts as if it had its form', async () => {
    const body = { ...post(), group_metadata_ids: ids.map(String), is_schedule: 'false' };
    const answer = await send('venom/add-campaign', body);
    expect(answer).toMatchObject({
      status: 200,
      warnings: [
        `group_metadata_ids was read as ${ids.at(-1)}: send a number without quotes`,
        'is_schedule was read as false: send true or false without quotes',
      ],
    });
    const other = await send('venom/update-account', {
      quiet_hours: { from: '7:00', to: '08:30:00' },
      daily_cap: '500',
    });
    expect(other.body.data).toMatchObject({ quiet_hours: { from: '07:00', to: '08:30' }, daily_cap: 500 });
    expect((await send('venom/update-account', { quiet_hours: null, daily_cap: null })).status).toBe(200);
  });

  test('is a phone number with signs that cannot be seen, or digits of another script', async () => {
    for (const phone_number of [
      '\u202a+49 151 2345678\u202c',
      '＋49 151 2345678',
      '+٤٩ ١٥١ ٢٣٤٥٦٧٨',
      '+४९ १५१ २३४५६७८',
    ]) {
      const answer = await send('user/update_profile', { phone_number });
      expect(answer).toMatchObject({ status: 200, body: { data: { user_info: { phone_number: '+49 151 2345678' } } } });
      expect(answer.warnings).toEqual([expect.stringContaining('+49 151 2345678: send a number of ASCII digits')]);
    }
  });
});

describe('an unknown field', () => {
  test('is named in a header of an otherwise unchanged success', async () => {
    const body = { ...post(), ...schedule, timezone: 'Europe/Berlin', groupMetadataIds: [1], colour: 'red', x: null };
    const answer = await send('venom/add-campaign-batch', body);
    expect(answer.warnings).toEqual([
      'timezone is not a field here; did you mean time_zone?',
      'groupMetadataIds is not a field here; did you mean group_metadata_ids?',
      'colour is not a field here',
    ]);
    expect(answer.body).toEqual({ error: false, status: 'success', code: 200, data: { data: true } });
    expect(
      (await send('venom/add-campaign-batch', { ...post(), ...schedule })).headers.get('x-campanile-warnings'),
    ).toBe(null);
  });

  test('is named if it is nested, and escaped if a header cannot carry its name', async () => {
    const body = { quiet_hours: { from: '22:00', to: '07:00', until: 1 }, 'ключ"\r\n': 1, ['x'.repeat(500)]: 1 };
    const { warnings } = await send('venom/update-account', body);
    expect(warnings).toEqual([
      'quiet_hours.until is not a field here',
      '????"?? is not a field here',
      `${'x'.repeat(64)}... is not a field here`,
    ]);
  });

  const inItems: ReadonlyArray<readonly [path: string, body: object, warnings: readonly string[]]> = [
    [
      'venom/list-groups',
      {
        rule: {
          all: [
            { kind: 'group', membrs: { over: 5 } },
            { membrs: {}, members: { over: 1, ovr: 5 } },
          ],
        },
      },
      [
        'rule.all.membrs is not a field here; did you mean members?',
        'rule.all.members.ovr is not a field here; did you mean over?',
      ],
    ],
    ['venom/set-fields', { fields: [{ name: 'Size', type: 'number' }] }, ['fields.type is not a field here']],
    [
      'venom/check-campaign',
      { name: 'Fair', html: 'x', translations: [{ language: 'de', html: 'y', txt: 'z' }] },
      ['translations.txt is not a field here; did you mean text?'],
    ],
  ];
  test.each(inItems)('is named once if items of a list have it: %s', async (path, body, warnings) => {
    const sent = path === 'venom/check-campaign' ? { ...body, group_metadata_ids: ids } : body;
    const strict = await send(path, sent, { prefer: 'handling=strict' });
    const details = warnings.map((sentence) => ({ field: sentence.split(' ')[0], code: 'unknown_field' }));
    expect(strict.body).toMatchObject({ code: 400, details });
    const answer = await send(path, sent);
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ warnings });
  });

  test('is named at most ten times', async () => {
    const body = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`odd${at}`, at]));
    expect((await send('user/get_profile', body)).warnings).toHaveLength(10);
  });

  test('is named within the 4 KiB that proxies take for headers, with whatever else is said', async () => {
    const html = `<p>https://nowhere.invalid/${'é'.repeat(5_000)}</p>`;
    const odd = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`${at}`.padEnd(60, 'x'), at]));
    const answer = await send('venom/add-campaign', { ...post(), html, fetch_link_preview: true, ...odd });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-campanile-warnings')?.length).toBeLessThanOrEqual(3_072);
    expect(answer.warnings[0]).toMatch(/^A link goes without its preview: https:.*\.\.\.$/);
  });

  test('is among the warnings of a check, which knows the form of the campaign', async () => {
    const now = await send('venom/check-campaign', { ...post(), is_schedule: false, start_date: '2032-06-01' });
    expect(now.body.data['warnings']).toContainEqual({
      code: 'means_nothing',
      message: 'start_date is not a field here',
    });
    const later = await send('venom/check-campaign', { ...post(), ...schedule, timezone: 'UTC' });
    expect(later.body.data['warnings']).toContainEqual({
      code: 'means_nothing',
      message: 'timezone is not a field here; did you mean time_zone?',
    });
  });

  test('is answered 400 without effect if the client prefers strict handling', async () => {
    const body = { ...post(), name: 'Strictly', timezone: 'UTC' };
    const strict = { prefer: 'respond-async, handling=strict' };
    const answer = await send('venom/add-campaign', body, strict);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error_code: 'unknown_field',
      details: [{ field: 'timezone', issue: 'is not a field here' }],
    });
    const { body: listed } = await alice.call<{ campaigns: unknown[] }>('venom/list-campaigns', { search: 'Strictly' });
    expect(listed.data.campaigns).toEqual([]);
    expect((await send('venom/add-campaign', { ...body, timezone: null }, strict)).status).toBe(200);
    const wrong = await send('venom/add-campaign', { ...body, name: 7 }, strict);
    expect(wrong.body).toMatchObject({
      error_code: 'invalid_request',
      details: [{ field: 'name' }, { field: 'timezone' }],
    });
  });

  test('may be an unsupported Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'one of mine' };
    expect((await send('user/get_profile', {}, key)).warnings).toEqual([
      'Idempotency-Key is not supported by this operation',
    ]);
    expect((await send('venom/add-campaign', post(), key)).warnings).toEqual([]);
  });
});

describe('a replayed answer', () => {
  test('carries Idempotency-Replayed, and the first one does not', async () => {
    const key = { 'idempotency-key': 'for a replay' };
    const first = await send('venom/add-campaign', post(), key);
    const second = await send('venom/add-campaign', post(), key);
    expect(second.body).toEqual(first.body);
    expect([first, second].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    const created = { community_name: 'Once' };
    await send('venom/create-community', created, { 'idempotency-key': 'for a community' });
    const again = await send('venom/create-community', created, { 'idempotency-key': 'for a community' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
  });
});

describe('problems of types and of content', () => {
  const html = '<p>Hello</p><script>x</script>';

  test('are reported together', async () => {
    const body = { ...post(), ...schedule, name: 7, html, image: 'AAAA', end_date: '2032-05-01' };
    const fieldsOf = async (path: string, more: object = {}) =>
      (await send(path, { ...body, ...more })).body.details?.map(({ field }) => field);
    expect(await fieldsOf('venom/add-campaign-batch')).toEqual(['name', 'html', 'image', 'end_date']);
    expect(await fieldsOf('venom/check-campaign')).toEqual(['name', 'html', 'image', 'end_date']);
    expect(await fieldsOf('venom/add-campaign', { is_schedule: false, schedule_time: 7 })).toEqual([
      'name',
      'schedule_time',
      'html',
      'image',
    ]);
    expect(await fieldsOf('venom/update-campaign', { campaign_id: 'x' })).toEqual([
      'campaign_id',
      'name',
      'html',
      'image',
      'end_date',
    ]);
  });

  test('include a schedule that is over', async () => {
    const over = { ...post(), ...schedule, start_date: '2020-01-01', end_date: '2020-01-02', html };
    for (const path of ['venom/add-campaign-batch', 'venom/check-campaign']) {
      const { details } = (await send(path, over)).body;
      expect(
        details?.map(({ field }) => field),
        path,
      ).toEqual(['html', 'end_date']);
      const { details: all } = (await send(path, { ...over, name: 7 })).body;
      expect(
        all?.map(({ field }) => field),
        path,
      ).toEqual(['name', 'html', 'end_date']);
    }
  });
});

describe('a request that cannot be read', () => {
  const raw = async (body: string | Buffer) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` };
    const response = await fetch(`${app.url}/api/v1/venom/check-campaign`, { method: 'POST', headers, body });
    const { message } = (await response.json()) as { message: string };
    return [response.status, message];
  };

  test.each([
    [
      '{"name": "Fair",\n "html": "a",}',
      /^The body is not JSON: line 2 column 14: Expected double-quoted property name$/,
    ],
    [
      '{"name": "Fair" "html": "a"}',
      /^The body is not JSON: line 1 column 17: Expected ',' or '}' after property value$/,
    ],
    ['{"name": tru}', /^The body is not JSON: Unexpected token '}', "\{"name": tru}"$/],
    ['name=Fair&html=a', /^The body is not JSON: Unexpected token 'a', "name=Fair&html=a"$/],
    ['{"name": "Fair"', /^The body is not JSON: /],
  ])('says where %j is no JSON', async (body, message) => {
    expect(await raw(body)).toEqual([400, expect.stringMatching(message)]);
  });

  test('names a body in Latin-1', async () => {
    expect(await raw(Buffer.from('{"name": "Sommerfest in München"}', 'latin1'))).toEqual([
      400,
      'The body is not UTF-8, as JSON has to be: byte 26 is 0xfc. It may be Latin-1 (ISO 8859-1); encode it as UTF-8',
    ]);
  });

  test('names the field in which the text was sent, and where the ids of groups come from', async () => {
    const body = { name: 'Fair', message: 'Hello', group_metadata_ids: ['120363000000000000@g.us'] };
    const { status, body: answer } = await send('venom/add-campaign', body);
    expect([status, answer.details]).toMatchObject([
      400,
      [
        { field: 'html', code: 'sent_as_other', issue: 'is required; message is not a field here' },
        { field: 'group_metadata_ids.0', code: 'chat_id' },
      ],
    ]);
  });
});
