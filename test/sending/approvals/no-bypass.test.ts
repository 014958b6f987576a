/** Where all posts need an approval, no operation sends, changes or moves one without it (contract §4, approval). */
import { randomUUID } from 'node:crypto';
import { execute } from '../../../src/platform/database/statements.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listContracts } from '../../../src/api/contract/contract.ts';
import type { WorkspaceId } from '../../../src/platform/database/schema.ts';
import type { Actor } from '../../../src/workspaces/audit/record-audit.ts';
import { setStill } from '../../../src/content/media/still.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { countBlocked } from '../../support/count-blocked.ts';
import { film } from '../../support/inputs/films.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { callIn, createTeam, type Team } from '../../support/team.ts';
import { upload } from '../../support/upload.ts';

let app: TestApp;
let team: Team;
let groups: number[];
let key: string;
beforeAll(async () => {
  app = await startTestApp();
  team = await createTeam(app, 'newsroom');
  const listed = await say<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  groups = listed.groups.map((group) => group.group_metadata_id);
  const made = await say<{ key: string }>('user/create_api_key', { name: 'all', scopes: ['read', 'send', 'admin'] });
  key = made.key;
});
beforeEach(() => rules({ approval: 'all', over_groups: 0 }));
afterAll(() => app.stop());

const ask = <Data = Record<string, never>>(path: string, body: object = {}, token = team.members.owner.token) =>
  callIn<Data>(app, { token }, team.workspaceId, path, body);
async function say<Data = Record<string, never>>(path: string, body: object = {}): Promise<Data> {
  const answer = await ask<Data>(path, body);
  expect(answer.body, path).toMatchObject({ code: 200 });
  return answer.body.data;
}
const rules = (change: object) => say('workspace/set-approval-rules', change);

const NOW = { name: 'Fair', html: 'Hello' };
const PLAN = { start_date: '2031-03-03', end_date: '2031-03-05', schedule_time: '09:00:00', time_zone: 'UTC' };
const REFUSED = { code: 409, error_code: 'approval_required', message: expect.stringContaining('request-approval') };

/** Sends as the owner, as a manager, and with a key of the owner. */
async function expectRefused(path: string, body: object): Promise<void> {
  for (const token of [team.members.owner.token, team.members.manager.token, key])
    expect((await ask(path, body, token)).body, path).toMatchObject(REFUSED);
}

async function sent(): Promise<number> {
  return (await say<{ campaigns: unknown[] }>('venom/list-campaigns', { with_tests: true })).campaigns.length;
}

/** A campaign that was accepted while nobody had to ask. */
async function accepted(body: object = {}): Promise<string> {
  await rules({ approval: 'never' });
  const answer = await ask('venom/add-campaign-batch', { ...NOW, ...PLAN, group_metadata_ids: groups, ...body });
  await rules({ approval: 'all' });
  return String(answer.headers.get('x-campaign-id'));
}

async function completed(): Promise<string> {
  await rules({ approval: 'never' });
  const { campaign_id } = await say<{ campaign_id: string }>('venom/add-campaign', {
    ...NOW,
    group_metadata_ids: groups,
  });
  await expect
    .poll(async () => (await say<{ status: string }>('venom/get-campaign', { campaign_id })).status, {
      timeout: 60_000,
    })
    .toBe('completed');
  await rules({ approval: 'all' });
  return campaign_id;
}

async function uploadFilm(bytes: number): Promise<number> {
  const { body } = await upload(app.url, team.members.owner.token, film({ bytes }));
  return body.data.media_id;
}

describe('is refused, whoever asks and with whichever credential', () => {
  test('sending now, a test, and a copy', async () => {
    const before = await sent();
    await expectRefused('venom/add-campaign', { ...NOW, group_metadata_ids: groups });
    await expectRefused('venom/add-campaign', { ...NOW, is_test: true, group_metadata_ids: groups.slice(0, 1) });
    const copy = await say<object>('venom/duplicate-campaign', { campaign_id: await accepted() });
    await expectRefused('venom/add-campaign-batch', copy);
    expect(await sent()).toBe(before + 1);
  });

  test('scheduling', async () => {
    await expectRefused('venom/add-campaign-batch', { ...NOW, ...PLAN, group_metadata_ids: groups });
  });

  test('following up, and replying', async () => {
    const campaign_id = await accepted();
    const post = { ...NOW, group_metadata_ids: groups };
    await expectRefused('venom/add-campaign', { ...post, follow_up: { campaign_id, under_percent: 50 } });
    await expectRefused('venom/add-campaign', { ...post, reply_to: { campaign_id } });
  });

  test('changing the post, the groups or the plan of a campaign, but not its name', async () => {
    const campaign_id = await accepted();
    for (const change of [
      { html: 'Else' },
      { group_metadata_ids: groups.slice(0, 1) },
      { schedule_time: '10:00:00' },
      { skip_dates: ['2031-03-04'] },
      { pin_for: '24h' },
      { image: 'data:image/png;base64,iVBORw0KGgo=' },
    ]) {
      const { body } = await ask('venom/update-campaign', { campaign_id, ...change });
      expect(body.code, JSON.stringify(change)).not.toBe(200);
      if (!('image' in change)) await expectRefused('venom/update-campaign', { campaign_id, ...change });
    }
    await say('venom/update-campaign', { campaign_id, name: 'Else', desc: 'Else' });
    expect(await say('venom/get-campaign', { campaign_id })).toMatchObject({ html: 'Hello', name: 'Else' });
  });

  test('moving a run, and sending it now', async () => {
    const campaign_id = await accepted();
    const { runs } = await say<{ runs: Array<{ run_id: number }> }>('venom/get-campaign', { campaign_id });
    const run_id = runs[0]?.run_id;
    await expectRefused('venom/move-run', { campaign_id, run_id, due_at: '2031-03-03T10:00:00Z' });
    await expectRefused('venom/send-run-now', { campaign_id, run_id });
    await say('venom/skip-run', { campaign_id, run_id });
  });

  test('planning a sheet, row by row', async () => {
    const rows = [{ key: 'a', date: PLAN.start_date, time: '09:00', groups, text: 'Hello' }];
    const before = await sent();
    for (const dry_run of [true, false])
      expect(await say('venom/import-plan', { plan: 'Spring', rows, dry_run })).toMatchObject({
        rows: [{ state: 'refused', problems: [{ issue: expect.stringContaining('needs the approval') }] }],
      });
    expect(await sent()).toBe(before);
  });

  test('correcting posts', async () => {
    await expectRefused('venom/correct-campaign', { campaign_id: await completed(), html: 'Else' });
  });

  test('asking in one’s own name and approving by a key', async () => {
    const post = { ...NOW, approval_id: randomUUID(), is_schedule: false, group_metadata_ids: groups };
    const { body } = await ask<{ approval_id: string; sha256: string }>('venom/request-approval', post);
    const decision = { approval_id: body.data.approval_id, sha256: body.data.sha256, decision: 'approve' };
    expect((await ask('venom/decide-approval', decision, key)).body).toMatchObject({ error_code: 'token_required' });
    expect((await ask('workspace/set-approval-rules', { approval: 'never' }, key)).body).toMatchObject({ code: 403 });
    const manager = team.members.manager.token;
    expect((await ask('workspace/set-approval-rules', { approval: 'never' }, manager)).body).toMatchObject({
      code: 403,
    });
  });

  test('and so is the still of a film that was accepted, or waits', async () => {
    const media_id = await uploadFilm(3_000);
    await say('media/set-still', { media_id });
    const approval_id = randomUUID();
    const media = [{ media_id }];
    const post = { ...NOW, approval_id, is_schedule: false, media, group_metadata_ids: groups };
    await say('venom/request-approval', post);
    expect((await ask('media/set-still', { media_id })).body).toMatchObject({ error_code: 'media_in_use' });
    await say('venom/withdraw-approval', { approval_id });
    await say('media/set-still', { media_id });
    await accepted({ media });
    expect((await ask('media/set-still', { media_id })).body).toMatchObject({ error_code: 'media_in_use' });
  });
});

const readStill = async (mediaId: number) =>
  (await app.database.db.selectFrom('media').select('still').where('media_id', '=', mediaId).executeTakeFirst())?.still;

test('a still that is set while its post is asked for is there before the request is', async () => {
  const media_id = await uploadFilm(3_001);
  const post = { ...NOW, approval_id: randomUUID(), is_schedule: false, media: [{ media_id }] };
  const trx = await app.database.db.startTransaction().execute();
  // The change of the still waits right before it is written.
  await execute(trx)`select from media where media_id = ${media_id} for no key update`;
  // By another process: one workspace has few connections of each.
  const workspaceId = Number(team.workspaceId) as WorkspaceId;
  const actor: Actor = { ...team.members.owner, workspaceId, role: 'owner', apiKeyId: undefined, address: '' };
  const setting = setStill(app.database.db, actor, { mediaId: media_id, still: PNG.toString('base64') });
  await until(() => countBlocked(app.database.db), 1);
  let isAsked = false;
  const asking = say('venom/request-approval', { ...post, group_metadata_ids: groups }).then(async () => {
    isAsked = true;
    return readStill(media_id);
  });
  await until(
    () => countBlocked(app.database.db),
    (count) => isAsked || count === 2,
  );
  await trx.rollback().execute();
  const stillWhenAsked = await asking;
  await setting;
  expect(stillWhenAsked).toBeInstanceOf(Buffer);
  expect(stillWhenAsked).toEqual(await readStill(media_id));
});

describe('is possible', () => {
  test('what sends nothing that was not accepted: pausing, resuming, recalling, cancelling', async () => {
    const campaign_id = await accepted();
    for (const path of ['pause-campaign', 'resume-campaign', 'cancel-campaign'])
      await say(`venom/${path}`, { campaign_id });
    const recalled = await say('venom/recall-campaign', { campaign_id: await completed() });
    expect(recalled).toMatchObject({ groups: groups.length });
  });

  test('sending to as many groups as need no approval', async () => {
    await rules({ over_groups: 2 });
    await say('venom/add-campaign', { ...NOW, group_metadata_ids: groups.slice(0, 2) });
    await expectRefused('venom/add-campaign', { ...NOW, group_metadata_ids: groups.slice(0, 3) });
    const campaign_id = await accepted();
    await expectRefused('venom/update-campaign', { campaign_id, html: 'Else' });
    await say('venom/update-campaign', { campaign_id, html: 'Else', group_metadata_ids: groups.slice(0, 2) });
    await expectRefused('venom/update-campaign', { campaign_id, group_metadata_ids: groups });
  });

  test('checking a post', async () => {
    const checked = await say('venom/check-campaign', { ...NOW, is_schedule: false, group_metadata_ids: groups });
    expect(checked).toMatchObject({ text: 'Hello' });
  });

  test('everything, where only authors ask', async () => {
    await rules({ approval: 'authors' });
    await say('venom/add-campaign', { ...NOW, group_metadata_ids: groups });
    const author = await ask('venom/add-campaign', { ...NOW, group_metadata_ids: groups }, team.members.author.token);
    expect(author.body).toMatchObject({ error_code: 'role_missing' });
  });
});

test('every operation that sends or changes posts is known to this file', () => {
  const paths = listContracts().flatMap(({ path, access, role }) =>
    access === 'send' && role === 'manager' && path.startsWith('/api/v1/venom/')
      ? [path.slice('/api/v1/venom/'.length)]
      : [],
  );
  const refused = [
    'add-campaign',
    'add-campaign-batch',
    'update-campaign',
    'move-run',
    'send-run-now',
    'correct-campaign',
    // Row by row.
    'import-plan',
  ];
  const harmless = [
    // They send nothing that was not accepted.
    'pause-campaign',
    'resume-campaign',
    'cancel-campaign',
    'retry-campaign',
    'skip-run',
    'recall-campaign',
    'pin-campaign',
    'unpin-campaign',
    'delete-campaign',
    'hand-over-deliveries',
    // They post nothing.
    'create-channel',
    'create-community',
    'create-group',
    'sync-groups',
    'get-invite-link',
  ];
  expect(paths.toSorted()).toEqual([...refused, ...harmless].toSorted());
});
