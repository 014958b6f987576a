import { execute, type Database } from '../../../src/platform/database/statements.ts';

/** Rows of a ledger in bulk: what sign-ups and campaigns would have written, without the hours that would take. */
export interface ManyAccounts {
  accounts: number;
  /** Groups of each account. */
  groups: number;
}

/** Users with a linked sandbox account and its groups, and a campaign of each to all of them that has no run yet. */
export async function createManyAccounts(db: Database, { accounts, groups }: ManyAccounts): Promise<void> {
  await execute(db)`
    with person as (
      insert into users (first_name, last_name, user_name, email, phone_number, whatsapp_number, whatsapp_digits, password_hash)
      select 'Owner', '', 'owner' || n, 'owner' || n || '@example.com', '1', '4915100000001', '4915100000001', 'none'
      from generate_series(1, ${accounts}::int) n returning user_id
    ), workspace as (
      insert into workspaces (created_at) select campanile_now() from person returning workspace_id
    ), member as (
      insert into memberships (workspace_id, user_id, role)
      select workspace_id, user_id, 'owner'
      from (select workspace_id, row_number() over () as n from workspace) w
      join (select user_id, row_number() over () as n from person) p using (n)
    ), account as (
      insert into accounts (workspace_id, messenger, status, groups_synced_at)
      select workspace_id, 'sandbox', 'connected', campanile_now() from workspace returning account_id, workspace_id
    ), lane as (
      insert into lanes (account_id, messenger) select account_id, 'sandbox' from account
    ), known as (
      insert into sandbox_accounts (account_id, workspace_id) select account_id, workspace_id from account
    ), chat as (
      insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
      select account_id || '-' || g || '@g.us', workspace_id, 'group', 'Group ' || g, '', account_id || '-' || g,
             array['15550000001', '15550000002']
      from account, generate_series(1, ${groups}::int) g
    ), grouped as (
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
      select workspace_id, account_id || '-' || g || '@g.us', account_id || '-' || g || '@g.us', 'group', 'Group ' || g, 3, true
      from account, generate_series(1, ${groups}::int) g order by workspace_id, g returning workspace_id, group_id
    ), campaign as (
      insert into campaigns (workspace_id, name, description, is_channel_campaign, is_schedule, status, open_runs)
      select workspace_id, 'Bench', '', false, true, 'scheduled', 0 from account returning campaign_id, workspace_id
    )
    insert into contents (campaign_id, html, text, group_ids)
    select c.campaign_id, '<b>Hello</b>', '*Hello*', array_agg(g.group_id order by g.group_id)
    from campaign c join grouped g on g.workspace_id = c.workspace_id group by c.campaign_id`;
  await execute(db)`
    update campaigns c set content_id = t.content_id from contents t where t.campaign_id = c.campaign_id`;
}

/** Plans a run of each account's campaign, `afterMs` from now. */
export async function planRuns(db: Database, { afterMs, each = 1 }: { afterMs: number; each?: number }): Promise<void> {
  await execute(db)`
    insert into runs (workspace_id, campaign_id, due_at)
    select workspace_id, campaign_id, campanile_now() + ${afterMs}::float8 * interval '1 millisecond' + n * interval '1 day'
    from campaigns, generate_series(0, ${each}::int - 1) n`;
  await execute(db)`update campaigns set open_runs = open_runs + ${each}::int`;
}

/** What planned runs become when they begin: a delivery for each group, queued, and lanes that are awake. */
export async function beginAllRuns(db: Database): Promise<void> {
  await execute(db)`
    update runs r set status = 'running', content_id = c.content_id, started_at = campanile_now(), progress_at = campanile_now(),
           targets = cardinality(t.group_ids), queued = cardinality(t.group_ids), expanded = cardinality(t.group_ids)
    from campaigns c join contents t on t.content_id = c.content_id where c.campaign_id = r.campaign_id`;
  await execute(db)`
    insert into deliveries (workspace_id, account_id, run_id, position, group_id, message_id)
    select r.workspace_id, a.account_id, r.run_id, g.position, g.group_id, '3EB0' || upper(left(replace(gen_random_uuid()::text, '-', ''), 18))
    from runs r join contents t on t.content_id = r.content_id join accounts a on a.workspace_id = r.workspace_id,
         unnest(t.group_ids) with ordinality g (group_id, position) order by 1, 3, 4`;
  await execute(db)`update campaigns set status = 'running'`;
  await execute(db)`update lanes set work_at = campanile_now()`;
}
