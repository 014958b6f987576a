-- Why a recall, a correction, a pin or a mention of everybody came to nothing, as one value (`error`, `code`, `params`) in place of the
-- sentence alone (docs/explanation/decisions/0125-tell-failures-by-code.md). What was written before keeps its sentence: its code is `other`.
-- And the code of why an account is not connected, beside its sentence.
--
-- Locks: revisions, pins, everyone_mentions and group_sums exclusively, until it ends: they are written anew, some 5 s for each million
-- rows. Accounts exclusively, for milliseconds.

alter table revisions alter column error type jsonb
  using case when error is not null then jsonb_build_object('error', error, 'code', 'other', 'params', null) end;
alter table revisions rename column error to failure;

alter table pins alter column error type jsonb
  using case when error is not null then jsonb_build_object('error', error, 'code', 'other', 'params', null) end;
alter table pins rename column error to failure;

alter table everyone_mentions alter column left_out type jsonb
  using case when left_out is not null then jsonb_build_object('error', left_out, 'code', 'other', 'params', null) end;

alter table group_sums alter column revision_error type jsonb
  using case when revision_error is not null then jsonb_build_object('error', revision_error, 'code', 'other', 'params', null) end;
alter table group_sums rename column revision_error to revision_failure;

alter table accounts add column status_code text;  -- a code of src/platform/errors/account-states.ts; null: none is known
-- Of others the next change writes it. Without this one, the refusal would be told a second time.
update accounts set status_code = 'version_refused' where status_reason like '%accepts this version of its client%';
