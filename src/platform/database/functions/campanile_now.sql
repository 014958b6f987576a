-- The clock of the ledger: all instants come from it. Tests replace it to move the clock.
create or replace function campanile_now() returns timestamptz language sql stable parallel safe as 'select now()';
