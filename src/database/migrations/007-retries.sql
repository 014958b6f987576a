-- What trying again needs to know.

-- Tries that were cut off: their turn was taken from a worker that died or froze over them. Such a delivery is tried alone, and
-- given up in the end (docs/explanation/decisions/0016-suspect-what-was-cut-off.md).
alter table deliveries add cut_off smallint not null default 0;

-- Its owner asked for another try although an earlier one may have left: where repeated ids are not dropped the messenger still
-- looks for it first, but sends when it is not there. Without it such a try only looks.
alter table deliveries add resend boolean not null default false;

-- What the campaign was called when the content was written: a document is named after it, in every try of a run the same.
-- null: written before there was this column.
alter table contents add name text;
update contents t set name = c.name from campaigns c where c.campaign_id = t.campaign_id;
