/** Templates: posts that are saved to begin others with (contract §4). */
import { randomUUID } from 'node:crypto';
import { execute, readCount } from '../../../src/platform/database/statements.ts';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { groupsOf, untilCompleted, useTestApp, type Call, type Person } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { readZip } from '../../support/read-zip.ts';
import { createTeam, inWorkspace, join } from '../../support/team.ts';

type Body = Record<string, unknown>;
interface Template {
  template_id: string;
  name: string;
  version: number;
  html_start: string;
  begun_by: { user_id: number; user_name: string | null };
  changed_by: { user_id: number; user_name: string | null };
  uses: { campaigns: number; last_sent_at: string | null; read_rate: number | null };
  content?: Body & { media: Array<{ media_id: number }> | null; group_metadata_ids: number[] };
  files?: Array<{ media_id: number; mime: string }>;
  groups?: Array<{ group_metadata_id: number; group_name: string }>;
  group_list_ids?: number[];
}

const app = await useTestApp({ sandboxSpeed: 0 });
await app.database.clock.set('2031-05-31T12:00:00Z');
const team = await createTeam(app, 'parish');
const as = (role: 'owner' | 'manager' | 'author' | 'analyst') => inWorkspace(app, team.members[role], team.workspaceId);
const [owner, manager, author, analyst] = [as('owner'), as('manager'), as('author'), as('analyst')];
const mallory = await app.signUp('mallory');
const groups = await groupsOf({ call: owner });
const { db } = app.database;
beforeEach(async () => {
  await execute(db)`delete from drafts`;
});

const save = (call: Call, body: object) => call<{ version: number }>('venom/save-template', body);
const list = async (call: Call, body: object = {}) =>
  (await call<{ templates: Template[] }>('venom/list-templates', body)).body.data.templates;
const one = async (call: Call, template_id: string): Promise<Template> => {
  const [found] = await list(call, { template_id });
  if (!found) throw new Error('no such template');
  return found;
};
const FAIR = { name: 'Fair', html: '<p>We open at <b>nine</b></p>' };

async function saved(call: Call, fields: object = {}): Promise<string> {
  const template_id = randomUUID();
  const answer = await save(call, { template_id, version: 0, ...FAIR, ...fields });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return template_id;
}

/** Sends the content as it is, and is strict about it. */
async function send(person: Pick<Person, 'token'>, content: Body): Promise<string> {
  const path = content['is_schedule'] === true ? 'add-campaign-batch' : 'add-campaign';
  const response = await fetch(`${app.url}/api/v1/venom/${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${person.token}`,
      'x-workspace': team.workspaceId,
      prefer: 'handling=strict',
    },
    body: JSON.stringify(content),
  });
  const body = (await response.json()) as { data: { campaign_id?: string } };
  expect(response.status, JSON.stringify(body)).toBe(200);
  return response.headers.get('x-campaign-id') ?? body.data.campaign_id ?? '';
}

describe('a template', () => {
  test('is seen by all roles of its workspace, and by nobody else', async () => {
    const id = await saved(author, { html: '<p>Hello</p>' });
    const shown = { template_id: id, name: 'Fair', version: 1, html_start: '<p>Hello</p>' };
    for (const call of [owner, manager, author, analyst]) expect(await list(call)).toMatchObject([shown]);
    expect(await list(mallory.call)).toEqual([]);
    expect(await mallory.call('venom/list-templates', { template_id: id })).toMatchObject({
      status: 404,
      body: { error_code: 'template_not_found' },
    });
    expect((await save(analyst, { template_id: randomUUID(), version: 0, ...FAIR })).status).toBe(403);
  });

  test('and a draft are apart: lists, ids and limits', async () => {
    const template_id = await saved(owner);
    const draft_id = randomUUID();
    await owner('venom/save-draft', { draft_id, version: 0, name: 'Draft' });
    expect((await owner<{ drafts: object[] }>('venom/list-drafts')).body.data.drafts).toMatchObject([{ draft_id }]);
    expect(await list(owner)).toMatchObject([{ template_id }]);
    const crossed = [
      await owner('venom/list-drafts', { draft_id: template_id }),
      await owner('venom/list-templates', { template_id: draft_id }),
      await owner('venom/save-draft', { draft_id: template_id, version: 1 }),
      await owner('venom/save-draft', { draft_id: template_id, version: 0 }),
      await save(owner, { template_id: draft_id, version: 1, ...FAIR }),
      await owner('venom/delete-draft', { draft_id: template_id }),
      await owner('venom/delete-template', { template_id: draft_id }),
    ];
    expect(crossed.map(({ status }) => status)).toEqual(crossed.map(() => 404));
    expect(await list(owner)).toMatchObject([{ template_id, version: 1 }]);
  });

  test('gives its content as a draft and both ways to send take it', async () => {
    const plan = { is_schedule: true, start_date: '2031-06-02', end_date: '2031-06-04', schedule_time: '09:00:00' };
    const post = { mention_all: true, pin_for: '7d', group_metadata_ids: [groups[1], groups[0]], desc: 'ignored' };
    const now = await one(author, await saved(author, post));
    expect(now.content).toMatchObject({ ...FAIR, mention_all: true, pin_for: '7d', from_template: now.template_id });
    expect(now.content?.group_metadata_ids).toEqual([groups[1], groups[0]]);
    await send(team.members.owner, { ...now.content });
    const planned = await one(author, await saved(author, { ...post, ...plan, mention_all: false }));
    const campaign_id = await send(team.members.owner, { ...planned.content });
    const copy = (await owner<Body>('venom/duplicate-campaign', { campaign_id })).body.data;
    expect(copy).toMatchObject({ ...plan, ...FAIR, pin_for: '7d', from_template: planned.template_id });
    const draft_id = randomUUID();
    const begun = await author('venom/save-draft', { draft_id, version: 0, ...planned.content });
    expect(begun.status, JSON.stringify(begun.body)).toBe(200);
    const { drafts } = (await author<{ drafts: Array<{ content: Body }> }>('venom/list-drafts', { draft_id })).body
      .data;
    expect(drafts[0]?.content).toMatchObject({ html: FAIR.html, ...plan, from_template: planned.template_id });
  });

  test('takes a copy of a campaign that was sent, its file too', async () => {
    const sent = { ...FAIR, image: PNG.toString('base64'), file_name: 'Plan', group_metadata_ids: groups };
    const { campaign_id } = (await owner<{ campaign_id: string }>('venom/add-campaign', sent)).body.data;
    const copy = (await owner<Body>('venom/duplicate-campaign', { campaign_id })).body.data;
    const template = await one(owner, await saved(author, copy));
    expect(template.files).toMatchObject([{ mime: 'image/png', file_name: 'Plan' }]);
    const again = await send(team.members.owner, { ...template.content });
    const campaign = (await owner<Body>('venom/get-campaign', { campaign_id: again })).body.data;
    expect(campaign).toMatchObject({ files: [{ mime: 'image/png', file_name: 'Plan' }] });
  });

  test('with fields of groups says what each group has by the time of the post that begins with it', async () => {
    const fields = (value: string) =>
      groups.map((group_metadata_id) => ({ group_metadata_id, fields: { host: value } }));
    await owner('venom/set-fields', { fields: [{ name: 'host' }] });
    await owner('venom/set-group-fields', { groups: fields('Ana') });
    const content = { html: 'Ask {{ host }}', with_fields: true, on_missing_value: 'leave_out' };
    const template = await one(author, await saved(author, { ...content, group_metadata_ids: groups }));
    expect(template.content).toMatchObject(content);
    await owner('venom/set-group-fields', { groups: fields('Bo') });
    const campaign_id = await send(team.members.owner, { ...template.content });
    expect((await owner<Body>('venom/get-campaign', { campaign_id })).body.data).toMatchObject(content);
    await untilCompleted(owner, campaign_id);
    const { messages } = (
      await owner<{ messages: Array<{ text: string }> }>('sandbox/list-messages', { group_metadata_id: groups[0] })
    ).body.data;
    expect(messages.at(-1)?.text).toBe('Ask Bo');
  });

  test('with a poll or an event is kept unfinished, too', async () => {
    const id = await saved(author, { html: '', poll: { question: 'When?', options: ['Saturday'] } });
    expect((await one(author, id)).content?.['poll']).toMatchObject({ question: 'When?', options: ['Saturday'] });
  });

  test.each(['', ' ', '\u200B\u202E', 'x'.repeat(201)])('cannot be called %j', async (name) => {
    const answer = await save(owner, { template_id: randomUUID(), version: 0, ...FAIR, name });
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'name' }] } });
    expect(await list(owner)).toEqual([]);
  });

  test.each(['<script>alert(1)</script>', "'; drop table drafts; --", '__proto__', '🎪'.repeat(100)])(
    'may be called %j',
    async (name) => {
      const id = await saved(owner, { name });
      expect(await list(owner)).toMatchObject([{ template_id: id, name }]);
    },
  );

  test('whose schedule is over moves ahead by whole weeks; one that no campaign takes stays as it is', async () => {
    const over = { is_schedule: true, start_date: '2031-05-05', end_date: '2031-05-06', schedule_time: '09:00:00' };
    const { content } = await one(owner, await saved(owner, { ...over, skip_dates: ['2031-05-06', 'tomorrow'] }));
    expect(content).toMatchObject({ start_date: '2031-06-02', end_date: '2031-06-03', skip_dates: ['2031-06-03'] });
    // As the editor of the dashboard saves a single day.
    const day = await saved(owner, { ...over, end_date: null, schedule_time: '09:00' });
    expect((await one(owner, day)).content).toMatchObject({ start_date: '2031-06-02', end_date: '2031-06-02' });
    for (const wrong of [
      { ...over, start_date: '0001-01-01', end_date: '9999-12-31' },
      { ...over, start_date: 'soon' },
      { ...over, schedule_time: '25:00' },
    ])
      expect((await one(owner, await saved(owner, wrong))).content).toMatchObject(wrong);
  });
});

describe('who may change a template', () => {
  const change = (call: Call, template_id: string, version: number) =>
    save(call, { template_id, version, ...FAIR, html: `by ${version}` });

  test('an author those that they have begun, a manager all', async () => {
    const [own, others] = [await saved(author), await saved(manager)];
    expect((await change(author, own, 1)).status).toBe(200);
    expect(await change(author, others, 1)).toMatchObject({ status: 403, body: { error_code: 'role_missing' } });
    expect((await author('venom/delete-template', { template_id: others })).status).toBe(403);
    expect((await change(manager, own, 2)).status).toBe(200);
    expect(await one(analyst, own)).toMatchObject({
      version: 3,
      begun_by: { user_name: 'parish-author' },
      changed_by: { user_name: 'parish-manager' },
    });
    // It stays the author's own.
    expect((await change(author, own, 3)).status).toBe(200);
    expect((await author('venom/delete-template', { template_id: own })).status).toBe(200);
    expect((await manager('venom/delete-template', { template_id: others })).status).toBe(200);
    expect(await list(owner)).toEqual([]);
  });

  test('the second of two who saved the same version is told, and the first stays', async () => {
    const id = await saved(author);
    const answers = await Promise.all([
      change(author, id, 1),
      save(manager, { template_id: id, version: 1, ...FAIR, html: 'other' }),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({
      error_code: 'template_changed',
      details: [{ field: 'version', code: 'stale_version' }],
    });
    expect(await one(owner, id)).toMatchObject({ version: 2 });
  });

  test('saved again as it is, it keeps its version and who changed it', async () => {
    const id = await saved(author);
    expect((await save(manager, { template_id: id, version: 1, ...FAIR })).body.data.version).toBe(1);
    expect(await one(owner, id)).toMatchObject({ version: 1, changed_by: { user_name: 'parish-author' } });
  });

  test('tells its own groups from those of its lists', async () => {
    const list = { name: 'Others', group_metadata_ids: groups.slice(1) };
    const { group_list_id } = (await manager<{ group_list_id: number }>('venom/save-group-list', list)).body.data;
    const id = await saved(author, { group_metadata_ids: groups.slice(0, 1), group_list_ids: [group_list_id] });
    expect(await one(owner, id)).toMatchObject({
      own_group_metadata_ids: groups.slice(0, 1),
      group_list_ids: [group_list_id],
      content: { group_metadata_ids: groups.slice(0, 1), group_list_ids: [group_list_id] },
    });
  });

  test('the same save a hundred times is one, and the audit log names who and what', async () => {
    const template_id = randomUUID();
    const body = { template_id, version: 0, ...FAIR };
    const answers = await Promise.all(Array.from({ length: 100 }, () => save(author, body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await readCount(db)`select count(*) from drafts`).toBe(1);
    await save(manager, { ...body, version: 1, html: 'We close' });
    const { entries } = (
      await owner<{
        entries: Array<{ subject: string; action: string; user_name: string; draft_name?: string; changes?: object[] }>;
      }>('user/list_audit_log', { kind: 'templates' })
    ).body.data;
    expect(entries.filter(({ subject }) => subject === template_id)).toMatchObject([
      {
        action: 'template.changed',
        user_name: 'parish-manager',
        draft_name: 'Fair',
        changes: [{ field: 'html', before: FAIR.html, after: 'We close' }],
      },
      { action: 'template.created', user_name: 'parish-author', draft_name: 'Fair' },
    ]);
  });

  test('one of a member who was removed is the managers’, and names nobody', async () => {
    const guest = await app.signUp('guest');
    await join(app, { owner: team.members.owner, workspaceId: team.workspaceId, role: 'author' }, guest);
    const id = await saved(inWorkspace(app, guest, team.workspaceId));
    await owner('workspace/remove-member', { user_id: guest.userId });
    const nobody = { user_id: guest.userId, user_name: null, name: null };
    expect(await one(author, id)).toMatchObject({ begun_by: nobody, changed_by: nobody });
    expect((await change(author, id, 1)).status).toBe(403);
    expect((await change(manager, id, 1)).status).toBe(200);
  });

  test('a workspace has 100, and the 101st is refused with a sentence', async () => {
    for (let saves = 0; saves < 100; saves += 1) await saved(owner);
    const answer = await save(author, { template_id: randomUUID(), version: 0, ...FAIR });
    expect(answer).toMatchObject({ status: 409, body: { error_code: 'template_limit_reached' } });
    expect(answer.body).toMatchObject({ message: 'You have reached the limit of 100 templates. Delete one first.' });
    expect((await owner('venom/save-draft', { draft_id: randomUUID(), version: 0 })).status).toBe(200);
  });
});

describe('the groups and lists of a template', () => {
  const saveList = async (ids: unknown[], group_list_id?: number) =>
    (
      await owner<{ group_list_id: number }>('venom/save-group-list', {
        name: 'Village',
        group_metadata_ids: ids,
        group_list_id,
      })
    ).body.data.group_list_id;

  test('are those of a post that begins with it, which stays one to the lists', async () => {
    const village = await saveList([groups[0]]);
    const id = await saved(author, { group_metadata_ids: [groups[2]], group_list_ids: [village, village] });
    const { content, ...template } = await one(author, id);
    expect(content).toMatchObject({ group_metadata_ids: [groups[2]], group_list_ids: [village] });
    expect(template.groups).toMatchObject([groups[2], groups[0]].map((group_metadata_id) => ({ group_metadata_id })));
    await saveList([groups[1], groups[2]], village);
    const now = await one(author, id);
    expect(now.groups).toMatchObject([groups[2], groups[1]].map((group_metadata_id) => ({ group_metadata_id })));
    expect(now.group_list_ids).toEqual([village]);
    await owner('venom/delete-group-list', { group_list_id: village });
    const without = await one(author, id);
    expect([without.group_list_ids, without.content?.group_metadata_ids]).toEqual([[], [groups[2]]]);
    await send(team.members.owner, { ...without.content });
  });

  test('are left out once they are gone, and back when they are', async () => {
    const id = await saved(author, { group_metadata_ids: groups });
    await execute(db)`update groups set removed_at = now() where group_id = ${groups[0]}`;
    expect((await one(author, id)).content?.group_metadata_ids).toEqual(groups.slice(1));
    await execute(db)`update groups set removed_at = null`;
    expect((await one(author, id)).content?.group_metadata_ids).toEqual(groups);
  });

  test('of another workspace are unknown', async () => {
    const theirs = await mallory.call<{ group_list_id: number }>('venom/save-group-list', {
      name: 'Theirs',
      group_metadata_ids: await groupsOf(mallory),
    });
    const { group_list_id } = theirs.body.data;
    const answer = await save(author, {
      template_id: randomUUID(),
      version: 0,
      ...FAIR,
      group_list_ids: [group_list_id],
    });
    expect(answer).toMatchObject({
      status: 404,
      body: { error_code: 'group_list_not_found', details: [{ field: 'group_list_ids' }] },
    });
  });
});

describe('the files of a template', () => {
  // No campaign has this picture.
  const picture = Buffer.concat([PNG, Buffer.from('of a template')]).toString('base64');
  const withFile = () => saved(author, { image: picture });

  test('are kept as long as it is, in use in the library, and dropped afterwards', async () => {
    const id = await withFile();
    const media_id = (await one(author, id)).content?.media?.[0]?.media_id;
    const dropOld = async () => {
      await execute(db)`update media set used_at = campanile_now() - interval '200 days'`;
      await dropUnusedMedia(db, 0);
      return (await owner<{ files: Array<Body> }>('media/list-media')).body.data.files.find(
        (file) => file['media_id'] === media_id,
      );
    };
    expect(await dropOld()).toMatchObject({ drafts: [], templates: [{ template_id: id, name: 'Fair' }] });
    expect(await owner('media/delete-media', { media_id })).toMatchObject({
      status: 409,
      body: { error_code: 'media_in_use' },
    });
    await author('venom/delete-template', { template_id: id });
    expect(await dropOld()).toBeUndefined();
  });

  test('come in one way', async () => {
    const { files } = await one(author, await withFile());
    const media = [{ media_id: files?.[0]?.media_id }];
    const both = { template_id: randomUUID(), version: 0, ...FAIR, image: picture, media };
    const answer = await save(author, both);
    expect(answer).toMatchObject({ status: 400, body: { details: [{ field: 'media', code: 'not_with_image' }] } });
  });

  test('go when it is saved without them', async () => {
    const id = await withFile();
    expect((await save(author, { template_id: id, version: 1, ...FAIR })).status).toBe(200);
    expect((await one(author, id)).files).toEqual([]);
  });
});

describe('the uses of a template', () => {
  const uses = async (id: string) => (await list(analyst)).find(({ template_id }) => template_id === id)?.uses;

  test('are the campaigns that began with it, with their reads', async () => {
    const id = await saved(author, { group_metadata_ids: groups });
    expect(await uses(id)).toEqual({ campaigns: 0, last_sent_at: null, read_rate: null });
    const { content } = await one(author, id);
    const campaign_id = await send(team.members.owner, { ...content });
    await untilCompleted(owner, campaign_id);
    await execute(db)`update runs set acknowledging = 10, read = 4, summed = expanded
                      where campaign_id = (select campaign_id from campaigns where public_id = ${campaign_id}::uuid)`;
    expect(await uses(id)).toEqual({ campaigns: 1, last_sent_at: expect.any(String), read_rate: 0.4 });
    // A planned one is a use that has not been sent; a test and one that was deleted are none.
    const plan = { is_schedule: true, start_date: '2031-07-01', end_date: '2031-07-01', schedule_time: '09:00:00' };
    const planned = await send(team.members.owner, { ...content, ...plan });
    await send(team.members.owner, { ...content, is_test: true });
    expect(await uses(id)).toMatchObject({ campaigns: 2, read_rate: 0.4 });
    await owner('venom/update-campaign', { campaign_id: planned, html: 'Changed' });
    expect(await uses(id)).toMatchObject({ campaigns: 2 });
    await owner('venom/cancel-campaign', { campaign_id: planned });
    await owner('venom/delete-campaign', { campaign_id: planned });
    expect(await uses(id)).toMatchObject({ campaigns: 1 });
  });

  test('of another workspace with the same id count there', async () => {
    const id = await saved(author);
    const theirs = await mallory.call('venom/add-campaign', {
      ...FAIR,
      group_metadata_ids: await groupsOf(mallory),
      from_template: id.toUpperCase(),
    });
    expect(theirs.status).toBe(200);
    expect(await uses(id)).toMatchObject({ campaigns: 0 });
    await save(mallory.call, { template_id: id, version: 0, ...FAIR });
    expect((await list(mallory.call))[0]?.uses).toMatchObject({ campaigns: 1 });
  });

  test('a post whose template was deleted is sent, changed and copied', async () => {
    const id = await saved(author, { group_metadata_ids: groups });
    const { content } = await one(author, id);
    await author('venom/delete-template', { template_id: id });
    const campaign_id = await send(team.members.owner, { ...content });
    const copy = (await owner<Body>('venom/duplicate-campaign', { campaign_id })).body.data;
    expect(copy).toMatchObject({ from_template: id });
    expect((await owner('venom/check-campaign', copy)).status).toBe(200);
  });
});

describe('an API key', () => {
  const keyOf = async (call: Call, scope: string) => {
    const answer = await call<{ key: string }>('user/create_api_key', { name: scope, scopes: [scope] });
    return { token: answer.body.data.key };
  };

  test('reads with `read`, saves with `write`, and sends what it read with `send`', async () => {
    const [reads, writes, sends] = [
      await keyOf(owner, 'read'),
      await keyOf(owner, 'write'),
      await keyOf(owner, 'send'),
    ];
    const [read, write] = [inWorkspace(app, reads, team.workspaceId), inWorkspace(app, writes, team.workspaceId)];
    const id = await saved(write, { group_metadata_ids: groups });
    expect((await save(read, { template_id: randomUUID(), version: 0, ...FAIR })).status).toBe(403);
    const { content } = await one(read, id);
    await send(sends, { ...content });
    expect((await one(read, id)).uses.campaigns).toBe(1);
  });
});

test('a person’s export has the templates that they alone have written', async () => {
  await saved(author, { name: 'Mine' });
  const shared = await saved(author, { name: 'Ours' });
  await save(manager, { template_id: shared, version: 1, name: 'Ours', html: 'both' });
  const response = await fetch(`${app.url}/api/v1/user/export_account`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${team.members.author.token}` },
    body: '{}',
  });
  const files = readZip(Buffer.from(await response.arrayBuffer()));
  const drafts = files.get('drafts.csv');
  expect(drafts).toContain('Mine');
  expect(drafts).not.toContain('Ours');
});
