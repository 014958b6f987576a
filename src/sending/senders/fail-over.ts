/** Failover: what an account has not tried to send goes to its stand-ins while it cannot send, and returns once it can. */
import { execute, hasRow, sql, type Connection } from '../../platform/database/statements.ts';
import type { CommandWaiters } from '../accounts/commands.ts';
import { findWaits } from '../accounts/find-waits.ts';
import { findAccounts, inLedger } from '../accounts/store.ts';
import { returnDeliveries, type RunSender } from '../deliveries/assign-senders.ts';
import { readGroupsOf } from '../groups/sync-groups.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import { sleep } from '../../platform/time/time.ts';
import { ACCOUNT_HANDED_OVER_EVENT } from '../../workspaces/events/event-types.ts';
import {
  findDown,
  findReturnable,
  findUnread,
  hasFailover,
  hasUntried,
  isOverdue,
  isUnasked,
  mayReturn,
  type DownAccount,
} from './find-down.ts';
import { handOver } from './hand-over.ts';
import { toWaitingEvents, type WaitDeps } from './watch-waits.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

type FailoverDeps = PolledLoopDeps & WaitDeps;

const POLL_MS = 2_000;
/** The worker that has the session writes the result; nobody wakes this one. */
const POLLING: CommandWaiters = { wait: (_commandId, ms) => sleep(ms) };

/**
 * Hands over what accounts have not tried to send, when they have been down for as long as their workspace allows, until stopped. Before,
 * the groups of the other accounts are read. Where the workspace wants to be asked, and where no other account can send all of it, it writes
 * one event for each failure and each run that begins to wait later, from which notices are made. What was handed over returns when its account is back, if the workspace wants that.
 */
export function startFailover(deps: FailoverDeps): Loop {
  const { db, log, leases } = deps;
  return startPolledLoop(deps, {
    name: 'failover',
    isDue: () => hasFailover(leases.shards()),
    pollMs: POLL_MS,
    async step(restMs) {
      const shards = leases.shards();
      const held = new Set(await readHeld(db, 'failover'));
      const returnable = (await findReturnable(db, shards)).filter(({ workspaceId }) => !held.has(workspaceId));
      const down = (await findDown(db, shards)).filter(({ workspaceId }) => !held.has(workspaceId));
      const idOf = ({ workspaceId }: { workspaceId: WorkspaceId }) => workspaceId;
      await isolateEach({ db, log }, 'failover', returnable, { idOf, run: (one) => giveBack(deps, one) });
      await isolateEach({ db, log }, 'failover', down, {
        idOf,
        async run(one) {
          if (one.isHandedOver) await failOver(deps, one);
          await ask(deps, one);
        },
        // The groups of a stand-in may take long to be read.
        isParallel: true,
      });
      return restMs;
    },
  });
}

/** The owner of the workspace may have changed what they want, and the account may be back: both are checked under the lock. */
async function failOver({ db, log, timeZone }: FailoverDeps, down: DownAccount): Promise<void> {
  const { workspaceId, accountId } = down;
  const unread = await readGroupsOf({ db, waiters: POLLING }, workspaceId, await findUnread(db, down));
  for (const [standIn, error] of unread)
    log.warn({ err: error, accountId: standIn }, 'the groups of a stand-in could not be read: it takes over nothing');
  const count = await inLedger(db, workspaceId, async (trx) => {
    const isStillDown = await hasRow(trx)`
      select from accounts a join workspaces w using (workspace_id) where a.account_id = ${accountId} and ${isOverdue}`;
    if (!isStillDown) return 0;
    const passed = [...unread.keys()];
    const handedOver = await handOver(trx, {
      workspaceId,
      from: accountId,
      unread: passed,
      isReturnable: true,
      timeZone,
    });
    if (handedOver > 0) await recordFailover(trx, accountId, handedOver);
    return handedOver;
  });
  // Not before: it is due until it is done.
  await execute(db)`update accounts set failover_tried_at = campanile_now() where account_id = ${accountId}`;
  if (count) log.info({ accountId, deliveries: count }, 'deliveries of an account that is down were handed over');
}

/** The audit log and the event (transactional outbox) of a hand-over by the service. */
async function recordFailover(trx: Connection, accountId: AccountId, deliveries: number): Promise<void> {
  await execute(trx)`
    insert into audit_log (workspace_id, user_id, action, subject, address, changes)
    select a.workspace_id, o.user_id, 'account.handed_over', coalesce(a.name, a.messenger), 'the service itself',
           ${JSON.stringify([{ field: 'handed_over', before: null, after: String(deliveries) }])}::jsonb
    from accounts a join workspaces w using (workspace_id)
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    where a.account_id = ${accountId}`;
  await execute(trx)`
    insert into events (workspace_id, type, data)
    select workspace_id, ${ACCOUNT_HANDED_OVER_EVENT}, jsonb_build_object(
      'account_id', account_id, 'name', name, 'handed_over', ${deliveries}::int, 'external_id', external_id, 'metadata', metadata)
    from accounts where account_id = ${accountId}`;
}

/** Asks who is to send what waits: once for each failure, and again for each run that begins to wait. */
async function ask({ db, timeZone = 'UTC' }: FailoverDeps, { workspaceId, accountId }: DownAccount): Promise<void> {
  const accounts = (await findAccounts(db, [accountId])).filter((account) => account !== undefined);
  const wait = (await findWaits(db, accounts, timeZone)).get(accountId);
  await execute(db)`
    with told as (
      update accounts a set asked_at = campanile_now()
      where account_id = ${accountId} and down_since is not null and ${isUnasked}
        and ${hasUntried(sql`${workspaceId}`, sql`${accountId}`)}
      returning account_id, workspace_id, name, status, down_since as since, ${wait?.reason ?? 'unexplained'}::text as waits_reason,
                external_id, metadata
    ) ${toWaitingEvents}`;
}

/** The account may have failed again, and the owner may want it to stay: both are checked under the lock. */
async function giveBack({ db, timeZone }: FailoverDeps, one: RunSender): Promise<void> {
  await inLedger(db, one.workspaceId, async (trx) => {
    const isFound = await hasRow(trx)`
      select from accounts a join workspaces w using (workspace_id) where a.account_id = ${one.accountId} and ${mayReturn}`;
    if (isFound) await returnDeliveries(trx, one, timeZone);
  });
}
