import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

/** A file that no campaign and no draft has is kept for so long after it was last used: something that is under way may be about to need it. */
const UNUSED_MEDIA_KEPT_DAYS = 1;
/** As MEDIA_RETENTION_DAYS: until then a campaign that has ended can be tried again. */
export const MEDIA_DAYS = 90;
const FILES_PER_STEP = 200;

/**
 * Looks at the next few files after the one of id `after`. Those that no campaign and no draft has, such as pictures of channels, are
 * removed; of those whose campaigns have all ended over `mediaDays` ago the bytes are, and what they were is still told. A day longer than
 * promised, so that nothing is dropped that a request has just found good. Resolves to the id of the last that was looked at; undefined
 * when there was none.
 */
export async function dropUnusedMedia(
  db: Connection,
  after: number,
  mediaDays: number = MEDIA_DAYS,
): Promise<number | undefined> {
  const { rows } = await sql<{ last: number | null }>`
    with page as materialized (
      select media_id, workspace_id, exists (select from contents c where c.media_id = m.media_id) as is_told,
             bytes is not null and used_at <= campanile_now() - ${UNUSED_MEDIA_KEPT_DAYS} * interval '1 day'
               and not exists (select from drafts d where d.media_id = m.media_id)
               and not exists (
                 select from contents c join campaigns k on k.campaign_id = c.campaign_id
                 where c.media_id = m.media_id
                   and coalesce(k.finished_at, 'infinity') > campanile_now() - (${mediaDays}::int + 1) * interval '1 day'
               ) as is_idle
      from media m where media_id > ${after} order by media_id limit ${FILES_PER_STEP}
    ), held as materialized (
      -- In one order, so that two of us never wait for each other.
      select workspace_id from workspaces
      where workspace_id in (select workspace_id from page where is_idle) order by workspace_id for no key update
    ), idle as materialized (
      select p.media_id, p.is_told from page p join held h using (workspace_id) where p.is_idle
    ), removed as (
      delete from media m using idle i
      where m.media_id = i.media_id and not i.is_told and m.used_at <= campanile_now() - ${UNUSED_MEDIA_KEPT_DAYS} * interval '1 day'
    ), emptied as (
      update media m set bytes = null from idle i
      where m.media_id = i.media_id and i.is_told and m.used_at <= campanile_now() - ${UNUSED_MEDIA_KEPT_DAYS} * interval '1 day'
    )
    select max(media_id) as last from page`.execute(db);
  return rows[0]?.last ?? undefined;
}
