/**
 * Expires pending recalls, corrections and pins whose time is over: in bulk, at once, and without a turn of the account.
 */
import { sql } from 'kysely';
import type { Leases } from '../leases/leases.ts';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { WorkPoll } from '../../platform/database/work-poll.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop, type Loop } from '../../platform/concurrency/loop.ts';
import type { MessengersCapabilities } from '../../messengers/messenger.ts';
import { tooLate } from './too-late.ts';
import { findWanting, hasRevisions } from './watch-revisions.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

interface Settling {
  db: Database;
  log: Log;
  notifications: Notifications;
  leases: Pick<Leases, 'shards'>;
  messengers: MessengersCapabilities;
  workPoll?: WorkPoll | undefined;
  onLoopError?: OnLoopError;
}

const POLL_MS = 1_000;
const SETTLED_TOGETHER = 2_000;

export function expireLateRevisions(settling: Settling): Loop {
  const { db, log, notifications, leases, workPoll, onLoopError } = settling;
  const windows = windowsOf(settling.messengers);
  const polled = { name: 'late revisions', isDue: hasRevisions, wake: () => loop.wake() };
  const restMs = workPoll?.add(polled) ?? POLL_MS;
  const loop = startLoop(
    'late revisions',
    async () => {
      const accounts = await findWanting(db, leases.shards());
      const held = new Set(await readHeld(db, 'late revisions'));
      const found = accounts.length === 0 ? [] : await findWorkspaces(db, accounts);
      const wanting = found.filter((workspaceId) => !held.has(workspaceId));
      const { results } = await isolateFailures({ db, log }, 'late revisions', wanting, {
        idOf: (workspaceId) => workspaceId,
        run: async (some) =>
          (windows.length === 0 ? 0 : await settle(db, some, windows)) + (await expirePins(db, some)),
      });
      return results.some((settled) => settled >= SETTLED_TOGETHER) ? 0 : restMs;
    },
    { log, ...(onLoopError && { onError: onLoopError }) },
  );
  notifications.on('campanile_revisions', () => loop.wake());
  return loop;
}

interface Window {
  messenger: string;
  kind: 'recall' | 'correct';
  is_channel: boolean;
  window_ms: number;
  reason: string;
}

function windowsOf(messengers: MessengersCapabilities): Window[] {
  return [...messengers.values()].flatMap(({ name: messenger, changeWindows }) =>
    (['recall', 'correct'] as const).flatMap((kind) => {
      const window = changeWindows?.[kind];
      if (!window) return [];
      const common = { messenger, kind, reason: tooLate(window, kind) };
      return [
        { ...common, is_channel: false, window_ms: window.groupMs },
        { ...common, is_channel: true, window_ms: window.channelMs },
      ];
    }),
  );
}

/** Returns the workspaces of these accounts, each once. */
async function findWorkspaces(db: Connection, accountIds: readonly AccountId[]): Promise<WorkspaceId[]> {
  const { rows } = await sql<{ workspaceId: WorkspaceId }>`
    select distinct workspace_id as "workspaceId" from lanes where account_id = any(${[...accountIds]}::bigint[]) order by 1`.execute(
    db,
  );
  return rows.map(({ workspaceId }) => workspaceId);
}

/** Of these workspaces, whichever a look finds some of first. Answers how many. */
async function settle(db: Database, workspaceIds: readonly WorkspaceId[], windows: readonly Window[]): Promise<number> {
  return db.transaction().execute(async (trx) => {
    const late = (ids: readonly WorkspaceId[], most: number) => sql`
      from jsonb_to_recordset(${JSON.stringify(windows)})
        w (messenger text, kind revision_kind, is_channel boolean, window_ms float8, reason text)
      join lanes l on l.messenger = w.messenger and l.workspace_id = any(${[...ids]}::bigint[])
      cross join lateral (
        select r.ctid as row from revisions r
        where r.workspace_id = l.workspace_id and r.account_id = l.account_id and r.wanted = w.kind and r.is_channel = w.is_channel and r.not_before is null
          and r.sent_at < campanile_now() - w.window_ms * interval '1 millisecond'
        order by r.sent_at desc nulls last limit ${most}) late`;
    const { rows: locked } = await sql<{ workspace_id: WorkspaceId }>`
      with due as materialized (select distinct l.workspace_id ${late(workspaceIds, 1)})
      select k.workspace_id from due join workspace_ledgers k on k.workspace_id = due.workspace_id
      order by k.workspace_id for no key update of k skip locked`.execute(trx);
    if (locked.length === 0) return 0;
    const ids = locked.map((row) => row.workspace_id);
    const { rows } = await sql<{ count: number }>`
      with settled as (
        update revisions v set wanted = null, error = t.reason
        from (select late.row, w.reason ${late(ids, SETTLED_TOGETHER)} limit ${SETTLED_TOGETHER}) t
        where v.ctid = t.row returning v.workspace_id
      ), counted as (
        update workspace_ledgers set changes = changes + 1 where workspace_id in (select workspace_id from settled)
      )
      select count(*) as count from settled`.execute(trx);
    return rows[0]?.count ?? 0;
  });
}

/** A pin that could not be set for so long would surprise its owner: the post is old by then. */
const PIN_WAIT_DAYS = 3;
const NOT_PINNED = `It could not be done within ${PIN_WAIT_DAYS} days: request it again if it still matters`;

/** Returns the number of expired requests to pin or unpin. */
async function expirePins(db: Database, workspaceIds: readonly WorkspaceId[]): Promise<number> {
  const isLate = sql`r.wanted is not null and r.requested_at < campanile_now() - ${PIN_WAIT_DAYS} * interval '1 day'`;
  return db.transaction().execute(async (trx) => {
    const { rows: locked } = await sql<{ workspace_id: WorkspaceId }>`
      select k.workspace_id from workspace_ledgers k
      where k.workspace_id = any(${[...workspaceIds]}::bigint[]) and exists (
        select from pins r where r.workspace_id = k.workspace_id and ${isLate})
      order by k.workspace_id for no key update of k skip locked`.execute(trx);
    if (locked.length === 0) return 0;
    const { numAffectedRows = 0n } = await sql`
      update pins set wanted = null, not_before = null, error = ${NOT_PINNED} where ctid = any(array(
        select r.ctid from pins r where r.workspace_id = any(${locked.map((row) => row.workspace_id)}::bigint[]) and ${isLate}
        limit ${SETTLED_TOGETHER}))`.execute(trx);
    return Number(numAffectedRows);
  });
}
