import { readRow, type Database } from '../../../platform/database/statements.ts';
import type { Gaps } from '../../deliveries/pace.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { readAccountShares, type AccountShare } from './account-shares.ts';
import { estimateSeconds, readOthers } from './estimate-seconds.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

export interface ExpectDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
  /** The pace of each messenger's accounts. */
  gaps: Gaps;
}

/** When the last post of a running campaign is expected to leave and to be pinned, in all and by account. */
export interface ExpectedFinish {
  /** Null: nothing of it is running, it is paused, or an account that has something of it to send is not connected. */
  at: Date | null;
  /** Only of accounts with something to send. */
  byAccount: Map<AccountId, Date | null>;
}

/** Estimates the finish of a campaign of the workspace; each account sends its share at its own pace. */
export async function estimateFinish(
  deps: ExpectDeps,
  { workspaceId }: Actor,
  publicId: string,
  shares?: readonly AccountShare[],
): Promise<ExpectedFinish> {
  const { db } = deps;
  const running = await readRow<Running>(db)`
    select r.campaign_id as "campaignId", r.run_id as "runId", r."dueAt", r."left", r."isPinned", r."isShared",
           a.account_id as "accountId", a.messenger, coalesce(a.status = 'connected', false) as "isConnected"
    from (
      select r.campaign_id, sum(r.queued)::int as "left", bool_or(r.pin_seconds is not null) as "isPinned",
             bool_or(r.is_shared) as "isShared", max(r.run_id) as run_id, max(r.due_at) as "dueAt"
      from campaigns c join runs r on r.campaign_id = c.campaign_id
      where c.workspace_id = ${workspaceId} and c.public_id = ${publicId} and c.status = 'running' and r.status = 'running'
      group by r.campaign_id
    ) r
    -- Unless several accounts send the campaign, all of it is of one.
    cross join lateral (
      select d.account_id from deliveries d
      where d.workspace_id = ${workspaceId} and d.run_id = r.run_id order by d.position limit 1) d
    left join accounts a on a.account_id = d.account_id`;
  const byAccount = new Map<AccountId, Date | null>();
  if (!running || running.left === 0) return { at: null, byAccount };
  const all = running.isShared ? (shares ?? (await readAccountShares(db, running.campaignId))) : [running];
  const now = await readNow(db);
  const others = await readOthers(db, workspaceId, { at: now, except: running.campaignId, resting: [] });
  for (const share of all) {
    const { accountId, messenger, isConnected, left: groups } = share;
    if (groups === 0) continue;
    if (!isConnected || messenger === null) {
      byAccount.set(accountId, null);
      continue;
    }
    const { isPinned } = running;
    const { timeZone } = deps;
    const asked = { groups, isPinned, at: now, pace: deps.gaps[messenger], timeZone, others: others.get(accountId) };
    const seconds = await estimateSeconds(db, accountId, { ...asked, running });
    byAccount.set(accountId, new Date(now.getTime() + seconds * 1_000));
  }
  return { at: latestOf([...byAccount.values()]), byAccount };
}

interface Running extends Pick<AccountShare, 'accountId' | 'messenger' | 'isConnected' | 'left'> {
  campaignId: number;
  runId: number;
  dueAt: Date;
  isPinned: boolean;
  isShared: boolean;
}

function latestOf(instants: ReadonlyArray<Date | null>): Date | null {
  const known = instants.flatMap((instant) => (instant ? [instant.getTime()] : []));
  return known.length < instants.length || known.length === 0 ? null : new Date(Math.max(...known));
}
