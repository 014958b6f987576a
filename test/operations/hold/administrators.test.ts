/** A hold that an administrator ends over HTTP. */
import { execute } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { PASSWORD, useTestApp } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';

// The gap is longer than this test: one post of an account leaves.
const app = await useTestApp({ sandboxGap: { minMs: 600_000, maxMs: 600_000 }, sandboxSpeed: 0 });
const admin = await app.signUp('admin');
const alice = await app.signUp('alice');

interface Queued {
  held_since: string;
  served_at: string | null;
  left_out: number;
}
const look = () => admin.call<Queued>('admin/list_queued');
const release = (body: object) => admin.call('admin/release_ledger', { password: PASSWORD, ...body });

async function totalsOf(campaign_id: string) {
  const asked = await alice.call<{ totals: Record<'sent' | 'queued' | 'failed', number> }>(
    'analytics/get-campaign-group-analytics-master',
    { campaign_id },
  );
  return asked.body.data.totals;
}

test('rejects the release of a ledger that is not on hold', async () => {
  expect((await look()).status).toBe(409);
  expect((await release({ others: 'unknown' })).status).toBe(409);
});

test('shows the queued posts by campaign, requires a choice for each and the password, and ends the hold', async () => {
  const groups: number[] = [];
  for (const name of ['A', 'B', 'C']) {
    const made = await alice.call<{ group_metadata_id: number }>('venom/create-group', {
      group_name: name,
      participants: ['4915100000001'],
    });
    groups.push(made.body.data.group_metadata_id);
  }
  const send = async (name: string) => {
    const post = { name, html: 'Hello', group_metadata_ids: groups };
    const answer = await alice.call<{ campaign_id: string }>('venom/add-campaign', post);
    return { id: answer.body.data.campaign_id, warnings: answer.headers.get('x-campanile-warnings') };
  };
  const { id: first } = await send('First');
  await until(
    () => totalsOf(first),
    ({ sent }) => sent === 1,
  );
  const { id: second, warnings } = await send('Second');
  expect(warnings).toBeNull();
  expect((await alice.call('venom/pause-campaign', { campaign_id: second })).status).toBe(200);
  await execute(app.database.db)`update ledger set held_since = campanile_now(), held_reason = 'a test'`;

  // It cannot have left from another copy of the ledger.
  const { id: third, warnings: ofHeld } = await send('Third');
  expect(ofHeld).toContain('Nothing is sent for any user, since the ledger is held');

  const { held_since: since, served_at: servedAt, ...shown } = (await look()).body.data;
  expect(Date.parse(since)).not.toBeNaN();
  // A worker serves the ledger every 2 s.
  expect(Math.abs(Date.parse(since) - Date.parse(servedAt ?? ''))).toBeLessThan(60_000);
  const begun = { user_name: 'alice', due_since: null, late_posts: 0 };
  const none = { campaigns: 0, posts: 0, since: null, late_runs: 0, late_posts: 0 };
  expect(shown).toEqual({
    reason: 'a test',
    begun: { ...none, campaigns: 2, posts: 5, since: expect.any(String) },
    fell_due: none,
    made_since: { ...none, campaigns: 1, posts: 3, since: expect.any(String) },
    campaigns: [
      {
        ...begun,
        campaign_id: first,
        name: 'First',
        is_paused: false,
        queued: 2,
        begun: 2,
        last_sent_at: expect.any(String),
      },
      { ...begun, campaign_id: second, name: 'Second', is_paused: true, queued: 3, begun: 3, last_sent_at: null },
    ],
    left_out: 0,
  });

  const choices = [
    { campaign_id: first, choice: 'unknown' },
    { campaign_id: second, choice: 'send' },
  ];
  expect((await alice.call('admin/list_queued')).status).toBe(403);
  expect((await alice.call('admin/release_ledger', { choices, password: PASSWORD })).status).toBe(403);
  expect((await release({ choices, password: 'wrong' })).body).toMatchObject({
    code: 400,
    details: [{ field: 'password' }],
  });
  const open = await release({ choices: choices.slice(0, 1) });
  expect(open.body).toMatchObject({ code: 409, message: expect.stringContaining('Still without a choice: Second') });
  expect((await alice.call('venom/account-status')).body.data).toHaveProperty('held_since');
  expect(await totalsOf(first)).toMatchObject({ sent: 1, queued: 2, failed: 0 });

  expect((await release({ choices })).status).toBe(200);
  expect((await alice.call('venom/account-status')).body.data).not.toHaveProperty('held_since');
  expect(await totalsOf(first)).toMatchObject({ sent: 1, queued: 0, failed: 2 });
  // It was paused, and stays so.
  expect(await totalsOf(second)).toMatchObject({ sent: 0, queued: 3, failed: 0 });
  expect(await totalsOf(third)).toMatchObject({ queued: 3, failed: 0 });
  expect((await look()).status).toBe(409);
  const log = await admin.call<{ entries: Array<{ action: string; subject: string }> }>('user/list_audit_log');
  expect(log.body.data.entries.filter(({ action }) => action === 'ledger.released')).toMatchObject([
    { subject: 'send 1, unknown 1' },
  ]);
});
