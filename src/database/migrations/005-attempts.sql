-- Who has tried what how often: counted here, so that it holds over several processes and over restarts.

create table attempts (
  subject text          primary key,           -- what is limited, and a hash of whose attempts they are
  times   timestamptz[] not null               -- of the attempts that count, oldest first
) with (fillfactor = 70);
