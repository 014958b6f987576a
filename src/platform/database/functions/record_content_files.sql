-- Trigger function of contents. Records which files a post with several has, so that none of them is deleted.
create or replace function record_content_files() returns trigger language plpgsql as $$
begin
  insert into content_files (content_id, media_id)
  select distinct new.content_id, (file ->> 'mediaId')::bigint from jsonb_array_elements(new.extras -> 'files') file;
  return null;
end $$;
