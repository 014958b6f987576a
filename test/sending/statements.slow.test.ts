/**
 * Every statement of `src/sending`, in a workspace with two accounts and much behind and before it, whatever the planner knows of the tables:
 * the rows that a statement reads are in proportion to the rows that it returns or writes. Rows are counted and not time.
 */
import { execute, type Database } from '../../src/platform/database/statements.ts';
import { expect, test } from 'vitest';
import { createManyAccounts } from '../../harness/bench/support/many-accounts.ts';
import type { OpenApiDocument } from '../support/api-reference/document.ts';
import { createRecorder, type Recorder } from '../support/api-reference/recorder.ts';
import { playScene } from '../support/api-reference/scene.ts';
import { withStage } from '../support/api-reference/stage.ts';
import { rowsPassedBy, type Explained } from '../support/explain-statements.ts';
import { readDocument } from '../support/http/own-document.ts';
import { findSources, isFrom, normalize, rowsReturnedBy, traceStatements } from '../support/trace-statements.ts';

/** Of the workspace: its groups, the runs to all of them, its small campaigns, and its plans with so many runs and groups each. */
const SIZE = { groups: 3_000, runs: 10, campaigns: 2_000, plans: 40, plannedRuns: 30, plannedGroups: 50 };
const OTHER_WORKSPACES = 3_000;

/** What a statement may read without a result, such as a look into each of the 256 shards, and how much more for each row of its result. */
const LEAST = 1_500;
const FOR_EACH = 30;

const SOURCES = findSources('sending');

/** Sends every operation of the API in a grown workspace. Returns the statements that ran after it had grown. */
async function play(isAnalyzed: boolean): Promise<Explained[]> {
  const document = (await readDocument()) as OpenApiDocument;
  let tracing: Awaited<ReturnType<typeof traceStatements>> | undefined;
  let from = 0;
  try {
    return await withStage(
      async ({ url, ...setting }) => {
        const recorder = createRecorder(url, document);
        const grow = async () => {
          await createManyAccounts(setting.db, { accounts: OTHER_WORKSPACES, groups: 1 });
          await growWorkspace(setting.db, isAnalyzed);
          await keepStatistics(setting.db);
          from = tracing?.statements.length ?? 0;
        };
        await playScene({ recorder: beforeFirst(recorder, 'get-invite-link', grow), ...setting });
        return tracing?.statements.slice(from) ?? [];
      },
      async (database) => {
        await keepStatistics(database.db);
        tracing = await traceStatements(database);
      },
    );
  } finally {
    tracing?.stop();
  }
}

/** A recorder that does some work before the first time an operation is sent. */
function beforeFirst(recorder: Recorder, operation: string, work: () => Promise<void>): Recorder {
  let isDone = false;
  return {
    ...recorder,
    async send(name, body, options) {
      if (name === operation && !isDone) {
        isDone = true;
        await work();
      }
      return recorder.send(name, body, options);
    },
  };
}

/** Lets no statistics come by themselves. Plans of before, when the tables were small, are made anew: elsewhere autovacuum does that within a minute. */
async function keepStatistics(db: Database): Promise<void> {
  await execute(db)`
    do $$ declare name regclass; begin
      for name in select oid from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %s set (autovacuum_enabled = off)', name);
      end loop;
    end $$`;
}

/** Gives the workspace of the scene a second account, and what a year of campaigns leaves behind. */
async function growWorkspace(db: Database, isAnalyzed: boolean): Promise<void> {
  const { groups, runs, campaigns, plans, plannedRuns, plannedGroups } = SIZE;
  await db.transaction().execute(async (trx) => {
    // No triggers: nobody is told of it.
    await execute(trx)`set local session_replication_role = replica`;
    await execute(trx)`
      create temp table home on commit drop as
      select a.workspace_id, a.account_id as first from accounts a join users u on u.user_name = 'ada'
      join memberships m on m.user_id = u.user_id and m.workspace_id = a.workspace_id where a.is_default`;
    await execute(trx)`
      with further as (
        insert into accounts (workspace_id, messenger, status, is_default, name, whatsapp_number, whatsapp_digits, groups_synced_at)
        select workspace_id, 'sandbox', 'connected', false, 'Further number', '+44 20 7946 0999', '442079460999', campanile_now() from home
        returning account_id, workspace_id
      ), lane as (
        insert into lanes (account_id, workspace_id, messenger) select account_id, workspace_id, 'sandbox' from further
      ), known as (
        insert into sandbox_accounts (account_id, workspace_id) select account_id, workspace_id from further
      )
      select account_id from further`;
    await execute(trx)`
      with grown as (
        insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
        select workspace_id, 'grown-' || n || '@g.us', 'grown-' || n || '@g.us', 'group', 'Grown ' || n, 3, true
        from home, generate_series(1, ${groups}::int) n returning group_id, workspace_id
      )
      insert into group_accounts (group_id, account_id, can_send)
      select g.group_id, a.account_id, true from (
        select group_id, workspace_id from grown union select group_id, g.workspace_id from groups g join home using (workspace_id)) g
      join accounts a using (workspace_id) where a.removed_at is null
      on conflict do nothing`;
    await writeCampaigns(trx, { campaigns: 1, runs, groups, isEnded: true });
    await writeCampaigns(trx, { campaigns, runs: 1, groups: 3, isEnded: true });
    await writeCampaigns(trx, { campaigns: plans, runs: plannedRuns, groups: plannedGroups, isEnded: false });
  });
  if (isAnalyzed) await execute(db)`analyze`;
}

interface Written {
  campaigns: number;
  /** A day each, of each campaign. */
  runs: number;
  /** Of each run. */
  groups: number;
  /** All posts were sent, by the accounts in turn; else all runs are planned. */
  isEnded: boolean;
}

/** Writes campaigns to grown groups of the workspace. */
async function writeCampaigns(trx: Database, { campaigns, runs, groups, isEnded }: Written): Promise<void> {
  await execute(trx)`
    with campaign as (
      insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs, created_at, finished_at)
      select workspace_id, 'Grown', '', false, true, ${isEnded ? 'completed' : 'scheduled'}::campaign_status, ${isEnded ? 0 : runs}::int,
             campanile_now() - interval '400 days', case when ${isEnded}::boolean then campanile_now() - interval '2 days' end
      from home, generate_series(1, ${campaigns}::int) returning campaign_id, workspace_id
    ), content as (
      insert into contents (campaign_id, html, text, group_ids)
      select c.campaign_id, 'Grown', 'Grown ' || c.campaign_id,
             array(select o.low + c.campaign_id % ${SIZE.groups - groups + 1}::int + n from generate_series(0, ${groups}::int - 1) n)
      from campaign c, (select min(group_id) as low from groups join home using (workspace_id) where name like 'Grown %') o
      returning content_id, campaign_id, group_ids
    ), run as (
      insert into runs (workspace_id, campaign_id, content_id, status, due_at, started_at, progress_at, finished_at, targets, expanded, summed,
                        in_activity, next_position, sent, delivered, receipts_closed_at, receipts_dropped, is_shared)
      select c.workspace_id, c.campaign_id, case when o.is_ended then t.content_id end,
             case when o.is_ended then 'completed' else 'planned' end::run_status, o.at, o.begun, o.begun, o.begun, o.posts, o.posts, o.posts, o.posts,
             o.posts + 1, o.posts, o.posts, o.begun, o.is_ended, o.is_ended
      from campaign c join content t using (campaign_id), generate_series(1, ${runs}::int) n,
      lateral (
        select ${isEnded}::boolean as is_ended, case when ${isEnded}::boolean then ${groups}::int else 0 end as posts,
               campanile_now() + (case when ${isEnded}::boolean then -1 - n - c.campaign_id % 300 else n end) * interval '1 day' as at,
               case when ${isEnded}::boolean then campanile_now() - (1 + n + c.campaign_id % 300) * interval '1 day' end as begun) o
      returning workspace_id, run_id, campaign_id, finished_at
    ), sender as (
      select row_number() over (order by account_id) - 1 as n, account_id from accounts join home using (workspace_id) where removed_at is null
    ), delivery as (
      insert into deliveries (workspace_id, run_id, position, group_id, account_id, message_id, status, sent_at, attempts, recipients, delivered)
      select r.workspace_id, r.run_id, g.position, g.group_id, s.account_id, 'grown ' || r.run_id || '-' || g.position, 'sent', r.finished_at, 1, 2, 1
      from run r join content t using (campaign_id) cross join unnest(t.group_ids) with ordinality g (group_id, position)
      join sender s on s.n = g.position % 2
      where ${isEnded}::boolean
    ), summed as (
      insert into group_sums (workspace_id, campaign_id, group_id, sent, recipients, delivered)
      select h.workspace_id, t.campaign_id, g, ${runs}::int, 2 * ${runs}::int, ${runs}::int from home h, content t, unnest(t.group_ids) g
      where ${isEnded}::boolean
    )
    select count(*) from run`;
  await execute(trx)`
    update campaigns c set content_id = t.content_id from contents t where c.content_id is null and t.campaign_id = c.campaign_id`;
}

/** Statements that may read more than the rule allows, by a part of their text, with the reason. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'r.missed::int as "missedRuns"': 'counts all plans of one user, when an administrator disables or enables the user',
  "then 'madeSince' when r.status = 'running' then 'begun' else 'fellDue' end as part":
    'lists all that a held ledger has to send, when an administrator looks at it',
  'content as materialized ( -- Once for each content, however many runs it has. select t.content_id, t.group_ids, (t.extras':
    'reads the groups of each plan once, and each planned run',
  'greatest(r.due_at, campanile_now()) as at from runs r join campaigns':
    'reads the contents of all planned runs of the span',
  'with near as materialized ( select range_agg': 'looks for a text, of which there is no index',
  'as "isSchedule", coalesce((select t.extras': 'sorts all campaigns of the workspace that match',
  'select count(*) from campaigns c': 'counts all campaigns of the workspace that match',
  'with run as materialized ( select r.run_id, r.content_id, r.started_at, c.campaign_id, c.public_id':
    'looks for a group in the runs of the span, of which there is no index',
  'with campaign as materialized ( select c.campaign_id, c.public_id, c.name, c.status from campaigns c join contents':
    'looks for a group in the planned campaigns, of which there is no index',
  'with run as materialized ( select r.run_id, c.public_id, c.name, c.status as campaign_status, r.due_at':
    'there is no index of runs by due date: it reads all runs of the workspace',
  'with gone as materialized ( select group_id from groups':
    'there is no index of removed groups: it reads all groups of the workspace',
  'c.weekdays, c.skip_dates as "skipDates", c.recurrence from campaigns c where c.is_schedule':
    'reads all schedules that have not ended',
  'and not exists ( select from campaigns c where c.workspace_id = $1 and c.is_schedule) as "isFirst"':
    'there is no index of schedules: it reads campaigns until it finds one',
  'select status, case when status = ': 'counts all accounts of the installation, for the metrics',
  'select array[exists (select from quarantine': 'asks for the work of all loops of the installation at once',
  'with recursive owner as (': 'reads the lanes of the shards of this worker where revisions or pins are wanted',
  'select ctid from "events" where "workspace_id"': 'erases a deleted user, once',
  'with deleted as materialized ( select user_id': 'looks for deleted users, and only after one was deleted',
  'from accounts where removed_at is not null order by random()':
    'looks for removed accounts, and only after one was removed',
  // Until the tables are analyzed for the first time, PostgreSQL combines two indexes, or reads a small table from end to end.
  'select account_id as "accountId", turn from lanes where shard = any($1':
    'reads lanes from end to end without statistics',
  'where w.workspace_id = $1 or w.test_of = $2': 'reads accounts from end to end without statistics',
  'from memberships where user_id = $1 and role = ': 'reads the index of owners without statistics',
  'select workspace_id, shard from revision_requests where next_position':
    'reads accounts from end to end without statistics',
  "update runs r set status = 'cancelled', finished_at": 'combines indexes of runs without statistics',
  'from (select run_id from runs where workspace_id = $2 and dropping': 'combines indexes of runs without statistics',
  'select m.name, exists (select from ( select c.campaign_id from contents c where c.media_id':
    'reads campaigns from end to end without statistics',
  'select distinct f.workspace_id from accounts f where not f.is_default':
    'reads accounts from end to end without statistics',
  'select account_id from accounts where waits_since is not null': 'reads accounts from end to end without statistics',
  'select * from accounts where waits_since is not null': 'reads accounts from end to end without statistics',
  'select count(*) from shards s': 'reads lanes from end to end without statistics',
  'select array_agg(content_id) as olds': 'combines indexes of runs without statistics',
  'with written as ( insert into contents': 'combines indexes of runs without statistics',
  'select from runs where workspace_id = $1 and campaign_id = $2 and status in':
    'combines indexes of runs without statistics',
  'with part as materialized ( select q.*, least(q.next_position': 'combines indexes of runs without statistics',
};

const isExcepted = (text: string) => Object.keys(EXCEPTIONS).some((part) => text.includes(part));

interface Greedy {
  source: string;
  rows: number;
  result: number;
  text: string;
}

/** Returns the statements of `src/sending` that read more than the rule allows, each with the most that it read. */
function findGreedy(statements: readonly Explained[]): Greedy[] {
  const greedy = new Map<string, Greedy>();
  for (const { text, plan } of statements) {
    const [rows, result, plain] = [rowsPassedBy(plan), rowsReturnedBy(plan), normalize(text)];
    if (rows <= LEAST + FOR_EACH * result || rows <= (greedy.get(plain)?.rows ?? 0) || isExcepted(plain)) continue;
    const own = SOURCES.filter((source) => isFrom(source, plain));
    const source = own.find(({ isWhole }) => isWhole) ?? own[0];
    if (source) greedy.set(plain, { source: `${source.file}:${source.line}`, rows, result, text: plain.slice(0, 300) });
  }
  return [...greedy.values()];
}

test.each([
  ['no statistics', false],
  ['current statistics', true],
])('reads rows in proportion to its result, with %s', async (_, isAnalyzed) => {
  const statements = await play(isAnalyzed);
  expect(findGreedy(statements)).toEqual([]);
  const plain = [...new Set(statements.map(({ text }) => normalize(text)))];
  const whole = SOURCES.filter(({ isWhole }) => isWhole);
  const seen = whole.filter((source) => plain.some((one) => isFrom(source, one)));
  expect(seen.length).toBeGreaterThan(whole.length / 2);
});
