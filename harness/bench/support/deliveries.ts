import { execute, readRows, type Database } from '../../../src/platform/database/statements.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import type { Log } from '../../../src/platform/log/log.ts';
import { createOwner, sendNow, type Owner } from '../../../test/support/ledger.ts';
import { addAccount } from '../../../test/support/several-accounts.ts';
import type { EmptyDatabase } from './cluster.ts';
import { until } from './until.ts';
import { startBenchWorker } from './worker.ts';

export interface Load {
  accounts: number;
  groups: number;
  /** Of each account, each to all of its groups. */
  campaigns: number;
  /** Another account of each workspace sends half of it. */
  hasSeveral?: boolean;
  /** The post says three fields of each group. */
  hasFields?: boolean;
}

export const deliveriesOf = ({ accounts, groups, campaigns }: Load) => accounts * groups * campaigns;

const HTML = '<h2>Spring fair</h2><p>We open at <b>nine</b>. <a href="https://example.org/fair">Programme</a></p>';

export const HTML_WITH_FIELDS =
  '<h2>Spring fair</h2><p>We open at <b>{{ time_of_day }}</b> in {{ room }}. Ask {{ coordinator }}: <a href="https://example.org/fair">Programme</a></p>';
const FIELDS = ['time_of_day', 'room', 'coordinator'];

/** Gives each group of an owner three values. */
export async function giveValues(db: Database, owner: Owner): Promise<void> {
  await execute(db)`
    with field as (
      insert into fields (workspace_id, name, folded_name, kind, position)
      select ${owner.workspaceId}::bigint, n.name, n.name, 'text', n.place from unnest(${FIELDS}::text[]) with ordinality n (name, place)
      returning field_id)
    insert into group_values (group_id, workspace_id, field_values)
    select g.group_id, g.workspace_id, (select jsonb_object_agg(f.field_id, 'Value ' || g.group_id) from field f)
    from groups g where g.workspace_id = ${owner.workspaceId}`;
}

/** Deliveries per second through the whole path: claim, send to the sandbox, finish. The planner knows nothing of the tables. `prepare` is called right before. */
export async function drainDeliveries(
  database: EmptyDatabase,
  log: Log,
  load: Load,
  prepare?: () => Promise<void>,
): Promise<number> {
  const { db } = database;
  await migrate(db, log);
  for (let account = 0; account < load.accounts; account++) {
    const owner = await createOwnerWithChats(db, load.groups);
    if (load.hasSeveral) await shareGroups(db, owner);
    if (load.hasFields) await giveValues(db, owner);
    const html = load.hasFields ? HTML_WITH_FIELDS : HTML;
    for (let campaign = 0; campaign < load.campaigns; campaign++)
      await sendNow(db, owner, owner.groupIds, html, load.hasFields);
  }
  await prepare?.();

  const startedAt = performance.now();
  await using worker = await startBenchWorker(database, log);
  await until('the ledger', () => worker.sent() >= deliveriesOf(load));
  await until('the ledger', async () => {
    const left = await readRows(db)`select from runs where status = 'running' limit 1`;
    return left.length === 0;
  });
  return deliveriesOf(load) / ((performance.now() - startedAt) / 1_000);
}

/** Like a user with so many sandbox groups, without the hours it would take to make them one by one. */
export async function createOwnerWithChats(db: Database, groups: number): Promise<Owner> {
  const owner = await createOwner(db, groups);
  await execute(db)`
    insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
    select chat_id, workspace_id, 'group', name, '', gen_random_uuid(), array['15550000001', '15550000002']
    from groups where workspace_id = ${owner.workspaceId}`;
  return owner;
}

/** Adds an account, which sends to every second group. */
async function shareGroups(db: Database, owner: Owner): Promise<void> {
  const accountId = await addAccount(db, owner);
  await execute(db)`
    insert into senders (workspace_id, group_id, account_ids, set_by)
    select ${owner.workspaceId}::bigint, group_id, ${[accountId]}::bigint[], ${owner.userId}::bigint
    from unnest(${owner.groupIds.filter((_, index) => index % 2 === 1)}::bigint[]) group_id`;
}
