import { createHash, randomUUID } from 'node:crypto';
import { execute } from '../../../src/platform/database/statements.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import { dropUnusedMedia } from '../../../src/content/media/drop-unused.ts';
import { groupsOf, useTestApp, type Person } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { callIn, createTeam } from '../../support/team.ts';

interface Content {
  html: string;
  schedule_time: string | null;
  skip_dates: string[] | null;
  groups: Array<{ group_metadata_id: number; group_name: string; kind: string; participants: number }>;
}
interface Draft {
  draft_id: string;
  name: string;
  html_start: string;
  group_count: number;
  version: number;
  media: { mime: string; size: number; sha256: string } | null;
  content?: Content;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];
const groups = await groupsOf(alice);
beforeEach(async () => {
  await execute(app.database.db)`delete from drafts`;
});

const save = (person: Person, body: object) => person.call<{ version: number }>('venom/save-draft', body);
const draftsOf = async (person: Person, body: object = {}) =>
  (await person.call<{ drafts: Draft[] }>('venom/list-drafts', body)).body.data.drafts;

async function begun(person: Person, fields: object = {}): Promise<string> {
  const draft_id = randomUUID();
  expect((await save(person, { draft_id, version: 0, ...fields })).status).toBe(200);
  return draft_id;
}

test('keeps the days that are left out', async () => {
  const plan = { is_schedule: true, start_date: '2031-06-02', end_date: '2031-06-06' };
  const draft_id = await begun(alice, { ...plan, skip_dates: ['2031-06-04'] });
  expect((await draftsOf(alice, { draft_id }))[0]?.content).toMatchObject({ ...plan, skip_dates: ['2031-06-04'] });
  await save(alice, { draft_id, version: 1, ...plan });
  expect((await draftsOf(alice, { draft_id }))[0]?.content?.skip_dates).toBeNull();
});

test('keeps incomplete drafts, last changed first, for their workspace only', async () => {
  const fair = await begun(alice, { name: 'Fair', html: '<p>We open</p>', group_metadata_ids: [groups[1], groups[0]] });
  const empty = await begun(alice);
  expect((await draftsOf(alice)).map((draft) => draft.draft_id)).toEqual([empty, fair]);
  const again = await save(alice, { draft_id: fair, version: 1, name: 'Fair', html: '<p>We close', is_schedule: true });
  expect(again.body.data).toEqual({ draft_id: fair, version: 2 });
  expect(await draftsOf(alice)).toMatchObject([
    { draft_id: fair, name: 'Fair', html_start: '<p>We close', group_count: 0, version: 2, media: null },
    { draft_id: empty, name: '', html_start: '', version: 1 },
  ]);
  expect(await draftsOf(bob)).toEqual([]);
});

test('returns the groups of a draft in their order, without groups that are gone', async () => {
  const schedule = { is_schedule: true, start_date: '2032-06-01', schedule_time: '09:00', weekdays: [1, 2] };
  const id = await begun(alice, { html: 'Hello', group_metadata_ids: [groups[2], groups[0]], ...schedule });
  const { db } = app.database;
  await execute(db)`update groups set removed_at = now() where group_id = ${groups[0]}`;
  const [draft] = await draftsOf(alice, { draft_id: id });
  expect(draft?.content).toMatchObject({ html: 'Hello', end_date: null, time_zone: null, ...schedule });
  expect(draft?.content?.groups).toMatchObject([{ group_metadata_id: groups[2], kind: expect.any(String) }]);
  await execute(db)`update groups set removed_at = null`;
  const [whole] = await draftsOf(alice, { draft_id: id });
  expect(whole?.content?.groups.map((group) => group.group_metadata_id)).toEqual([groups[2], groups[0]]);
});

describe('of two that change the same version', () => {
  test('rejects the second, and keeps the first', async () => {
    const id = await begun(alice, { html: 'before' });
    expect((await save(alice, { draft_id: id, version: 1, html: 'first' })).status).toBe(200);
    const second = await save(alice, { draft_id: id, version: 1, html: 'second' });
    expect(second).toMatchObject({ status: 409, body: { details: [{ field: 'version' }] } });
    expect(await draftsOf(alice, { draft_id: id })).toMatchObject([{ version: 2, content: { html: 'first' } }]);
  });

  test('keeps one when they come at the same moment', async () => {
    const id = await begun(alice);
    const answers = await Promise.all(['a', 'b', 'c'].map((html) => save(alice, { draft_id: id, version: 1, html })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  test('treats a repeated save as the same change, also of a new draft', async () => {
    const draft_id = randomUUID();
    const first = { draft_id, version: 0, html: 'one', image: PNG.toString('base64') };
    expect((await save(alice, first)).body.data.version).toBe(1);
    expect((await save(alice, first)).body.data.version).toBe(1);
    expect((await save(alice, { draft_id, version: 1, html: 'two' })).body.data.version).toBe(2);
    expect((await save(alice, { draft_id, version: 1, html: 'two' })).body.data.version).toBe(2);
    expect((await save(alice, first)).status).toBe(409);
  });

  test('rejects a save of the same text to other groups', async () => {
    const id = await begun(alice, { html: 'before' });
    const change = { draft_id: id, version: 1, html: 'after', group_metadata_ids: [groups[0]] };
    expect((await save(alice, change)).status).toBe(200);
    expect((await save(alice, { ...change, group_metadata_ids: [groups[1]] })).status).toBe(409);
    const [draft] = await draftsOf(alice, { draft_id: id });
    expect(draft).toMatchObject({ version: 2, content: { groups: [{ group_metadata_id: groups[0] }] } });
  });
});

test('answers 404 to a late change of a deleted draft', async () => {
  const id = await begun(alice);
  expect((await alice.call('venom/delete-draft', { draft_id: id })).status).toBe(200);
  expect((await save(alice, { draft_id: id, version: 1, html: 'late' })).status).toBe(404);
  expect((await alice.call('venom/delete-draft', { draft_id: id })).status).toBe(404);
  expect(await draftsOf(alice)).toEqual([]);
});

describe('the file of a draft', () => {
  const sha256 = createHash('sha256').update(PNG).digest('hex');
  const statusOfFile = async () =>
    (
      await fetch(`${app.url}/api/v1/venom/get-media`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${alice.token}` },
        body: JSON.stringify({ sha256 }),
      })
    ).status;
  const withFile = () => begun(alice, { image: PNG.toString('base64') });
  const mediaOf = async (draft_id: string) => (await draftsOf(alice, { draft_id }))[0]?.media;

  test('is sent once and stays until it is removed', async () => {
    const id = await withFile();
    await save(alice, { draft_id: id, version: 1, html: 'words' });
    expect(await mediaOf(id)).toEqual({ mime: 'image/png', size: PNG.length, sha256 });
    expect(await statusOfFile()).toBe(200);
    await save(alice, { draft_id: id, version: 2, html: 'words', remove_image: true });
    expect(await mediaOf(id)).toBeNull();
  });

  test('is kept as long as the draft, and dropped afterwards', async () => {
    const id = await withFile();
    const { db } = app.database;
    const dropOld = async () => {
      await execute(db)`update media set used_at = now() - interval '2 days'`;
      await dropUnusedMedia(db, 0);
      return statusOfFile();
    };
    expect(await dropOld()).toBe(200);
    await alice.call('venom/delete-draft', { draft_id: id });
    expect(await dropOld()).toBe(404);
  });

  test('is rejected with 400 if it is not recognised, and the draft stays', async () => {
    const id = await begun(alice, { html: 'before' });
    const image = Buffer.from('no picture').toString('base64');
    expect((await save(alice, { draft_id: id, version: 1, html: 'after', image })).status).toBe(400);
    expect((await draftsOf(alice))[0]).toMatchObject({ version: 1, html_start: 'before' });
  });
});

test('keeps 100 drafts, and rejects another with 409, also two at once', async () => {
  // A few at a time: a slow machine would reject some of a flood.
  for (let begins = 0; begins < 99; begins += 9) await Promise.all(Array.from({ length: 9 }, () => begun(alice)));
  const last = await Promise.all([1, 2].map(() => save(alice, { draft_id: randomUUID(), version: 0 })));
  expect(last.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(last.find(({ status }) => status === 409)?.body.message).toContain('100 drafts');
  expect(await draftsOf(alice)).toHaveLength(100);
  await begun(bob);
});

test('rejects another user’s group in a draft with 404', async () => {
  const [theirs] = await groupsOf(bob);
  const answer = await save(alice, { draft_id: randomUUID(), version: 0, group_metadata_ids: [groups[0], theirs] });
  expect(answer.status).toBe(404);
  expect(await draftsOf(alice)).toEqual([]);
});

test('a draft names the people who wrote it, in their order, while they are members', async () => {
  const team = await createTeam(app, 'desk');
  const { author, manager, owner } = team.members;
  await author.call('user/update_profile', { first_name: 'Anna', last_name: 'Weber' });
  const draft_id = randomUUID();
  const write = (who: Person, version: number, name: string) =>
    callIn(app, who, team.workspaceId, 'venom/save-draft', { draft_id, version, name });
  await write(author, 0, 'Fair');
  await write(manager, 1, 'Spring fair');
  // Saving what is there already is no writing.
  await write(owner, 2, 'Spring fair');
  const writers = async () => {
    const listed = await callIn<{ drafts: Array<{ written_by: object[] }> }>(
      app,
      owner,
      team.workspaceId,
      'venom/list-drafts',
    );
    return listed.body.data.drafts[0]?.written_by;
  };
  const anna = { user_id: author.userId, user_name: author.name, name: 'Anna Weber' };
  const second = { user_id: manager.userId, user_name: manager.name, name: manager.name };
  expect(await writers()).toEqual([anna, second]);
  await callIn(app, owner, team.workspaceId, 'workspace/remove-member', { user_id: author.userId });
  expect(await writers()).toEqual([{ user_id: author.userId, user_name: null, name: null }, second]);
});
