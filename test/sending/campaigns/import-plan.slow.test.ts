/** A plan of 400 rows over its life: imported with a cut, changed, imported again and sent. */
import { expect, test } from 'vitest';
import { execute, readColumn, readCount } from '../../../src/platform/database/statements.ts';
import { groupsOf, useTestApp, type Answer } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { skipWaiting } from '../../support/skip-waiting.ts';
import { workspaceOf } from '../../support/workspaces.ts';

const ROWS = 400;
const CUT_AT = 150;

const app = await useTestApp({ sandboxSpeed: 0 });
const alice = await app.signUp('alice');
const [group = 0] = await groupsOf(alice);
const { db } = app.database;

const textOf = (index: number, version: string) => `Row ${index} ${version}`;
const rows = (version: (index: number) => string) =>
  Array.from({ length: ROWS }, (_, index) => ({
    key: `k${index}`,
    date: index < ROWS / 2 ? '2031-03-10' : '2031-03-11',
    time: '09:00',
    groups: [group],
    text: textOf(index, version(index)),
  }));
interface Imported {
  counts: Record<string, number>;
  next_row: number | null;
}

/** Sends a plan in as many parts as it takes. Resolves to the sums, and the status of the last part. */
async function send(body: object): Promise<{ status: number; counts: Record<string, number> }> {
  const sums: Record<string, number> = {};
  let from_row: number | null = 1;
  let status = 0;
  while (from_row !== null) {
    const request = { plan: 'Year', time_zone: 'Europe/Berlin', dry_run: false, from_row, ...body };
    const answer: Answer<Imported> = await alice.call<Imported>('venom/import-plan', request);
    ({ status } = answer);
    if (status !== 200) break;
    const { counts, next_row } = answer.body.data;
    for (const [state, count] of Object.entries(counts)) sums[state] = (sums[state] ?? 0) + count;
    from_row = next_row;
  }
  return { status, counts: sums };
}
const counts = async (body: object) => (await send(body)).counts;
const planned = () => readCount(db)`select count(*) from campaigns where workspace_id = ${workspaceOf(alice)}`;
const messages = () => readColumn<string>(db)`
  select t.text from deliveries d join runs r using (workspace_id, run_id) join contents t on t.content_id = r.content_id
  where d.workspace_id = ${workspaceOf(alice)} and d.status = 'sent' order by t.content_id`;
const open = () => readCount(db)`
  select count(*) from runs where workspace_id = ${workspaceOf(alice)} and finished_at is null
    and due_at <= campanile_now()`;

async function sendUntil(instant: string) {
  await app.database.clock.set(instant);
  await until(
    async () => {
      await skipWaiting(app.database, alice);
      return open();
    },
    (left) => left === 0,
  );
}

test('400 rows, cut in the middle, imported twice at once, changed between and the day after: each is sent once', async () => {
  await app.database.clock.set('2031-03-01T12:00:00Z');
  const first = rows(() => 'first');
  // The server of the database ends the connection in the middle of a row, after its campaign was inserted.
  await execute(db)`create sequence inserted_campaigns`;
  await execute(db)`
    create function cut() returns trigger language plpgsql as
      'begin if nextval(''inserted_campaigns'') = 150 then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end'`;
  await execute(db)`create trigger cut before insert on runs for each row execute function cut()`;
  expect((await send({ rows: first })).status).toBeGreaterThanOrEqual(500);
  expect(await planned()).toBe(CUT_AT - 1);
  const twice = await Promise.all([counts({ rows: first }), counts({ rows: first })]);
  expect(await planned()).toBe(ROWS);
  for (const { new: added = 0, unchanged = 0 } of twice) expect(added + unchanged).toBe(ROWS);
  // Of its own rows each counts those that it planned.
  expect(twice.reduce((sum, { new: added = 0 }) => sum + added, 0)).toBeLessThanOrEqual(ROWS - CUT_AT + 1);
  const second = rows((index) => (index % 10 === 0 ? 'second' : 'first'));
  expect(await counts({ rows: second, dry_run: true })).toMatchObject({
    changed: ROWS / 10,
    unchanged: (ROWS * 9) / 10,
  });
  expect(await counts({ rows: second })).toMatchObject({ changed: ROWS / 10, unchanged: (ROWS * 9) / 10 });
  await sendUntil('2031-03-10T08:00:00Z');
  // The day after: the sheet goes on, with what was sent in it, and other texts everywhere.
  const third = rows(() => 'third').slice(0, ROWS - 1);
  expect(await counts({ rows: third, remove_gone: true })).toMatchObject({
    sent: ROWS / 2,
    changed: ROWS / 2 - 1,
    gone: 1,
    refused: 0,
  });
  await sendUntil('2031-03-11T08:00:00Z');
  expect(await counts({ rows: third, remove_gone: true })).toMatchObject({ sent: ROWS - 1, new: 0, gone: 0 });
  const sent = await messages();
  const expected = third.map(({ text }, index) => (index < ROWS / 2 ? (second[index]?.text ?? '') : text));
  expect(sent.toSorted()).toEqual(expected.toSorted());
});
