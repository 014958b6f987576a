import { sql } from 'kysely';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { estimateSeconds, type Pace } from './estimate-seconds.ts';
import { readNow } from '../../../platform/database/read-now.ts';

export interface ExpectDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
  /** The pace of each messenger's accounts. */
  gaps: Readonly<Record<string, Pace>>;
}

/**
 * Estimates when the last post of a running campaign leaves and is pinned. null if nothing of it is running, it is paused, or its account is not
 * connected.
 */
export async function estimateFinish(deps: ExpectDeps, { workspaceId }: Actor, publicId: string): Promise<Date | null> {
  const { db, timeZone, gaps } = deps;
  const { rows } = await sql<{
    campaignId: number;
    accountId: number;
    messenger: string;
    queued: number;
    isPinned: boolean;
  }>`
    select c.campaign_id as "campaignId", a.account_id as "accountId", a.messenger, sum(r.queued)::int as queued,
           bool_or(r.pin_seconds is not null) as "isPinned"
    from accounts a
    join campaigns c on c.account_id = a.account_id
    join runs r on r.campaign_id = c.campaign_id
    where a.workspace_id = ${workspaceId} and c.public_id = ${publicId} and a.status = 'connected' and c.status = 'running' and r.status = 'running'
    group by c.campaign_id, a.account_id, a.messenger`.execute(db);
  const [left] = rows;
  if (!left || left.queued === 0) return null;
  const at = await readNow(db);
  const { accountId, campaignId: except, queued: groups, isPinned } = left;
  const seconds = await estimateSeconds(db, accountId, {
    groups,
    isPinned,
    at,
    pace: gaps[left.messenger],
    timeZone,
    except,
  });
  return new Date(at.getTime() + seconds * 1_000);
}
