import { readRows, sql, type Database } from '../../../platform/database/statements.ts';
import { findWaits, type AccountWait } from '../../accounts/find-waits.ts';
import { nextHourOf, readLeftovers, type Plan } from '../../accounts/leftovers.ts';
import { readSendWindows, type SendWindow } from '../../accounts/send-window-rules.ts';
import { isWaitedFor } from '../../accounts/is-waited-for.ts';
import { findAccounts } from '../../accounts/store.ts';
import type { AccountId } from '../../../platform/database/schema.ts';
import type { CampaignDetails } from './get-campaign.ts';

/** Why posts that are due do not leave at once. `until` is null with `warm_up` while they leave slowly. */
export interface Wait extends AccountWait {
  /** The account that they wait for. */
  accountId: AccountId;
}

/**
 * Returns why posts of a campaign that are due wait; undefined if they do not. Of several accounts that have posts of a running run, it is
 * the one that waits longest; a run that has not begun waits until any account can send. `timeZone` is the installation's.
 */
export async function findWait(
  { db, timeZone }: { db: Database; timeZone: string },
  { campaignId, workspaceId, status }: Pick<CampaignDetails, 'campaignId' | 'workspaceId' | 'status'>,
): Promise<Wait | undefined> {
  if (status !== 'running' && status !== 'scheduled') return undefined;
  const rows = await readRows<PlannedRun & { hasBegun: boolean }>(db)`
    select l.account_id as "accountId", r.status = 'running' as "hasBegun", r.ignores_quiet_hours as "ignoresQuietHours",
           r.run_id as "runId", r.due_at as "dueAt", (select time_zone from campaigns where campaign_id = ${campaignId}) as "timeZone"
    from lanes l join runs r on r.campaign_id = ${campaignId} and r.workspace_id = l.workspace_id and not r.paused
    where l.workspace_id = ${workspaceId}
      and (r.status = 'running' and r.queued > 0 and ${isWaitedFor(sql`l.account_id`)}
           or r.status = 'planned' and r.due_at <= campanile_now())`;
  const begun = rows.filter(({ hasBegun }) => hasBegun);
  const waitedFor = [...new Set((begun.length > 0 ? begun : rows).map(({ accountId }) => accountId))];
  const accounts = (await findAccounts(db, waitedFor)).filter((account) => account !== undefined);
  const waits = await findWaits(db, accounts, timeZone);
  if (begun.length === 0) return waits.size < waitedFor.length ? undefined : soonest(waits);
  const ignoresQuietHours = begun.every((run) => run.ignoresQuietHours);
  const ruled = accounts.flatMap(({ accountId, hasRules }) => (hasRules ? [accountId] : []));
  if (ruled.length > 0) await keepHours(db, { waits, begun, windows: await readSendWindows(db, ruled, timeZone) });
  const kept = byEnd(waits).filter(({ reason }) => !ignoresQuietHours || reason !== 'quiet_hours');
  return kept.at(-1) ?? findSlow(db, waitedFor, timeZone);
}

interface PlannedRun extends Plan {
  accountId: AccountId;
  runId: number;
}

/** Has what a cap leaves over wait for the hour of its plan, also on a day on which its account sends other posts. */
async function keepHours(
  db: Database,
  {
    waits,
    begun,
    windows,
  }: { waits: Map<AccountId, AccountWait>; begun: readonly PlannedRun[]; windows: readonly SendWindow[] },
): Promise<void> {
  const leftovers = await readLeftovers(db, windows);
  for (const run of begun) {
    const { accountId } = run;
    const [wait, window] = [waits.get(accountId), windows.find((one) => one.accountId === accountId)];
    const leftover = leftovers.get(accountId)?.find(({ runId, isWaiting }) => isWaiting && runId === run.runId);
    if (window && wait) waits.set(accountId, keepHour(wait, run, window));
    else if (leftover) waits.set(accountId, { reason: leftover.reason, since: null, until: toDate(leftover.at) });
  }
}

/** Returns the wait of posts of that plan: a cap that is used up holds them back until the hour of the plan comes again. */
export function keepHour<W extends AccountWait>(wait: W, plan: Plan, window: SendWindow): W {
  const isUsedUp = wait.reason === 'daily_cap' || wait.reason === 'warm_up';
  return isUsedUp && window.until ? { ...wait, until: toDate(nextHourOf(plan, window, window.until)) } : wait;
}

const toDate = (at: Temporal.Instant) => new Date(at.epochMilliseconds);

/** Returns the wait that ends first; undefined without any. */
export function soonest(waits: ReadonlyMap<AccountId, AccountWait>): Wait | undefined {
  return byEnd(waits)[0];
}

function byEnd(waits: ReadonlyMap<AccountId, AccountWait>): Wait[] {
  const endOf = ({ until }: Wait) => until?.getTime() ?? Number.MAX_VALUE;
  return [...waits]
    .map(([accountId, wait]): Wait => ({ accountId, ...wait }))
    .toSorted((one, other) => endOf(one) - endOf(other));
}

/** Posts of a number that warms up leave slowly. */
async function findSlow(db: Database, accountIds: readonly AccountId[], timeZone: string): Promise<Wait | undefined> {
  const windows = await readSendWindows(db, accountIds, timeZone);
  const slow = windows.find(({ warmUpFrom }) => warmUpFrom);
  return slow && { accountId: slow.accountId, reason: 'warm_up', since: null, until: null };
}
