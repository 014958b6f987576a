/** Failover: what an account has not tried to send goes to its stand-ins while it cannot send, and returns once it can. */
import { sql } from 'kysely';
import type { CommandWaiters } from '../accounts/commands.ts';
import { lockLedger } from '../accounts/store.ts';
import { returnDeliveries, type RunSender } from '../deliveries/assign-senders.ts';
import { readGroupsOf } from '../groups/sync-groups.ts';
import type { Leases } from '../leases/leases.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import { startLoop, type Loop } from '../../platform/concurrency/loop.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { WorkPoll } from '../../platform/database/work-poll.ts';
import type { Log } from '../../platform/log/log.ts';
import { sleep } from '../../platform/time/time.ts';
import { ACCOUNT_HANDED_OVER_EVENT, ACCOUNT_WAITING_EVENT } from '../../workspaces/events/event-types.ts';
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
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

interface FailoverDeps {
  db: Database;
  log: Log;
  leases: Pick<Leases, 'shards'>;
  /** The installation's, IANA; UTC unless given. */
  timeZone?: string | undefined;
  workPoll?: WorkPoll | undefined;
  onLoopError?: OnLoopError;
}

const POLL_MS = 2_000;
/** The worker that has the session writes the result; nobody wakes this one. */
const POLLING: CommandWaiters = { wait: (_commandId, ms) => sleep(ms) };

/**
 * Hands over what accounts have not tried to send, when they have been down for as long as their workspace allows, until stopped. Before,
 * the groups of the other accounts are read. Where the workspace wants to be asked, and where no other account can send all of it, it writes
 * one event for each failure and each run that begins to wait later, from which notices are made. What was handed over returns when its account is back, if the workspace wants that.
 */
export function startFailover(deps: FailoverDeps): Loop {
  const { db, log, leases, workPoll, onLoopError } = deps;
  const polled = {
    name: 'failover',
    isDue: () => hasFailover(leases.shards()),
    wake: () => loop.wake(),
  };
  const restMs = workPoll?.add(polled) ?? POLL_MS;

  const loop = startLoop(
    'failover',
    async () => {
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
          await ask(db, one);
        },
        // The groups of a stand-in may take long to be read.
        isParallel: true,
      });
      return restMs;
    },
    { log, ...(onLoopError && { onError: onLoopError }) },
  );
  return loop;
}

/** The owner of the workspace may have changed what they want, and the account may be back: both are checked under the lock. */
async function failOver({ db, log, timeZone }: FailoverDeps, down: DownAccount): Promise<void> {
  const { workspaceId, accountId } = down;
  const unread = await readGroupsOf({ db, waiters: POLLING }, workspaceId, await findUnread(db, down));
  for (const [standIn, error] of unread)
    log.warn({ err: error, accountId: standIn }, 'the groups of a stand-in could not be read: it takes over nothing');
  const count = await db.transaction().execute(async (trx) => {
    if (!(await lockLedger(trx, workspaceId)) || !(await isStillDown(trx, accountId))) return 0;
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
  await sql`update accounts set failover_tried_at = campanile_now() where account_id = ${accountId}`.execute(db);
  if (count > 0) log.info({ accountId, deliveries: count }, 'deliveries of an account that is down were handed over');
}

async function isStillDown(trx: Connection, accountId: AccountId): Promise<boolean> {
  const { rows } = await sql`
    select from accounts a join workspaces w using (workspace_id) where a.account_id = ${accountId} and ${isOverdue}`.execute(
    trx,
  );
  return rows.length > 0;
}

/** The audit log and the event (transactional outbox) of a hand-over by the service. */
async function recordFailover(trx: Connection, accountId: AccountId, deliveries: number): Promise<void> {
  await sql`
    insert into audit_log (workspace_id, user_id, action, subject, address, changes)
    select a.workspace_id, o.user_id, 'account.handed_over', coalesce(a.name, a.messenger), 'the service itself',
           ${JSON.stringify([{ field: 'handed_over', before: null, after: String(deliveries) }])}::jsonb
    from accounts a join workspaces w using (workspace_id)
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    where a.account_id = ${accountId}`.execute(trx);
  await sql`
    insert into events (workspace_id, type, data)
    select workspace_id, ${ACCOUNT_HANDED_OVER_EVENT}, jsonb_build_object('account_id', account_id, 'name', name, 'handed_over', ${deliveries}::int)
    from accounts where account_id = ${accountId}`.execute(trx);
}

/** Asks who is to send what waits: once for each failure, and again for each run that begins to wait. */
async function ask(db: Database, { workspaceId, accountId }: DownAccount): Promise<void> {
  await sql`
    with asked as (
      update accounts a set asked_at = campanile_now()
      where account_id = ${accountId} and down_since is not null and ${isUnasked}
        and ${hasUntried(sql`${workspaceId}`, sql`${accountId}`)}
      returning account_id, workspace_id, name, status, down_since
    )
    insert into events (workspace_id, type, data)
    select workspace_id, ${ACCOUNT_WAITING_EVENT}, jsonb_build_object(
      'account_id', account_id, 'name', name, 'status', status,
      'down_since', to_char(down_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    from asked`.execute(db);
}

/** The account may have failed again, and the owner may want it to stay: both are checked under the lock. */
async function giveBack({ db, timeZone }: FailoverDeps, one: RunSender): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await lockLedger(trx, one.workspaceId))) return;
    const { rows } = await sql`
      select from accounts a join workspaces w using (workspace_id) where a.account_id = ${one.accountId} and ${mayReturn}`.execute(
      trx,
    );
    if (rows.length > 0) await returnDeliveries(trx, one, timeZone);
  });
}
