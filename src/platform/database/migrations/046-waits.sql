-- Why an account for which something is due sends nothing, and since when: for the notice, the metric and the doctor. And runs whose posts
-- leave in quiet hours, too.
--
-- Locks: accounts and runs exclusively, for milliseconds: nullable columns and constant defaults write no row.

alter table accounts
  add column waits_since  timestamptz,  -- set: something is due, and nothing was sent since then
  add column waits_reason text;         -- what keeps it, as src/workspaces/events/wait-reasons.ts has it
create index accounts_waiting on accounts (workspace_id) where waits_since is not null;

alter table runs add column ignores_quiet_hours boolean not null default false;  -- somebody sends it at once, whatever the hour
-- It has another parameter now, with a default: calls of the previous version find the new one.
drop function if exists claim_turns(bigint, smallint[], int, int, int, text[], bigint[], bigint[], int[]);
