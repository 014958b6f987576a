-- The workspace owns, an account sends (docs/explanation/decisions/0111-let-the-workspace-own-and-an-account-send.md): what a workspace owns
-- is kept under the id of the workspace in place of that of its default account, and every delivery names its account.
--
-- It renames in one step instead of by "expand, then contract": every process stops for this upgrade anyway
-- (docs/explanation/decisions/0057-keep-each-releases-data-as-an-upgrade-fixture.md).
--
-- Locks: all tables that it names, exclusively, until it ends. It writes each row of deliveries, revisions and pins once, and builds their
-- indexes: some 25 s for each million deliveries on two shared cores. The other tables change in the catalog alone where each workspace has the same id as its
-- default account, as in most installations; otherwise each of their rows is written once, too: some 25 s for each million.

-- The lock of what a workspace owns: whoever changes its sending or its outcomes locks this row first, and then lanes.
create table workspace_ledgers (
  workspace_id      bigint primary key references workspaces on delete cascade,
  changes           bigint not null default 0,  -- counted for live progress
  -- The default account while posts were kept under its id, which is in their message ids and in the hashes of participants. null: never.
  legacy_account_id bigint
) with (fillfactor = 50);

insert into workspace_ledgers (workspace_id, changes, legacy_account_id)
select a.workspace_id, l.changes, a.account_id from accounts a join lanes l using (account_id) where a.is_default;
create trigger workspaces_ledger after insert on workspaces for each row execute function create_ledger();

-- Whose rows these are; negative where the account is gone.
create function workspace_of(of_account bigint) returns bigint language plpgsql stable parallel safe as $$
begin
  return coalesce((select workspace_id from accounts where account_id = of_account and is_default), -of_account);
end $$;

-- Their keys change below.
alter table revision_requests drop constraint revision_requests_account_id_run_id_fkey;
alter table everyone_mentions drop constraint everyone_mentions_account_id_run_id_fkey;
alter table pins drop constraint pins_account_id_run_id_fkey;
alter table campaigns drop constraint campaigns_account_id_fkey;
alter table groups drop constraint groups_account_id_fkey;
alter table group_lists drop constraint group_lists_account_id_fkey;

do $owned$
declare
  owned text;
  is_same constant boolean := not exists (select from accounts where is_default and account_id <> workspace_id);
begin
  foreach owned in array array['campaigns', 'group_lists', 'groups', 'group_sizes', 'group_sums', 'group_activity', 'time_sums', 'runs',
                               'run_minutes', 'receipts', 'provisional_receipts', 'revision_requests', 'everyone_mentions', 'votes',
                               'poll_results', 'poll_hours', 'review_answers'] loop
    execute format('alter table %I rename column account_id to workspace_id', owned);
    if is_same then continue; end if;
    -- A generated column keeps the type of its source as it is.
    if owned in ('runs', 'revision_requests') then execute format('alter table %I drop column shard', owned); end if;
    execute format('alter table %I alter column workspace_id type bigint using workspace_of(workspace_id)', owned);
    if owned in ('runs', 'revision_requests') then
      execute format('alter table %I add column shard smallint not null generated always as (campanile_shard(workspace_id)) stored', owned);
    end if;
    execute format('analyze %I', owned);
  end loop;
end $owned$;
create index if not exists runs_due on runs (shard, due_at) where status = 'planned' and not paused;
create index if not exists runs_expanding on runs (shard, workspace_id) where status = 'running' and expanded < targets;

-- Who is to send, or has sent, or changes what was sent: named in each row.
drop index revisions_newest;
drop index revisions_waiting;
drop index pins_newest;
drop index pins_waiting;
do $sent$
declare
  sent text;
begin
  foreach sent in array array['deliveries', 'revisions', 'pins'] loop
    execute format('alter table %I rename column account_id to workspace_id', sent);
    execute format('alter table %I rename column sender_id to account_id', sent);
    execute format('alter table %I alter column account_id type bigint using coalesce(account_id, workspace_id), alter column account_id set not null,
                      alter column workspace_id type bigint using workspace_of(workspace_id)', sent);
    execute format('analyze %I', sent);
  end loop;
end $sent$;
create index revisions_newest on revisions (workspace_id, account_id, wanted, is_channel, sent_at desc nulls last)
  where wanted is not null and not_before is null;
create index revisions_waiting on revisions (workspace_id, account_id, not_before) where not_before is not null;
create index pins_newest on pins (workspace_id, account_id, sent_at desc nulls last) where wanted is not null and not_before is null;
create index pins_waiting on pins (workspace_id, account_id, not_before) where not_before is not null;

-- As the columns are called.
alter table campaigns add constraint campaigns_workspace_id_fkey foreign key (workspace_id) references workspaces on delete cascade;
alter table groups add constraint groups_workspace_id_fkey foreign key (workspace_id) references workspaces on delete cascade;
alter table group_lists add constraint group_lists_workspace_id_fkey foreign key (workspace_id) references workspaces on delete cascade;
alter table revision_requests
  add constraint revision_requests_workspace_id_run_id_fkey foreign key (workspace_id, run_id) references runs on delete cascade;
alter table everyone_mentions
  add constraint everyone_mentions_workspace_id_run_id_fkey foreign key (workspace_id, run_id) references runs on delete cascade;
alter table pins add constraint pins_workspace_id_run_id_fkey foreign key (workspace_id, run_id) references runs on delete cascade;
alter table groups rename constraint groups_account_id_chat_id_key to groups_workspace_id_chat_id_key;
alter index campaigns_account rename to campaigns_workspace;
alter index group_lists_account rename to group_lists_workspace;

-- It names the workspace already.
alter table approval_reviews drop column account_id;

drop trigger lanes_default on lanes;
drop index lanes_ledger;
alter table lanes add column workspace_id bigint;
update lanes l set workspace_id = a.workspace_id from accounts a where a.account_id = l.account_id;
alter table lanes
  alter column workspace_id set not null,
  alter column workspace_id set default 0,               -- set_lane_workspace sets it
  add constraint lanes_workspace_id_fkey foreign key (workspace_id) references workspace_ledgers on delete cascade,
  drop column ledger_id,
  drop column changes;
create index lanes_workspace on lanes (workspace_id, account_id);
create trigger lanes_workspace before insert on lanes for each row execute function set_lane_workspace();

-- The sandbox's groups are those of all accounts of a workspace there.
alter table sandbox_accounts add column workspace_id bigint;
update sandbox_accounts s set workspace_id = a.workspace_id from accounts a where a.account_id = s.account_id;
delete from sandbox_accounts where workspace_id is null;
alter table sandbox_accounts alter column workspace_id set not null, drop column host_id;
create index sandbox_accounts_workspace on sandbox_accounts (workspace_id);
alter table sandbox_chats rename column account_id to workspace_id;
update sandbox_chats set workspace_id = workspace_of(workspace_id) where workspace_id <> workspace_of(workspace_id);
alter index sandbox_chats_account rename to sandbox_chats_workspace;

-- The batches whose items are those of workspaces now try them once more.
delete from quarantine where account_id is not null and batch in (
  'activity', 'deleted campaigns', 'due runs', 'failover', 'late revisions', 'late runs', 'old campaigns', 'old receipts', 'requests', 'sums',
  'sums of minutes', 'unbegun runs', 'written deliveries', 'zone rules');

drop function workspace_of(bigint);
drop function set_ledger();
drop function if exists lock_ledgers(jsonb);
