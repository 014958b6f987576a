import { readRows, type Connection } from '../../platform/database/statements.ts';
import { diffLists } from '../../workspaces/audit/diff-values.ts';

/** Returns which groups were removed and added, by name, for the audit log; none if there are none. */
export async function diffGroups(trx: Connection, before: readonly number[], after: readonly number[]) {
  const [removed, added] = [new Set(before).difference(new Set(after)), new Set(after).difference(new Set(before))];
  if (removed.size + added.size === 0) return [];
  const rows = await readRows<{ groupId: number; name: string }>(trx)`
    select group_id as "groupId", name from groups where group_id = any(${[...removed, ...added]}::bigint[])`;
  const names = new Map(rows.map(({ groupId, name }) => [groupId, name]));
  // With the id, since groups may have the same name.
  const named = (ids: ReadonlySet<number>) => [...ids].map((id) => `${names.get(id) ?? ''} (${id})`);
  const change = diffLists(named(removed), named(added));
  return change ? [{ field: 'groups', ...change }] : [];
}
