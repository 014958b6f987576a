/** A text for each language in one campaign (contract §3). */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { readValue } from '../../../src/platform/database/statements.ts';
import { groupsOf, untilCompleted, useTestApp, type Person } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { upload } from '../../support/upload.ts';
import { callIn, createTeam } from '../../support/team.ts';
import { actorOf } from '../../support/workspaces.ts';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';

interface Message {
  text: string;
  files?: Array<{ caption: string | null }>;
  link_preview?: { url: string } | null;
}
interface Analytics {
  campaign: { status: string };
  groups: Array<{ sent: number; failed: number; cancelled: number; corrected?: number; last_error: string | null }>;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const { db } = app.database;
let alice: Person;
let workspaceId: WorkspaceId;
let groups: number[];

beforeEach(async () => {
  await app.database.clock.set('2031-06-02T08:00:00Z');
  alice = await app.signUp(`alice-${randomUUID().slice(0, 8)}`);
  ({ workspaceId } = await actorOf(db, alice));
  groups = await groupsOf(alice);
});

/** Gives the groups values of a field, in their order. */
async function give(name: string, values: ReadonlyArray<string | null>, kind?: string): Promise<void> {
  const field = await alice.call('venom/set-fields', { fields: [{ name, kind }] });
  expect(field.status, JSON.stringify(field.body)).toBe(200);
  const given = values.map((value, index) => ({ group_metadata_id: groups[index], fields: { [name]: value } }));
  const answer = await alice.call('venom/set-group-fields', { groups: given });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}
const speak = (...languages: Array<string | null>) => give('Language', languages, 'language');

const GERMAN = { language: 'German', html: '<b>Hallo</b> alle' };
const PORTUGUESE = { language: 'pt_br', html: 'Olá pessoal' };
const post = (more: object = {}) => ({
  name: 'Fair',
  html: 'Hello all',
  translations: [GERMAN, PORTUGUESE],
  group_metadata_ids: groups,
  ...more,
});
const later = (more: object = {}) => ({
  ...post(),
  is_schedule: true,
  start_date: '2031-06-03',
  end_date: '2031-06-03',
  schedule_time: '09:00:00',
  time_zone: 'UTC',
  ...more,
});

const add = (body: object = post()) => alice.call<{ campaign_id: string }>('venom/add-campaign', body);
async function send(body: object = post()): Promise<string> {
  const answer = await add(body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await ended(answer.body.data.campaign_id);
  return answer.body.data.campaign_id;
}
async function schedule(body: object = later()): Promise<string> {
  const answer = await alice.call('venom/add-campaign-batch', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.headers.get('x-campaign-id') ?? '';
}
const resultsOf = async (campaign_id: string) =>
  (await alice.call<Analytics>('analytics/get-campaign-group-analytics-master', { campaign_id })).body.data;
const ended = (id: string) =>
  until(
    () => resultsOf(id),
    ({ campaign }) => campaign.status.startsWith('completed'),
  );
const messagesOf = async (index: number): Promise<Message[]> =>
  (
    await alice.call<{ messages: Message[] }>('sandbox/list-messages', {
      group_metadata_id: groups[index],
      limit: 100,
    })
  ).body.data.messages;
const lastTexts = () => Promise.all(groups.map(async (_, index) => (await messagesOf(index)).at(-1)?.text));
const problemsOf = (answer: { body: { details?: Array<{ field: string; issue: string }> } }) =>
  answer.body.details?.map(({ field, issue }) => `${field} ${issue}`) ?? [];
const read = async (campaign_id: string, more: object = {}) =>
  (await alice.call<Record<string, unknown>>('venom/get-campaign', { campaign_id, ...more })).body.data;

describe('a campaign with translations', () => {
  test('is found by the words of each of its languages', async () => {
    await speak('de', 'pt', null);
    const id = await schedule();
    await schedule(later({ html: 'Hallo', translations: [] }));
    const found = async (search: string) =>
      (
        await alice.call<{ campaigns: Array<{ campaign_id: string }> }>('venom/list-campaigns', { search })
      ).body.data.campaigns.map(({ campaign_id }) => campaign_id);
    for (const words of ['hello', 'hallo alle', 'ola', 'hello pessoal'])
      expect(await found(words), words).toEqual([id]);
    expect(await found('bonjour')).toEqual([]);
  });

  test('says to each group what its language says, and the main text to the others', async () => {
    await speak('de-AT', 'pt-BR', null);
    const id = await send();
    expect(await lastTexts()).toEqual(['*Hallo* alle', 'Olá pessoal', 'Hello all']);
    expect(await read(id)).toMatchObject({
      html: 'Hello all',
      text: 'Hello all',
      translations: [
        { language: 'de', html: '<b>Hallo</b> alle' },
        { language: 'pt-BR', html: 'Olá pessoal' },
      ],
    });
    expect(await read(id)).not.toHaveProperty('with_fields');
    const of = async (index: number) => (await read(id, { group_metadata_id: groups[index] }))['in_group'];
    expect(await of(0)).toMatchObject({ text: '*Hallo* alle', language: 'de', values: {} });
    expect(await of(2)).toMatchObject({ text: 'Hello all', values: {} });
    expect(await of(2)).not.toHaveProperty('language');
  });

  test('takes texts as typed on a phone, and leaves braces as they are without fields', async () => {
    await speak('de', 'pt', 'en');
    await send(
      post({
        html: undefined,
        text: 'Hi *{{ host }}*',
        translations: [{ language: 'de', text: '> Hallo *{{ host }}*' }],
      }),
    );
    expect(await lastTexts()).toEqual(['> Hallo *{{ host }}*', 'Hi *{{ host }}*', 'Hi *{{ host }}*']);
  });

  test('goes by the first field of the kind language, also of a field that is called language', async () => {
    await give('language', ['klingon', 'x', 'y']);
    await give('Tongue', ['de', 'pt', null], 'language');
    await give('Second', ['pt', 'pt', 'pt'], 'language');
    await send(
      post({
        html: 'In {{ language }}',
        with_fields: true,
        translations: [{ language: 'de', html: 'Auf {{ language }}' }],
      }),
    );
    expect(await lastTexts()).toEqual(['Auf klingon', 'In x', 'In y']);
  });

  test('needs of a group only the values of the text that it gets', async () => {
    await speak('de', 'pt', null);
    await give('Host', ['Ana', null, null]);
    await give('Room', [null, 'R2', null]);
    const said = {
      with_fields: true,
      translations: [
        { language: 'de', html: 'Frag {{ host }}' },
        { language: 'pt', html: 'Sala {{ room }}' },
      ],
    };
    await send(post(said));
    expect(await lastTexts()).toEqual(['Frag Ana', 'Sala R2', 'Hello all']);
    await speak('de', 'de', 'pt');
    const refused = await add(post(said));
    expect(refused.status).toBe(400);
    expect(problemsOf(refused)).toEqual([
      expect.stringMatching(/^group_metadata_ids has groups without a value for host: [^,]+$/),
      expect.stringMatching(/^group_metadata_ids has groups without a value for room: [^,]+$/),
    ]);
    const id = await send(post({ ...said, on_missing_value: 'leave_out' }));
    expect((await resultsOf(id)).groups.map(({ sent, cancelled }) => [sent, cancelled])).toEqual([
      [1, 0],
      [0, 1],
      [0, 1],
    ]);
    await speak('de', 'pt', null);
    const planned = await schedule(later(said));
    await speak('pt', 'pt', null);
    await app.database.clock.set('2031-06-03T09:00:01Z');
    const { groups: rows } = await ended(planned);
    expect(rows.map(({ sent, failed }) => [sent, failed])).toEqual([
      [0, 1],
      [1, 0],
      [1, 0],
    ]);
    expect(rows[0]?.last_error).toMatch(/^The group has no value for room/);
  });

  test('is fixed as its run begins: a retry and corrections go by the language of then', async () => {
    await speak('de', 'pt', null);
    await alice.call('sandbox/simulate-incident', { action: 'demote', group_metadata_id: groups[1] });
    const id = await send();
    expect((await resultsOf(id)).groups.map(({ sent }) => sent)).toEqual([1, 0, 1]);
    await speak('pt', 'de', 'de');
    await alice.call('sandbox/simulate-incident', { action: 'restore' });
    expect((await alice.call('venom/retry-campaign', { campaign_id: id })).status).toBe(200);
    await untilCompleted(alice.call, id);
    expect(await lastTexts()).toEqual(['*Hallo* alle', 'Olá pessoal', 'Hello all']);
    const corrected = async (more: object, texts: string[]) => {
      const answer = await alice.call('venom/correct-campaign', { campaign_id: id, ...more });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      await until(lastTexts, (now) => JSON.stringify(now) === JSON.stringify(texts));
    };
    const left = await alice.call('venom/correct-campaign', { campaign_id: id, html: 'Hello again' });
    expect(problemsOf(left)).toEqual([expect.stringMatching(/^translations is required/)]);
    const german = { language: 'de', html: 'Hallo nochmal' };
    await corrected({ html: 'Hello again', translations: [german] }, ['Hallo nochmal', 'Hello again', 'Hello again']);
    expect((await read(id, { group_metadata_id: groups[0] }))['in_group']).toMatchObject({ language: 'de' });
    await corrected({ html: 'For all', translations: [] }, ['For all', 'For all', 'For all']);
    expect(await read(id)).not.toHaveProperty('translations');
    // Its first text had no translations any more: the language is read, and kept.
    await corrected({ html: 'Last', translations: [{ language: 'pt', html: 'Último' }] }, ['Last', 'Último', 'Last']);
  });

  test('that was sent without translations reads the languages with the correction that brings them in, and keeps them', async () => {
    await speak('de', 'pt', null);
    const id = await send(post({ translations: undefined }));
    const correct = (html: string) =>
      alice.call('venom/correct-campaign', { campaign_id: id, html, translations: [GERMAN] });
    await correct('Hello 1');
    await until(lastTexts, (texts) => texts.join() === '*Hallo* alle,Hello 1,Hello 1');
    await speak('pt', 'de', 'de');
    await correct('Hello 2');
    await until(lastTexts, (texts) => texts.join().endsWith('Hello 2'));
    expect(await lastTexts()).toEqual(['*Hallo* alle', 'Hello 2', 'Hello 2']);
  });

  test('keeps fields of captions in a correction that leaves the fields of its text', async () => {
    await speak('de', 'pt', null);
    await give('Host', ['Ana', 'Bo', 'Cy']);
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n');
    const { media_id } = (await upload(app.url, alice.token, pdf, { name: 'a.pdf' })).body.data;
    const media = [{ media_id }, { media_id, caption: 'By {{ host }}' }];
    const id = await send(post({ media, html: '{{ host }}', with_fields: true, translations: [] }));
    const body = {
      campaign_id: id,
      html: '{{ x }}',
      with_fields: false,
      translations: [{ language: 'de', html: 'De {{ x }}' }],
    };
    expect((await alice.call('venom/correct-campaign', body)).status).toBe(200);
    await until(lastTexts, (texts) => texts[0] === 'De {{ x }}');
    expect((await messagesOf(0)).at(-1)?.files?.[1]?.caption).toBe('By Ana');
  });

  test('writes captions of files, goes without a card of another link, and mentions everybody', async () => {
    await speak('de', 'pt', null);
    const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n').toString('base64');
    await send(post({ image: pdf, mention_all: true }));
    expect(await lastTexts()).toEqual(['@all\n*Hallo* alle', '@all\nOlá pessoal', '@all\nHello all']);
    const german = { language: 'de', html: 'Siehe https://example.org/de' };
    await send(
      post({
        html: 'See https://example.org/en',
        translations: [german],
        link_preview: { url: 'https://example.org/en', title: 'Fair' },
      }),
    );
    const cards = await Promise.all(
      groups.map(async (_, index) => (await messagesOf(index)).at(-1)?.link_preview?.url),
    );
    expect(cards).toEqual([undefined, 'https://example.org/en', 'https://example.org/en']);
  });

  test('takes the language of each run', async () => {
    await speak('de', 'pt', null);
    const id = await schedule(later({ end_date: '2031-06-04' }));
    await app.database.clock.set('2031-06-03T09:00:01Z');
    await until(async () => (await messagesOf(2)).length, 1);
    expect(await lastTexts()).toEqual(['*Hallo* alle', 'Olá pessoal', 'Hello all']);
    await speak('pt', 'pt', 'de');
    await app.database.clock.set('2031-06-04T09:00:01Z');
    await untilCompleted(alice.call, id);
    expect(await lastTexts()).toEqual(['Olá pessoal', 'Olá pessoal', '*Hallo* alle']);
  });
});

describe('before it is sent', () => {
  interface Warning {
    code: string;
    message: string;
    params?: Record<string, unknown>;
  }
  const check = async (more: object = {}) =>
    (
      await alice.call<{
        warnings: Warning[];
        fields?: object;
        groups: { problems: Array<{ code: string; group_metadata_id: number }> };
      }>('venom/check-campaign', { ...post(), is_schedule: false, ...more })
    ).body.data;

  test('a check says how many groups get the main text, and which texts nobody gets; so does adding it', async () => {
    await speak('de', 'fr', null);
    const found = await check();
    expect(found.fields).toBeUndefined();
    expect(found.warnings).toEqual(
      expect.arrayContaining([
        {
          code: 'main_text_groups',
          message: '2 of 3 groups get the main text: no translation is for their language (no language: 1, fr: 1)',
          params: { groups: 2, of: 3, names: 'no language: 1, fr: 1' },
        },
        {
          code: 'translations_unused',
          message: 'No group gets the translation in pt-BR: set-group-fields sets the languages of groups',
          params: { languages: 'pt-BR' },
        },
      ]),
    );
    const answer = await add();
    expect(answer.headers.get('x-campanile-warnings')).toContain('2 of 3 groups get the main text');
    expect(answer.headers.get('x-campanile-warnings')).toContain('No group gets the translation in pt-BR');
    await speak('de', 'de', 'pt-BR');
    const codes = (await check()).warnings.map(({ code }) => code);
    expect(codes).not.toContain('main_text_groups');
    expect(codes).not.toContain('translations_unused');
  });

  test('a workspace without languages is told that nobody gets a translation', async () => {
    expect(
      (await check()).warnings.map(({ code, params }) => [code, params?.['languages'] ?? params?.['groups']]),
    ).toEqual(
      expect.arrayContaining([
        ['main_text_groups', 3],
        ['translations_unused', 'de, pt-BR'],
      ]),
    );
  });

  test('a group is said to get the same text again if that in its language is the same', async () => {
    await speak('de', 'pt', null);
    const { translations } = post();
    await schedule(later());
    await schedule(later({ html: 'Only one', translations: [] }));
    const repeats = async (more: object) =>
      (await check(later(more))).groups.problems
        .filter(({ code }) => code === 'same_text')
        .map(({ group_metadata_id: id }) => groups.indexOf(id));
    expect(await repeats({})).toEqual([0, 1, 2]);
    expect(await repeats({ translations: [{ ...GERMAN, html: 'Guten Tag' }, PORTUGUESE] })).toEqual([1, 2]);
    expect(await repeats({ translations: [PORTUGUESE] })).toEqual([1, 2]);
    expect(await repeats({ html: 'Only one', translations })).toEqual([2]);
    expect(await repeats({ html: 'Only one', translations: [] })).toEqual([0, 1, 2]);
  });

  test('each text is warned of by its language', async () => {
    await speak('de', 'pt', null);
    const { warnings } = await check({
      translations: [{ language: 'de', html: '{{ host }} kommt am 30.05.2031 um 9:30' }],
    });
    const german = warnings.filter(({ params }) => params?.['language'] === 'de').map(({ code }) => code);
    expect(german.toSorted()).toEqual(['date_passed', 'placeholder_left']);
    expect(warnings.find(({ code }) => code === 'placeholder_left')?.message).toMatch(/^Text in de: /);
  });

  test('a preview shows each text with its length, and for a group that of its language', async () => {
    await speak('de', 'pt', null);
    const preview = async (more: object = {}) =>
      (
        await alice.call('venom/preview-campaign', {
          html: 'Hello all',
          translations: [GERMAN, { language: 'pt', html: 'Olá https://example.org' }],
          ...more,
        })
      ).body.data;
    expect(await preview()).toMatchObject({
      text: 'Hello all',
      translations: [
        { language: 'de', text: '*Hallo* alle', length: 12 },
        { language: 'pt', text: 'Olá https://example.org' },
      ],
    });
    expect(await preview({ group_metadata_id: groups[0] })).toMatchObject({ text: '*Hallo* alle', language: 'de' });
    expect(await preview({ group_metadata_id: groups[2] })).toMatchObject({ text: 'Hello all' });
    expect(await preview({ group_metadata_id: groups[2] })).not.toHaveProperty('language');
  });
});

describe('rejects', () => {
  const text = (language: unknown, html: unknown = 'x') => ({ language, html });
  test.each([
    ['no language', [text('')], 'translations.0.language'],
    ['a word that is no language', [text('de'), text('Klingonisch?')], 'translations.1.language must be a language'],
    [
      'a language twice, however it is named',
      [text('pt-br'), text('Portuguese'), text('pt_BR')],
      'translations.2.language is the language of another translation',
    ],
    ['an empty text', [text('de', '<p> </p>')], 'translations.0.html must not be blank'],
    [
      'tags that are not allowed',
      [text('de', '<table></table>')],
      'translations.0.html has tags that are not allowed: <table>',
    ],
    [
      'a text that is too long',
      [text('de', 'x'.repeat(65_537))],
      'translations.0.html is longer than the 65536 characters',
    ],
    [
      'texts that are too long in all',
      Array.from(['de', 'fr', 'es', 'it', 'pt'], (one) => text(one, 'x'.repeat(60_000))),
      'translations must have at most 262,144 characters of html in all',
    ],
    ['more than twenty', Array.from({ length: 21 }, () => text('de')), 'translations must have at most 20 entries'],
    ['no text', [{ language: 'de' }], 'translations.0.html is required'],
    ['half a character', [text('de', '\ud83d')], 'translations.0.html must not contain half a surrogate pair'],
    ['another type', 'de', 'translations must be a list'],
  ])('%s', async (_, translations, problem) => {
    const answer = await add(post({ translations }));
    expect(answer.status).toBe(400);
    expect(problemsOf(answer).join('\n')).toContain(problem);
  });

  test('a poll, an unknown field, and a mention for which there is no room', async () => {
    await speak('de', 'pt', null);
    const poll = { question: 'Who?', options: ['a', 'b'] };
    expect(problemsOf(await add(post({ html: '', poll })))).toEqual([
      'translations must not be together with poll or event, which have no text',
    ]);
    const unknown = { with_fields: true, translations: [{ language: 'de', html: '{{ nobody }}' }] };
    expect(problemsOf(await add(post(unknown)))).toEqual([
      'with_fields has fields that the workspace does not have: nobody',
    ]);
    const long = { mention_all: true, translations: [{ language: 'fr', html: 'x'.repeat(65_533) }] };
    expect(problemsOf(await add(post(long)))).toEqual([
      'translations.0.html is longer than 65536 characters with @all before it',
    ]);
  });
});

describe('a change', () => {
  test('of the text comes with its translations; what is not sent stays', async () => {
    await speak('de', 'pt', null);
    const id = await schedule();
    const update = async (more: object) => alice.call('venom/update-campaign', { campaign_id: id, ...more });
    expect(problemsOf(await update({ html: 'Hello there' }))).toEqual([
      expect.stringMatching(/^translations is required/),
    ]);
    expect((await update({ schedule_time: '10:00:00' })).status).toBe(200);
    expect(await read(id)).toMatchObject({ translations: [{ language: 'de' }, { language: 'pt-BR' }] });
    expect((await update({ with_fields: true })).status).toBe(200);
    expect(await read(id)).toMatchObject({
      with_fields: true,
      translations: [{ language: 'de' }, { language: 'pt-BR' }],
    });
    expect((await update({ with_fields: false })).status).toBe(200);
    expect((await update({ translations: [{ language: 'de', html: 'Guten Tag' }] })).status).toBe(200);
    expect(await read(id)).toMatchObject({ html: 'Hello all', translations: [{ language: 'de', html: 'Guten Tag' }] });
    expect((await update({ html: 'Hello all', schedule_time: '10:00:00' })).status).toBe(200);
    expect(await read(id)).toMatchObject({ translations: [{ language: 'de', html: 'Guten Tag' }] });
    const audit = await alice.call<{ entries: Array<{ changes: Array<{ field: string; after: string }> }> }>(
      'user/list_audit_log',
    );
    expect(JSON.stringify(audit.body.data.entries)).toContain('Guten Tag');
    const poll = { html: '', poll: { question: 'Who?', options: ['a', 'b'] } };
    expect((await update(poll)).status).toBe(400);
    expect((await update({ html: 'Hello there', translations: [] })).status).toBe(200);
    expect(await read(id)).not.toHaveProperty('translations');
    await app.database.clock.set('2031-06-03T10:00:01Z');
    await untilCompleted(alice.call, id);
    expect(await lastTexts()).toEqual(['Hello there', 'Hello there', 'Hello there']);
    expect(
      await readValue<number>(db)`select count(*)::int from delivery_values where workspace_id = ${workspaceId}`,
    ).toBe(0);
  });

  test('copies, drafts and templates have them, and a row of a plan those of its template', async () => {
    await speak('de', 'pt', null);
    const id = await schedule();
    const translations = [
      { language: 'de', html: '<b>Hallo</b> alle' },
      { language: 'pt-BR', html: 'Olá pessoal' },
    ];
    expect((await alice.call('venom/duplicate-campaign', { campaign_id: id })).body.data).toMatchObject({
      translations,
    });
    const draft_id = randomUUID();
    const unfinished = [{ language: 'de', html: '' }];
    const saved = await alice.call('venom/save-draft', { draft_id, version: 0, html: 'x', translations: unfinished });
    expect(saved.status, JSON.stringify(saved.body)).toBe(200);
    expect((await alice.call('venom/list-drafts', { draft_id })).body.data).toMatchObject({
      drafts: [{ content: { translations: unfinished } }],
    });
    const template = { template_id: randomUUID(), name: 'Both', group_metadata_ids: groups, html: 'Hello all' };
    const save = (more: object) => alice.call('venom/save-template', { ...template, ...more });
    expect((await save({ version: 0, translations })).status).toBe(200);
    const row = { key: 'a', date: '2031-06-09', time: '09:00', template: 'Both' };
    const imported = async (rows: object[]) =>
      (
        await alice.call<{ rows: Array<{ state: string; changes?: string[]; campaign_id: string }> }>(
          'venom/import-plan',
          {
            plan: 'June',
            dry_run: false,
            rows,
            time_zone: 'UTC',
          },
        )
      ).body.data.rows;
    const [planned] = await imported([row]);
    expect(planned).toMatchObject({ state: 'new' });
    expect(await read(planned?.campaign_id ?? '')).toMatchObject({ translations });
    expect(await imported([row])).toMatchObject([{ state: 'unchanged' }]);
    expect((await save({ version: 1, translations: [translations[0]] })).status).toBe(200);
    expect(await imported([row])).toMatchObject([{ state: 'changed', changes: ['text', 'template'] }]);
    expect(await imported([{ ...row, text: 'Own' }])).toMatchObject([{ state: 'changed', changes: ['text'] }]);
    expect(await read(planned?.campaign_id ?? '')).not.toHaveProperty('translations');
  });

  test('an approval binds the texts and the languages of the groups, and shows what differs', async () => {
    const team = await createTeam(app, `team-${randomUUID().slice(0, 8)}`);
    const as = <Data>(who: 'owner' | 'author' | 'manager', path: string, body: object = {}) =>
      callIn<Data>(app, team.members[who], team.workspaceId, path, body);
    await as('owner', 'workspace/set-approval-rules', { approval: 'authors', over_groups: 0, approvers: 1 });
    const listed = await as<{ groups: Array<{ group_metadata_id: number }> }>('owner', 'venom/list-groups');
    const [group] = listed.body.data.groups.map(({ group_metadata_id }) => group_metadata_id);
    await as('owner', 'venom/set-fields', { fields: [{ name: 'Language', kind: 'language' }] });
    const give = (value: string) =>
      as('owner', 'venom/set-group-fields', { groups: [{ group_metadata_id: group, fields: { Language: value } }] });
    await give('de');
    const approval_id = randomUUID();
    const asked = (html: string) =>
      as<{ sha256: string }>('author', 'venom/request-approval', {
        ...post({ group_metadata_ids: [group], translations: [{ language: 'de', html }] }),
        approval_id,
        is_schedule: false,
      });
    const first = await asked('Hallo alle');
    expect(first.status, JSON.stringify(first.body)).toBe(200);
    const decide = (decision: string, sha256: string) =>
      as('manager', 'venom/decide-approval', { approval_id, decision, sha256, remark: 'x' });
    await give('pt');
    expect((await decide('approve', first.body.data.sha256)).body).toMatchObject({ error_code: 'approval_changed' });
    expect((await decide('request_changes', first.body.data.sha256)).status).toBe(200);
    const second = await asked('Hallo zusammen');
    expect(second.body.data.sha256).not.toBe(first.body.data.sha256);
    const shown = await as<{ difference: { fields: Array<{ field: string }> }; post: object }>(
      'manager',
      'venom/get-approval',
      { approval_id },
    );
    expect(shown.body.data.post).toMatchObject({ translations: [{ language: 'de', html: 'Hallo zusammen' }] });
    expect(shown.body.data.difference.fields.map(({ field }) => field)).toContain('translations');
    expect((await decide('approve', second.body.data.sha256)).status).toBe(200);
  });
});
