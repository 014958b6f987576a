/** Deliveries that failed before their failures had codes get them by their sentences. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import {
  describeFailure,
  FAILURES,
  toOutcomeUnknown,
  type Failure,
  type FailureCode,
} from '../../../src/platform/errors/failures.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';

const PARAMS = { code: 403, limit: 65_536, percent: 72, times: 5, rest: 'no lease', why: 'try later' };
/** They never stand alone, or are younger than codes. */
const NEVER_BEFORE: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'other',
  'cancelled_in_doubt',
  'left_without_value',
  'value_missing',
  'values_too_long',
  'values_alike',
]);

const namesOf = (code: FailureCode) => Array.from(FAILURES[code][2].matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
const described = (Object.keys(FAILURES) as FailureCode[])
  .filter((code) => !NEVER_BEFORE.has(code) && FAILURES[code][0] !== 'sent')
  .map((code) => {
    const params = Object.fromEntries(namesOf(code).map((name) => [name, PARAMS[name as keyof typeof PARAMS]]));
    return describeFailure(code, namesOf(code).length > 0 ? params : undefined);
  });
/** Incompressible, and longer than an entry of an index may be. */
const LONG = randomBytes(20_000).toString('base64');

const isSkipped = ({ code = 'other' }: Failure) => FAILURES[code][0] === 'skipped';
/** What was stored of old, and what it becomes. */
const CASES: Array<[string, Failure]> = [
  ...described.map((failure): [string, Failure] => [
    isSkipped(failure) ? `skipped: ${failure.reason}` : failure.reason,
    failure,
  ]),
  ...described
    .filter((failure) => !isSkipped(failure))
    .map((failure): [string, Failure] => [`outcome_unknown: ${failure.reason}`, toOutcomeUnknown(failure)]),
  [LONG, { reason: LONG, code: 'other' }],
  [`outcome_unknown: ${LONG}`, toOutcomeUnknown({ reason: LONG })],
  ['no such group', { reason: 'no such group', code: 'other' }],
  ...[
    [
      'group_gone',
      'The group no longer exists, or you are not a member of it: sync your groups, and ask an admin',
    ] as const,
    [
      'admins_only',
      'You may not post here: only admins may. Ask an admin to make you one, then sync your groups',
    ] as const,
    ['connection_broke', 'the connection to the messaging application broke'] as const,
  ].map(([code, reason]): [string, Failure] => [reason, { reason, code }]),
];

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeAll(async () => {
  database = await createEmptyDatabase();
  const { db } = database;
  await migrateFromFirst(db, { below: 56 });
  const errors = CASES.map(([error]) => error);
  await sql`
    insert into deliveries (workspace_id, run_id, position, group_id, account_id, message_id, status, error)
    select 1, 1, n, n, 1, 'm' || n, 'failed'::delivery_status, error from unnest(${errors}::text[]) with ordinality e (error, n)
    union all select 1, 1, 0, 0, 1, 'sent', 'sent'::delivery_status, null`.execute(db);
  await sql`
    insert into group_sums (workspace_id, campaign_id, group_id, failed, error_run_id, error)
    select 1, 1, n, 1, 1, error from unnest(${errors}::text[]) with ordinality e (error, n)`.execute(db);
  await migrate(db, createLog('silent'));
});
afterAll(() => database.drop());

test('each sentence becomes its code, in deliveries and in the sums of a campaign', async () => {
  const expected = CASES.map(([, { reason: error, code, params = null }]) => ({ error, code, params }));
  const { rows } = await sql`
    select error, error_code as code, error_params as params from deliveries where position > 0 order by position`.execute(
    database.db,
  );
  expect(rows).toEqual(expected);
  const { rows: sums } = await sql<{ failure: unknown }>`select failure from group_sums order by group_id`.execute(
    database.db,
  );
  expect(sums.map(({ failure }) => failure)).toEqual(expected);
});

test('what has no error gets no code', async () => {
  const { rows } = await sql`select error, error_code, error_params from deliveries where position = 0`.execute(
    database.db,
  );
  expect(rows).toEqual([{ error: null, error_code: null, error_params: null }]);
});
