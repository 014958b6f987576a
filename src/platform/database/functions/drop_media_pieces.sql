-- Trigger function of media. The pieces of a file go with its bytes.
create or replace function drop_media_pieces() returns trigger language plpgsql as $$
begin
  delete from media_pieces where media_id = new.media_id;
  return null;
end $$;
