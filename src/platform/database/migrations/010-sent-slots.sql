-- Counts the posts of each account, so that the daily cap depends neither on rows that may be removed nor on a cached answer
-- (docs/explanation/decisions/0028-enforce-send-windows-in-the-claim.md). lanes.open_until and lanes.open_for are no longer used; they
-- stay until the next release, because the previous version needs them.
--
-- Posts are counted by quarter hours: every day of every time zone consists of whole ones.
--
-- Locks: lanes exclusively, while the constraint reads its rows once and while the backfill reads the deliveries of the runs of the last
-- two days: some seconds for a million deliveries. All processes stop for an upgrade.

alter table lanes
  add column sent_slot    timestamptz,                -- the quarter hour of the last claim; null: there was none
  add column sent_in_slot int not null default 0,     -- posts of that quarter hour that left, may have left, or are in hand
  add constraint lanes_sent check (sent_in_slot >= 0);

-- The same for earlier quarter hours of the last days.
create table sent_slots (
  account_id bigint      not null references accounts on delete cascade,
  slot       timestamptz not null,                    -- its beginning
  posts      int         not null,
  primary key (account_id, slot)
);

insert into sent_slots (account_id, slot, posts)
select d.account_id, quarter_hour(d.sent_at), count(*)
from (
  select account_id, run_id from runs where status = 'running'
  union all
  select account_id, run_id from runs where finished_at > campanile_now() - interval '3 days' and status <> 'running'
) r
join deliveries d on d.account_id = r.account_id and d.run_id = r.run_id
where d.sent_at > campanile_now() - interval '3 days'
group by 1, 2;

-- A turn in hand may have left.
update lanes set sent_slot = quarter_hour(campanile_now()), sent_in_slot = count_positions(in_hand) where in_hand_run_id is not null;

update quarantine set batch = 'send windows' where batch = 'closed lanes';
