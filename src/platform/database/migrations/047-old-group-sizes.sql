-- The days on which groups had other sizes, by age: what is older than a year goes, also of groups that change no more.
-- Locks: group_sizes in SHARE mode while the index is built, some 100 ms for each million rows.
create index group_sizes_day on group_sizes using brin (day);
