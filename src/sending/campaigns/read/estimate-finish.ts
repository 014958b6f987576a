import { sql } from 'kysely';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/connect.ts';
import { readAccountShares, type AccountShare } from './account-shares.ts';
import { estimateSeconds, type Pace } from './estimate-seconds.ts';
import { readNow } from '../../../platform/database/read-now.ts';

export interface ExpectDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
  /** The pace of each messenger's accounts. */
  gaps: Readonly<Record<string, Pace>>;
}

/** When the last post of a running campaign is expected to leave and to be pinned, in all and by account. */
export interface ExpectedFinish {
  /** Null: nothing of it is running, it is paused, or an account that has something of it to send is not connected. */
  at: Date | null;
  /** Only of accounts with something to send. */
  byAccount: Map<number, Date | null>;
}

/** Estimates the finish of a campaign of the workspace; each account sends its share at its own pace. */
export async function estimateFinish(
  deps: ExpectDeps,
  { workspaceId }: Actor,
  publicId: string,
  shares?: readonly AccountShare[],
): Promise<ExpectedFinish> {
  const { db } = deps;
  const { rows } = await sql<Running>`
    select c.campaign_id as "campaignId", a.account_id as "accountId", a.messenger, a.status = 'connected' as "isConnected",
           sum(r.queued)::int as "left", bool_or(r.pin_seconds is not null) as "isPinned", bool_or(r.is_shared) as "isShared"
    from accounts a
    join campaigns c on c.account_id = a.account_id
    join runs r on r.campaign_id = c.campaign_id
    where a.workspace_id = ${workspaceId} and c.public_id = ${publicId} and c.status = 'running' and r.status = 'running'
    group by c.campaign_id, a.account_id, a.messenger, a.status`.execute(db);
  const [running] = rows;
  const byAccount = new Map<number, Date | null>();
  if (!running || running.left === 0) return { at: null, byAccount };
  const all = running.isShared ? (shares ?? (await readAccountShares(db, running.campaignId))) : [running];
  const now = await readNow(db);
  for (const share of all) {
    const { accountId, messenger, isConnected, left: groups } = share;
    if (groups === 0) continue;
    if (!isConnected || messenger === null) {
      byAccount.set(accountId, null);
      continue;
    }
    const { isPinned, campaignId: except } = running;
    const { timeZone } = deps;
    const asked = { groups, isPinned, at: now, pace: deps.gaps[messenger], timeZone, except };
    const seconds = await estimateSeconds(db, accountId, asked);
    byAccount.set(accountId, new Date(now.getTime() + seconds * 1_000));
  }
  return { at: latestOf([...byAccount.values()]), byAccount };
}

interface Running extends Pick<AccountShare, 'accountId' | 'messenger' | 'isConnected' | 'left'> {
  campaignId: number;
  isPinned: boolean;
  isShared: boolean;
}

function latestOf(instants: ReadonlyArray<Date | null>): Date | null {
  const known = instants.flatMap((instant) => (instant ? [instant.getTime()] : []));
  return known.length < instants.length || known.length === 0 ? null : new Date(Math.max(...known));
}
