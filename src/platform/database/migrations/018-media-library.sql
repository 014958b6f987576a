-- Files that come by themselves, and posts with several files (docs/explanation/decisions/0093-keep-large-files-in-pieces.md).
-- Locks: media, contents and sandbox_messages exclusively, for some milliseconds: new columns need no rewrite.
alter table media add column name text;                  -- as its owner uploaded it
alter table media add column is_uploaded boolean not null default false;  -- by itself: it stays without a campaign as long as one of a campaign
alter table media add column width int;                  -- of a film, in pixels
alter table media add column height int;
alter table media add column seconds int;

-- The bytes of a large file that came by itself; media.bytes is empty then. Before it is complete, its row in media has no bytes.
create table media_pieces (
  media_id bigint not null references media on delete cascade,
  position int    not null,                              -- from 0, PIECE_BYTES each
  bytes    bytea  not null,
  primary key (media_id, position)
);
alter table media_pieces alter column bytes set storage external;  -- such files are compressed already
create trigger media_emptied after update of bytes on media for each row
  when (old.bytes is not null and new.bytes is null) execute function drop_media_pieces();

-- The files of a post that has several, as extras->'files' names them.
create table content_files (
  content_id bigint not null references contents on delete cascade,
  media_id   bigint not null references media,
  primary key (content_id, media_id)
);
create index content_files_media on content_files (media_id);
create trigger content_written after insert on contents for each row
  when (new.extras ? 'files') execute function record_content_files();

alter table sandbox_messages add column files jsonb;     -- all files of a post that has several, as list-messages returns them
