/** The history of `account-status`. */
import { execute, readRows, sql } from '../../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { STATE_REASONS } from '../../../src/platform/errors/account-states.ts';
import { clearOld } from '../../support/clear-old.ts';
import { useTestApp, type Person } from '../../support/app.ts';
import { workspaceOf } from '../../support/workspaces.ts';

interface Past {
  at: string;
  messenger: string;
  status: string;
  reason: string | null;
}

const app = await useTestApp({ sandboxSpeed: 0 });
const [alice, bob] = [await app.signUp('alice'), await app.signUp('bob')];

const statusOf = async (person: Person, body: object) =>
  (await person.call<{ status: string; history?: Past[] }>('venom/account-status', body)).body.data;
const historyOf = async (person: Person) => (await statusOf(person, { with_history: true })).history ?? [];

test('returns the history only on request', async () => {
  for (const body of [{}, { with_history: false }, { with_history: null }])
    expect(await statusOf(alice, body)).not.toHaveProperty('history');
});

test('returns each change once, newest first, to its owner only', async () => {
  await bob.call('venom/disconnect-account');
  await bob.call('venom/connect-account');
  const history = await historyOf(bob);
  expect(history.map(({ messenger, status, reason }) => [messenger, status, reason])).toEqual([
    ['sandbox', 'connected', null],
    ['sandbox', 'unlinked', null],
    ['sandbox', 'connected', null],
  ]);
  const times = history.map((past) => Date.parse(past.at));
  expect(times).toEqual(times.toSorted((one, other) => other - one));
  expect(await historyOf(alice)).toHaveLength(1);
});

test('records another reason, but no renewed code', async () => {
  const change = (set: ReturnType<typeof sql>) =>
    execute(app.database.db)`update accounts set ${set} where workspace_id = ${workspaceOf(alice)}`;
  await change(sql`status = 'linking', qr = 'one'`);
  await change(sql`qr = 'two', code_expires_at = campanile_now()`);
  await change(sql`status = 'unlinked', status_reason = 'Nobody scanned the code.', qr = null`);
  await change(sql`status_reason = 'Another reason.'`);
  expect((await historyOf(alice)).map((past) => past.reason ?? past.status)).toEqual([
    'Another reason.',
    'Nobody scanned the code.',
    'linking',
    'connected',
  ]);
});

test('gives the code of a reason beside its sentence, in the state and in the history', async () => {
  await execute(app.database.db)`
    update accounts set status = 'logged_out', status_reason = ${STATE_REASONS.locked} where workspace_id = ${workspaceOf(alice)}`;
  const coded = { reason: STATE_REASONS.locked, reason_code: 'locked' };
  expect(await statusOf(alice, {})).toMatchObject(coded);
  expect((await historyOf(alice)).slice(0, 2)).toMatchObject([coded, { reason: 'Another reason.', reason_code: null }]);
});

test('returns at most 50 changes, and removes those over 90 days old', async () => {
  await execute(app.database.db)`
    insert into account_states (account_id, at, messenger, status)
    select account_id, campanile_now() - n * interval '2 days', 'sandbox', 'connected'
    from accounts, generate_series(1, 60) n where workspace_id = ${workspaceOf(bob)}`;
  expect(await historyOf(bob)).toHaveLength(50);
  await clearOld(app.database, 'account_states');
  const rows = await readRows<{ oldest: boolean; kept: number }>(app.database.db)`
    select bool_or(at < campanile_now() - interval '90 days') as oldest, count(*)::int as kept
    from account_states s join accounts a on a.account_id = s.account_id where a.workspace_id = ${workspaceOf(bob)}`;
  expect(rows).toEqual([{ oldest: false, kept: 3 + 44 }]);
});
