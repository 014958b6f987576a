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
