-- Members who are known under two ids, and accounts that a messaging application lets rest.

-- Which receipts were counted for an id that may prove to be somebody else's second one: hardly any, and none once it has.
create table provisional_receipts (
  account_id  bigint not null,
  participant bigint not null,                 -- as in receipts
  run_id      bigint not null,
  position    int    not null,
  primary key (account_id, participant, run_id, position)
);
create index provisional_receipts_run on provisional_receipts (account_id, run_id);

-- A pause outlives the process that was told of it, and each that follows another soon is longer.
alter table accounts add pause_cause text check (pause_cause in ('rate_limited', 'restricted', 'refused', 'used_elsewhere'));
alter table accounts add pauses      smallint not null default 0;  -- one after the other
alter table accounts add paused_at   timestamptz;                  -- when the last of them began
create index accounts_paused on accounts (pause_cause) where status = 'paused';
