import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

/** A file that no campaign has is kept for so long after it was last used: something that is under way may be about to need it. */
export const UNUSED_MEDIA_KEPT_DAYS = 1;
const FILES_PER_STEP = 200;

/**
 * Looks at the next few files after the one of id `after` and removes those that no campaign has, such as pictures of channels.
 * Resolves to the id of the last that was looked at; undefined when there was none.
 */
export async function dropUnusedMedia(db: Connection, after: number): Promise<number | undefined> {
  const { rows } = await sql<{ last: number | null }>`
    with page as materialized (
      select media_id from media where media_id > ${after} order by media_id limit ${FILES_PER_STEP}
    ), dropped as (
      delete from media m using page p
      where m.media_id = p.media_id and m.used_at <= campanile_now() - ${UNUSED_MEDIA_KEPT_DAYS} * interval '1 day'
        and not exists (select from contents c where c.media_id = m.media_id)
    )
    select max(media_id) as last from page`.execute(db);
  return rows[0]?.last ?? undefined;
}
