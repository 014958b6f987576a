import { readRows, type Database } from '../../../platform/database/statements.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { readGroupList } from '../group-lists.ts';
import { filterGroups } from '../store.ts';
import { readFields, type Field } from './fields.ts';

export interface FieldSheet {
  fields: Field[];
  groups: Array<{ groupId: number; name: string; values: Readonly<Record<string, string>> }>;
}

/** Returns all groups of the workspace, or of one of its lists, with their values by field, in order of their names. Throws 404 for a list that is not its. */
export async function readFieldSheet(
  { db }: { db: Database },
  { workspaceId }: Actor,
  groupListId: number | undefined,
): Promise<FieldSheet> {
  if (groupListId !== undefined) await readGroupList(db, workspaceId, groupListId);
  const fields = await readFields(db, workspaceId);
  const groups = await readRows<FieldSheet['groups'][number]>(db)`
    select g.group_id as "groupId", g.name, coalesce(v.field_values, '{}') as values
    from ${filterGroups(db, workspaceId, { groupListId }).select(['group_id', 'name'])} g
    left join group_values v on v.group_id = g.group_id
    order by g.name collate natural_order, g.group_id`;
  return { fields, groups };
}
