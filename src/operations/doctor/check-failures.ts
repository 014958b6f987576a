/** Checks for repeated failures: of a process's background loops, and of batches because of one account. */
import { readRows, type Database } from '../../platform/database/statements.ts';
import { fail, ok, warn, type Results } from './finding.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

const MAX_REPORTED = 20;

/** Longer than the interval in which a process writes its problems. */
const SEEN_SECONDS = 30;

/** Reports the problems that processes have published. */
export async function checkLoops(db: Database): Promise<Results> {
  const rows = await readRows<{ process: string; message: string; since: Date }>(db)`
    select process, message, since from health_problems
    where seen_at > campanile_now() - ${SEEN_SECONDS} * interval '1 second' order by since, process`;
  if (rows.length === 0) return ok('No background loop keeps failing');
  return rows.map(({ process, message, since }) =>
    fail(
      `${process} has not been ready since ${since.toISOString()}. ${message}`,
      'Check the log of that process. It becomes ready again once the loop succeeds (docs/how-to/watch-it.md).',
    ),
  );
}

/** Reports posts that wait for an account that was removed: nobody would send them. */
export async function checkLanes(db: Database): Promise<Results> {
  const rows = await readRows<{ workspaceId: WorkspaceId; posts: number }>(db)`
    select r.workspace_id as "workspaceId", count(*)::int as posts
    from accounts a
    join runs r on r.workspace_id = a.workspace_id and r.status = 'running' and r.queued > 0
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.status = 'queued' and d.account_id = a.account_id
    where a.removed_at is not null group by 1 order by 1 limit ${MAX_REPORTED}`;
  return rows.map(({ workspaceId, posts }) =>
    fail(
      `${posts} ${posts === 1 ? 'post' : 'posts'} of workspace ${workspaceId} wait for an account that was removed`,
      'Report this as a defect. Cancel the campaigns of these posts, and send them again.',
    ),
  );
}

interface QuarantineRow {
  batch: string;
  accountId: AccountId | null;
  workspaceId: WorkspaceId | null;
  userId: number | null;
  userName: string | null;
  reason: string;
  failures: number;
  since: Date;
  nextTryAt: Date;
}

/** Lists the quarantined accounts, workspaces and users: they are left out of a batch because it failed on their data. */
export async function checkQuarantine(db: Database): Promise<Results> {
  const rows = await readRows<QuarantineRow & { total: number }>(db)`
    select q.batch, q.account_id as "accountId", q.workspace_id as "workspaceId", q.user_id as "userId", u.user_name as "userName",
           q.reason, q.failures, q.since, q.next_try_at as "nextTryAt", count(*) over ()::int as total
    from quarantine q
    left join accounts a on a.account_id = q.account_id
    left join workspaces w on w.workspace_id = coalesce(q.workspace_id, a.workspace_id)
    left join memberships m on m.workspace_id = coalesce(w.test_of, w.workspace_id) and m.role = 'owner'
    left join users u on u.user_id = coalesce(q.user_id, m.user_id)
    order by q.since, q.batch limit ${MAX_REPORTED}`;
  const [first] = rows;
  if (!first) return ok('No account, workspace or user is in quarantine');
  const results = rows.map((row) =>
    warn(
      `${nameOf(row)} has been in quarantine from the batch "${row.batch}" since ${row.since.toISOString()}, after ${row.failures} failed ` +
        `${row.failures === 1 ? 'attempt' : 'attempts'}: ${row.reason}. The next attempt is at ${row.nextTryAt.toISOString()}`,
      'Fix the cause that the reason names (docs/how-to/watch-it.md). All others continue.',
    ),
  );
  if (first.total > MAX_REPORTED) results.push(warn(`${first.total - MAX_REPORTED} more are in quarantine`));
  return results;
}

function nameOf({ accountId, workspaceId, userId, userName }: QuarantineRow): string {
  const who =
    accountId !== null ? `Account ${accountId}` : workspaceId !== null ? `Workspace ${workspaceId}` : `User ${userId}`;
  return userName === null ? who : `${who} (${userName})`;
}
