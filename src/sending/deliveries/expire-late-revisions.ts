/**
 * Expires pending recalls, corrections and pins whose time is over, in bulk, at once, and without a turn of the account. Gives to admins of
 * the groups what waits for accounts that are down.
 */
import { execute, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Leases } from '../leases/leases.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { workInLedgers } from '../accounts/quarantine-account.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import type { Loop } from '../../platform/concurrency/loop.ts';
import type { MessengersCapabilities } from '../../messengers/messenger.ts';
import { findReplaceable, handOverRevisions } from './choose-reviser.ts';
import { tooLate } from './too-late.ts';
import { describeFailure, storeFailure } from '../../platform/errors/failures.ts';
import { findWanting, hasRevisions } from './watch-revisions.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

interface Settling extends PolledLoopDeps {
  db: Database;
  notifications: Notifications;
  leases: Pick<Leases, 'shards'>;
  messengers: MessengersCapabilities;
}

const POLL_MS = 1_000;
const EXPIRED_TOGETHER = 2_000;
/** What nobody can take over may be much. */
const RETRY_MS = 60_000;

export function expireLateRevisions(settling: Settling): Loop {
  const { db, log, notifications, leases } = settling;
  const windows = windowsOf(settling.messengers);
  /** By account that is down, when what waits for it was last given to others: by the process's monotonic clock. */
  let triedMs = new Map<AccountId, number>();

  /** Returns whether there may be more at once. */
  async function handOver(accounts: readonly AccountId[], held: readonly number[]): Promise<boolean> {
    const down = (await findReplaceable(db, accounts)).filter(({ workspaceId }) => !held.includes(workspaceId));
    triedMs = new Map(down.flatMap(({ accountId }) => toEntry(accountId, triedMs.get(accountId))));
    const nowMs = performance.now();
    const due = down.filter(({ accountId }) => (triedMs.get(accountId) ?? -Infinity) + RETRY_MS <= nowMs);
    return workInLedgers({ db, log }, 'late revisions', due, async (trx, one) => {
      if (!(await handOverRevisions(trx, one))) triedMs.set(one.accountId, nowMs);
    });
  }

  const loop = startPolledLoop(settling, {
    name: 'late revisions',
    isDue: hasRevisions,
    pollMs: POLL_MS,
    async step(restMs) {
      const accounts = await findWanting(db, leases.shards());
      if (accounts.length === 0) return restMs;
      const held = await readHeld(db, 'late revisions');
      const isHandedOver = await handOver(accounts, held);
      const late = await findLate(db, accounts, { windows, held });
      const isFound = await workInLedgers({ db, log }, 'late revisions', late, async (trx, { workspaceId }) => {
        await expireRevisions(trx, workspaceId, windows);
        await expirePins(trx, workspaceId);
      });
      return isFound || isHandedOver ? 0 : restMs;
    },
  });
  notifications.on('campanile_revisions', () => loop.wake());
  return loop;
}

const toEntry = (accountId: AccountId, atMs: number | undefined): Array<[AccountId, number]> =>
  atMs === undefined ? [] : [[accountId, atMs]];

interface Window {
  messenger: string;
  kind: 'recall' | 'correct';
  is_channel: boolean;
  window_ms: number;
  failure: string;
}

function windowsOf(messengers: MessengersCapabilities): Window[] {
  return [...messengers.values()].flatMap(({ name: messenger, changeWindows }) =>
    (['recall', 'correct'] as const).flatMap((kind) => {
      const window = changeWindows?.[kind];
      if (!window) return [];
      const common = { messenger, kind, failure: storeFailure(tooLate(window, kind)) };
      return [
        { ...common, is_channel: false, window_ms: window.groupMs },
        { ...common, is_channel: true, window_ms: window.channelMs },
      ];
    }),
  );
}

/** The recalls and corrections `r` of the lanes that meet `which`, at most `limit` of each, whose window `w` is over. */
const lateRevisions = (windows: readonly Window[], which: RawBuilder<unknown>, limit: number) => sql`
  from jsonb_to_recordset(${JSON.stringify(windows)})
    w (messenger text, kind revision_kind, is_channel boolean, window_ms float8, failure text)
  join lanes l on l.messenger = w.messenger and ${which}
  cross join lateral (
    select r.ctid as row from revisions r
    where r.workspace_id = l.workspace_id and r.account_id = l.account_id and r.wanted = w.kind and r.is_channel = w.is_channel and r.not_before is null
      and r.sent_at < campanile_now() - w.window_ms * interval '1 millisecond'
    order by r.sent_at desc nulls last limit ${limit}) late`;

/** A pin that could not be set for so long would surprise its owner: the post is old by then. */
const PIN_WAIT_DAYS = 3;
const NOT_PINNED = storeFailure(describeFailure('change_expired', { days: PIN_WAIT_DAYS }));
const isLatePin = sql`r.wanted is not null and r.requested_at < campanile_now() - ${PIN_WAIT_DAYS} * interval '1 day'`;

/** Returns the workspaces of these accounts in which something is late. */
function findLate(
  db: Connection,
  accountIds: readonly AccountId[],
  { windows, held }: { windows: readonly Window[]; held: readonly number[] },
): Promise<Array<{ workspaceId: WorkspaceId }>> {
  const which = sql`l.account_id = any(${[...accountIds]}::bigint[]) and l.workspace_id <> all(${[...held]}::bigint[])`;
  return readRows<{ workspaceId: WorkspaceId }>(db)`
    select l.workspace_id as "workspaceId" ${lateRevisions(windows, which, 1)}
    union
    select l.workspace_id from lanes l
    where ${which} and exists (select from pins r where r.workspace_id = l.workspace_id and ${isLatePin})
    order by 1`;
}

async function expireRevisions(trx: Connection, workspaceId: WorkspaceId, windows: readonly Window[]): Promise<void> {
  const late = lateRevisions(windows, sql`l.workspace_id = ${workspaceId}`, EXPIRED_TOGETHER);
  await execute(trx)`
    update revisions v set wanted = null, failure = t.failure::jsonb
    from (select late.row, w.failure ${late} limit ${EXPIRED_TOGETHER}) t where v.ctid = t.row`;
}

async function expirePins(trx: Connection, workspaceId: WorkspaceId): Promise<void> {
  await execute(trx)`
    update pins set wanted = null, not_before = null, failure = ${NOT_PINNED}::jsonb where ctid = any(array(
      select r.ctid from pins r where r.workspace_id = ${workspaceId} and ${isLatePin} limit ${EXPIRED_TOGETHER}))`;
}
