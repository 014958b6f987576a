-- Several accounts of a workspace (docs/explanation/decisions/0107-send-from-several-accounts.md).
--
-- Locks: accounts, lanes, workspaces, runs, deliveries, revisions, pins and sandbox_accounts exclusively. Nullable columns and
-- constant defaults write no row; lanes are rewritten, one row an account. group_accounts gets a row a group: some seconds for a million.
-- events in SHARE mode while their index is built, some 1 s for each million.

-- The function that the trigger of lanes below names and 035-workspace-ledgers.sql drops.
create or replace function set_ledger() returns trigger language plpgsql as $$
begin
  new.ledger_id := coalesce(nullif(new.ledger_id, 0), new.account_id);
  return new;
end $$;

-- Every workspace has one default account from its creation on: its campaigns, groups and receipts are kept under the id of that account.
alter table accounts
  add column name       text,                            -- null: its number stands for it
  add column is_default boolean not null default true,
  add column down_since timestamptz,                     -- since when it cannot send; null: it can (record_downtime)
  add column asked_at   timestamptz,                     -- when the owner was last asked who shall send in its place
  add column failover_tried_at timestamptz;              -- when other accounts were last to take over while it was down
drop index accounts_workspace;
create unique index accounts_default on accounts (workspace_id) where is_default;
create index accounts_workspace on accounts (workspace_id, account_id);
create index accounts_further on accounts (workspace_id) where not is_default;
create trigger accounts_downtime before insert or update on accounts for each row execute function record_downtime();
update accounts a
set down_since = (select max(s.at) from account_states s where s.account_id = a.account_id)
where status not in ('connected', 'reconnecting') or stop_reason is not null;

-- The default account of the workspace, in whose ledger the account of this lane sends. The row in `lanes` of the default account is the
-- master lock of the ledger; a claim or finish of another lane locks both, in the order of their ids.
alter table lanes add column ledger_id bigint;
update lanes set ledger_id = account_id;
alter table lanes alter column ledger_id set not null, alter column ledger_id set default 0;
create index lanes_ledger on lanes (ledger_id);
create trigger lanes_default before insert on lanes for each row execute function set_ledger();

-- Which account is to send, or has sent; null: the default account.
alter table deliveries
  add column sender_id   bigint,
  add column handed_from bigint;                         -- the account that was down when this was handed over; null: it was not
alter table revisions add column sender_id bigint;
alter table pins add column sender_id bigint;
alter table runs
  add column is_shared       boolean not null default false,  -- several accounts send it
  add column has_handed_over boolean not null default false;  -- some of it may return to the account that was down

-- Each way to a group: an account that is a member.
create table group_accounts (
  group_id   bigint      not null references groups on delete cascade,
  account_id bigint      not null references accounts on delete cascade,
  can_send   boolean     not null,
  is_admin   boolean,                                    -- null: not known
  seen_at    timestamptz not null default campanile_now(),
  gone_at    timestamptz,                                -- no longer a member
  primary key (account_id, group_id)
);
create index group_accounts_group on group_accounts (group_id);
insert into group_accounts (group_id, account_id, can_send, seen_at, gone_at)
select group_id, account_id, can_send, coalesce(a.groups_synced_at, g.created_at), g.removed_at
from groups g join accounts a using (account_id);

-- Who sends to a group, to the groups of a list, or of the workspace: the preferred account and its stand-ins. Replaced rows are history.
create table senders (
  sender_rule_id bigint      generated always as identity primary key,
  workspace_id   bigint      not null references workspaces on delete cascade,
  group_id       bigint      references groups on delete cascade,
  group_list_id  bigint      references group_lists on delete cascade,
  account_ids    bigint[]    not null,                   -- empty: the rule was removed
  reason         text,
  set_by         bigint      not null,                   -- a user; no foreign key: people come and go
  set_at         timestamptz not null default campanile_now(),
  replaced_at    timestamptz,
  constraint senders_scope check (group_id is null or group_list_id is null)
);
create unique index senders_present on senders (workspace_id, coalesce(group_id, 0), coalesce(group_list_id, 0)) where replaced_at is null;
create index senders_group on senders (group_id) where group_id is not null;
create index senders_list on senders (group_list_id) where group_list_id is not null;
create index senders_person on senders (set_by);

alter table workspaces
  add column failover_minutes int check (failover_minutes between 1 and 10080),  -- null: the owner is asked
  add column fails_back boolean not null default true;   -- what has not been sent returns to the preferred account by itself

alter table sandbox_accounts add column host_id bigint;  -- it is a member of the groups of this account; null: of its own

-- A further account that was removed: it has no lane any more, and a worker deletes what is left of it, and then its row.
alter table accounts add column removed_at timestamptz;
create index accounts_removed on accounts (account_id) where removed_at is not null;
create index accounts_digits on accounts (whatsapp_digits) where whatsapp_digits is not null;

-- As src/notifications/notices/kinds.ts has it.
drop index events_noticed;
create index events_noticed on events (position)
  where type in ('campaign.completed', 'campaign.completed_with_errors', 'campaign.late', 'campaign.missed', 'campaign.rescheduled',
                 'campaign.paused', 'campaign.waiting', 'campaign.decided', 'account.logged_out', 'account.version_refused',
                 'account.waiting', 'account.handed_over', 'webhook.switched_off', 'backup.too_old');
