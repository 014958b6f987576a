import { readRow, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';
import { dateIn } from './quiet-hours.ts';

/** What the groups of a workspace are spared, whichever account sends. */
export interface WorkspaceRules {
  /** How often a day all members of one group may be mentioned; 0: never. */
  mentionAllCap: number;
  /** More posts to one group in seven days are warned of; null: any number is right. */
  weeklyPosts: number | null;
  /** IANA: what the owner chose, else the installation's. */
  timeZone: string;
  /** In that zone. */
  today: Temporal.PlainDate;
}

/** Returns the rules of a workspace. Undefined if its owner is deleted. `timeZone` is the installation's. */
export async function readWorkspaceRules(db: Connection, workspaceId: WorkspaceId, timeZone: string) {
  const row = await readRow<Omit<WorkspaceRules, 'today' | 'timeZone'> & { timeZone: string | null; now: Date }>(db)`
    select w.mention_all_cap as "mentionAllCap", w.weekly_posts as "weeklyPosts", u.time_zone as "timeZone", campanile_now() as now
    from workspaces w
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where w.workspace_id = ${workspaceId}`;
  if (!row) return undefined;
  const zone = knownTimeZone(row.timeZone, timeZone);
  return { ...row, timeZone: zone, today: dateIn(zone, row.now.toTemporalInstant()) };
}
