import { readRows, type Connection } from '../../../platform/database/statements.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { latestStart } from '../begin/expire-runs.ts';

/** What of a workspace has not been sent, without paused campaigns. */
export interface Unsent {
  workspaceId: WorkspaceId;
  name: string;
  /** Posts of runs that have begun. */
  queued: number;
  /** Runs whose time has come and that can still begin. */
  dueRuns: number;
  /** Runs whose time is too long ago. */
  missedRuns: number;
  /** Runs of later. */
  plannedRuns: number;
}

/** Returns what these workspaces have not sent, for an administrator who disables or enables their owner: no content of posts. */
export async function countUnsent(db: Connection, workspaceIds: readonly WorkspaceId[]): Promise<Unsent[]> {
  return readRows<Unsent>(db)`
    select w.workspace_id as "workspaceId", coalesce(w.name, u.user_name) as name, coalesce(r.queued, 0)::int8 as queued,
           r.due::int as "dueRuns", r.missed::int as "missedRuns", r.planned::int as "plannedRuns"
    from workspaces w
    join memberships o on o.workspace_id = w.workspace_id and o.role = 'owner'
    join users u on u.user_id = o.user_id
    cross join lateral (
      select sum(queued) filter (where status = 'running') as queued,
             count(*) filter (where status = 'planned' and due_at > campanile_now()) as planned,
             count(*) filter (where status = 'planned' and due_at <= campanile_now() and due_at > ${latestStart}) as due,
             count(*) filter (where status = 'planned' and due_at <= ${latestStart}) as missed
      from runs where workspace_id = w.workspace_id and status in ('planned', 'running') and not paused) r
    where w.workspace_id = any(${[...workspaceIds]}::bigint[]) order by w.workspace_id`;
}
