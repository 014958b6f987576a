-- Runs that were missed or ended with failures, and that somebody has left out of what did not go out.
-- Locks: runs exclusively, for milliseconds: a column with a constant default writes no row.

alter table runs add column left_out boolean not null default false;  -- nothing more is to be sent of it, its owner says
