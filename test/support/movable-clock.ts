/** SQL that makes the clock of a database movable: `update test_clock set shift = …`. */
export const MOVABLE_CLOCK = `
  create table test_clock (shift interval not null);
  insert into test_clock values ('0');
  create or replace function campanile_now() returns timestamptz language sql stable parallel safe
    as 'select now() + (select shift from test_clock)'`;
