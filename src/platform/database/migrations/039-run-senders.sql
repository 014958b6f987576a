-- One row for each run and account that sends it, of runs that several accounts send
-- (docs/explanation/decisions/0115-keep-how-far-each-sender-has-come.md).
--
-- It drops columns that no release has had: every process stops for the release that brings 034 anyway.
--
-- Locks: runs and deliveries exclusively, until it ends. Columns are added and dropped in the catalog alone. The index holds deliveries
-- that wait for another attempt, which are few; to find them it reads deliveries once: some 1 s for each million.
create table run_senders (
  workspace_id  bigint  not null,
  run_id        bigint  not null,
  account_id    bigint  not null,
  next_position int     not null default 1,      -- no first attempt of the account is before
  served_turn   bigint  not null default 0,      -- the turn of its lane in which it last sent from this run; 0: none
  returns       boolean not null default false,  -- what was handed over while it was down returns once it is connected
  primary key (workspace_id, run_id, account_id),
  foreign key (workspace_id, run_id) references runs on delete cascade
) with (fillfactor = 50);

update runs r set is_shared = true
where r.status = 'running' and not r.is_shared and (select count(*) from lanes l where l.workspace_id = r.workspace_id) > 1;
insert into run_senders (workspace_id, run_id, account_id, next_position, returns)
select r.workspace_id, r.run_id, l.account_id, r.next_position, r.has_handed_over and exists (
         select from deliveries d
         where d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.handed_from = l.account_id and d.status = 'queued')
from runs r join lanes l using (workspace_id)
where r.status = 'running' and r.is_shared;
alter table deliveries drop column handed_from;
alter table runs drop column has_handed_over;

drop index deliveries_waiting;
create index deliveries_waiting on deliveries (workspace_id, run_id, account_id, not_before) where not_before is not null;
