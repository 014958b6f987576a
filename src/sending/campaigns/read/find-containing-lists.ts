import { sql } from 'kysely';
import type { Connection } from '../../../platform/database/connect.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/**
 * Returns, by content id, the smallest saved list that has all groups of a content; of several, the oldest. A content with a group outside
 * of every list is left out. Linear in the groups of lists and contents: each group has one bit for each list, smallest list first, and
 * the lists of a content are the bits that all its groups share. 500 is the limit of lists (contract §9).
 */
export async function findContainingLists(
  db: Connection,
  workspaceId: WorkspaceId,
  contents: ReadonlyArray<{ contentId: number }>,
): Promise<Map<number, number>> {
  const ids = [...new Set(contents.map(({ contentId }) => contentId))];
  const { rows } = await sql<{ contentId: number; groupListId: number }>`
    with list as materialized (
      select group_list_id, group_ids, row_number() over (order by cardinality(group_ids), group_list_id)::int as place
      from group_lists where workspace_id = ${workspaceId}
      order by place limit 500
    ), member as materialized (
      select u.group_id, bit_or(set_bit(0::bit(500), l.place - 1, 1)) as lists
      from list l cross join unnest(l.group_ids) u (group_id)
      group by u.group_id
    ), content as (
      select t.content_id, position(B'1' in bit_and(coalesce(m.lists, 0::bit(500)))) as place
      from contents t cross join unnest(t.group_ids) u (group_id) left join member m on m.group_id = u.group_id
      where t.content_id = any(${ids}::bigint[]) and exists (select from list)
      group by t.content_id
    )
    select content.content_id as "contentId", list.group_list_id as "groupListId"
    from content join list on list.place = content.place`.execute(db);
  return new Map(rows.map(({ contentId, groupListId }) => [contentId, groupListId]));
}
