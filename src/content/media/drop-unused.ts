import { readColumn, readValue, type Database } from '../../platform/database/statements.ts';
import { isolateStatement, ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import type { Log } from '../../platform/log/log.ts';
import { CAMPAIGNS_OF_MEDIA, IS_AWAITED, IS_IN_DRAFT } from './media-uses.ts';

/**
 * A file that no campaign, no draft and no template has is kept for so long after it was last used: something that is under way may be about to need
 * it. A file that was uploaded by itself is kept as long as one of a campaign.
 */
const UNUSED_MEDIA_RETENTION_DAYS = 1;
/** MEDIA_RETENTION_DAYS: until then an ended campaign can be retried. */
export const MEDIA_DAYS = 90;
const FILES_PER_STEP = 200;

/**
 * Checks the next few files after the file with id `after`. A file without a campaign and a draft, such as a channel's picture, is
 * deleted, and so is one that has never arrived as a whole. If all campaigns of a file ended over `mediaDays` ago, its bytes are deleted
 * and its description stays. All this happens a day later than promised, so that a file that a request has just validated is still there.
 * Returns the id of the last checked file; undefined when there was none.
 */
export async function dropUnusedMedia(
  db: Database,
  after: number,
  mediaDays: number = MEDIA_DAYS,
  log?: Log,
): Promise<number | undefined> {
  const results = await isolateStatement({ db, log }, 'unused media', {
    findOwners: () => readColumn<number>(db)`
      select distinct workspace_id as id from (
        select workspace_id from media where media_id > ${after} order by media_id limit ${FILES_PER_STEP}) m`,
    run: (owners) => dropOf(db, after, { mediaDays, owners }),
  });
  return results.reduce((last, one) => one ?? last, undefined);
}

/** Handles the files of these workspaces. The cursor also passes the files of other workspaces. */
async function dropOf(db: Database, after: number, { mediaDays, owners }: { mediaDays: number; owners: Owners }) {
  const last = await readValue<number | null>(db)`
    with page as materialized (
      select media_id, workspace_id, exists (select from ${CAMPAIGNS_OF_MEDIA} c) as is_told,
             ${ownedBy('workspace_id', owners)}
               and (bytes is not null or not exists (select from ${CAMPAIGNS_OF_MEDIA} c))
               and used_at <= campanile_now()
                 - case when is_uploaded then ${mediaDays}::int + 1 else ${UNUSED_MEDIA_RETENTION_DAYS} end * interval '1 day'
               and not exists (select from drafts d where ${IS_IN_DRAFT}) and not ${IS_AWAITED}
               and not exists (
                 select from ${CAMPAIGNS_OF_MEDIA} c join campaigns k using (campaign_id)
                 where coalesce(k.finished_at, 'infinity') > campanile_now() - (${mediaDays}::int + 1) * interval '1 day'
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
      where m.media_id = i.media_id and not i.is_told and m.used_at <= campanile_now() - ${UNUSED_MEDIA_RETENTION_DAYS} * interval '1 day'
    ), emptied as (
      update media m set bytes = null, still = null from idle i
      where m.media_id = i.media_id and i.is_told and m.used_at <= campanile_now() - ${UNUSED_MEDIA_RETENTION_DAYS} * interval '1 day'
    )
    select max(media_id) as last from page`;
  return last ?? undefined;
}
