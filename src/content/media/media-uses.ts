import { sql, type RawBuilder } from 'kysely';

/**
 * The campaigns (`campaign_id`, once for each content) whose posts have the file of the row `m` of `media`, also as the picture of a card, as
 * a table. Each is found by an index of its own.
 */
export const CAMPAIGNS_OF_MEDIA: RawBuilder<unknown> = sql`(
  select c.campaign_id from contents c where c.media_id = m.media_id
  union all
  select c.campaign_id from content_files f join contents c using (content_id) where f.media_id = m.media_id
  union all
  select c.campaign_id from contents c
  where (c.extras -> 'linkPreview' -> 'picture' ->> 'mediaId')::bigint = m.media_id and c.extras -> 'linkPreview' -> 'picture' is not null)`;

/** The condition that the draft or template `d` has the file of the row `m`. */
export const IS_IN_DRAFT: RawBuilder<boolean> = sql`
  d.workspace_id = m.workspace_id
  and (d.media_id = m.media_id or d.content -> 'media' @> jsonb_build_array(jsonb_build_object('media_id', m.media_id)))`;

/** The condition that a post which waits for an approval has the file of the row `m`. */
export const IS_AWAITED: RawBuilder<boolean> = sql`exists (
  select from approvals p
  where p.workspace_id = m.workspace_id and p.state in ('waiting', 'changes_requested') and m.media_id = any(p.media_ids))`;
