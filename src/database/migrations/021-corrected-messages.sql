-- That a post says something else than at first: members see that it was edited.
alter table sandbox_messages add column corrected_at timestamptz;
