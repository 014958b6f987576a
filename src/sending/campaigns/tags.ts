/** Tags of campaigns: words to find them and report on them by (contract §4). Members see none. */
import { execute, readColumn, sql, type Connection, type RawBuilder } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { foldFieldName } from '../../content/text/fold-name.ts';
import type { OwnData } from '../accounts/own-data.ts';

export interface CampaignOwnData extends OwnData {
  /** In their order, each once. A change replaces all of them. */
  tags?: readonly string[] | undefined;
}

/** Suggestions: more would be a long list to look through. */
const MOST_IN_USE = 500;

/** The tags of the campaign `c`. */
export const TAGS = sql<string[]>`array(
  select t.name from campaign_tags t where t.campaign_id = c.campaign_id order by t.position)`;

/** Replaces the tags of a campaign. The ledger must be locked. */
export async function writeTags(
  trx: Connection,
  { workspaceId, campaignId }: { workspaceId: WorkspaceId; campaignId: number },
  tags: readonly string[],
): Promise<void> {
  await execute(trx)`delete from campaign_tags where campaign_id = ${campaignId}`;
  if (tags.length > 0)
    await execute(trx)`${insertTags(sql`select ${workspaceId}::bigint, ${campaignId}::bigint`, tags)}`;
}

/** The statement that writes the tags of the campaign in `from`, a query of its workspace and its id. */
export const insertTags = (from: RawBuilder<unknown>, tags: readonly string[] = []): RawBuilder<unknown> => sql`
  insert into campaign_tags (workspace_id, campaign_id, position, name, folded_name)
  select c.workspace_id, c.campaign_id, t.position, t.name, t.folded_name
  from (${from}) c (workspace_id, campaign_id),
       unnest(${[...tags]}::text[], ${tags.map(foldFieldName)}::text[]) with ordinality t (name, folded_name, position)`;

/** Whether a row `t` of `campaign_tags` is that of a campaign of the workspace with this tag, however it is written. */
export function isTag(workspaceId: WorkspaceId, tag: string): RawBuilder<boolean> {
  return sql`(t.workspace_id = ${workspaceId}::bigint and t.folded_name = ${foldFieldName(tag)}::text)`;
}

/** Returns the tags in use, each as it was first written, the first of them by their letters. Reads an index entry for each use at most. */
export function listTags(db: Connection, workspaceId: WorkspaceId, withTests: boolean): Promise<string[]> {
  const next = (after: RawBuilder<unknown>) => sql`(
    select t.name, t.folded_name from campaign_tags t
    where t.workspace_id = ${workspaceId} and ${after}
      and (${withTests}::boolean or not (select c.is_test from campaigns c where c.campaign_id = t.campaign_id))
    order by t.folded_name, t.campaign_id limit 1)`;
  return readColumn<string>(db)`
    with recursive found as (
      ${next(sql`true`)}
      union all
      select following.* from found cross join lateral ${next(sql`t.folded_name > found.folded_name`)} following
    )
    select name from found limit ${MOST_IN_USE}`;
}
