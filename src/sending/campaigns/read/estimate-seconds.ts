import { readRow, readRows, sql, type Connection } from '../../../platform/database/statements.ts';
import type { Gap, Range } from '../../deliveries/pace.ts';
import { readLeftovers } from '../../accounts/leftovers.ts';
import { readSendWindows } from '../../accounts/send-window-rules.ts';
import { userGoneError } from '../../accounts/store.ts';
import { waitingRuns } from './waiting-runs.ts';
import { findLastPost, type Waiting } from '../begin/wait-for-send-windows.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

/** What a send without a gap takes at least. */
const SEND_MS = 1;
const NO_SEND_LIMITS = { quietHours: null, dailyCap: null, sentToday: null };

/** So many other runs of the workspace are looked at, the latest that come before. */
const MOST_OTHERS = 2_000;

/**
 * Estimates the seconds from `at`, when a run is due, to its last post, or to the pin of that: at the account's pace, in turns with the
 * account's other unsent posts (`others`) and pending pins, recalls and corrections, and with quiet hours, daily cap, warm-up and the rest
 * after a new link. `running` is the run that they are of, if it has begun. Runs take turns, so a longer run counts for as many turns as
 * this one has. `timeZone` is the installation's. Rounded up.
 */
export async function estimateSeconds(
  db: Connection,
  accountId: AccountId,
  {
    groups: posts,
    isPinned,
    at,
    pace,
    timeZone,
    others = [],
    running,
  }: {
    groups: number;
    isPinned: boolean;
    at: Date;
    pace: Gap | undefined;
    timeZone: string;
    others?: readonly Waiting[] | undefined;
    running?: { runId: number; dueAt: Date } | undefined;
  },
): Promise<number> {
  const gapMs = averageMs(pace);
  const warmUpGapMs = Math.max(gapMs, averageMs(pace?.warmUp));
  const [rest] = await readSendWindows(db, [accountId], timeZone);
  const { now, readyAt: laneReadyAt, changes } = await readReadiness(db, accountId);
  const leftovers = running && rest ? (await readLeftovers(db, [rest])).get(accountId) : undefined;
  const leftover = leftovers?.find(({ runId }) => runId === running?.runId);
  const readyAt = latestOf(laneReadyAt, rest?.linkRestUntil, leftover?.at);
  const pins = isPinned ? posts : 0;
  const last = findLastPost(
    {
      from: at.toTemporalInstant(),
      posts,
      pins,
      dueAt: (running?.dueAt ?? at).toTemporalInstant(),
      gapMs,
      warmUpGapMs,
      others,
      changes,
      readyAt,
    },
    rest ?? { ...NO_SEND_LIMITS, timeZone },
    now.toTemporalInstant(),
  );
  return Math.ceil((last.epochMilliseconds + SEND_MS - at.getTime()) / 1_000);
}

function averageMs(gap: Range | undefined): number {
  return Math.max(SEND_MS, gap ? (gap.minMs + gap.maxMs) / 2 : 0);
}

function latestOf(one: Date, ...others: ReadonlyArray<Temporal.Instant | null | undefined>): Temporal.Instant {
  const all = [one.toTemporalInstant(), ...others.flatMap((other) => other ?? [])];
  return all.reduce((latest, instant) => (Temporal.Instant.compare(latest, instant) < 0 ? instant : latest));
}

/**
 * The present; from when on the account's pace, and the rest it may have been asked for, let a post leave; and the pins, recalls and
 * corrections that it has to carry out.
 */
async function readReadiness(db: Connection, accountId: AccountId) {
  const readiness = await readRow<{ now: Date; readyAt: Date; changes: number }>(db)`
    select campanile_now() as now,
           greatest(campanile_now(), nullif(next_send_at, '-infinity'), case when isfinite(held_until) then held_until end) as "readyAt",
           (select count(*) from pins p where p.workspace_id = l.workspace_id and p.account_id = l.account_id and p.wanted is not null)::int
             + (select count(*) from revisions v
                where v.workspace_id = l.workspace_id and v.account_id = l.account_id and v.wanted is not null)::int as changes
    from lanes l where l.account_id = ${accountId}`;
  if (!readiness) throw userGoneError();
  return readiness;
}

/**
 * Returns what else each account of a workspace has to send that is due by `at`, in order of time, without the posts of the campaign
 * `except`. Planned runs count for the accounts that would send them now, those in `resting` only where no other can.
 */
export async function readOthers(
  db: Connection,
  workspaceId: WorkspaceId,
  { at, except, resting }: { at: Date; except: number | undefined; resting: readonly AccountId[] },
): Promise<Map<AccountId, Waiting[]>> {
  const which = sql`r.due_at <= ${at}`;
  const rows = await readRows<{ accountId: AccountId; posts: number; isPinned: boolean; from: Date; dueAt: Date }>(db)`
    with ${waitingRuns({ workspaceId, which, except, most: MOST_OTHERS, resting })}
    select account_id as "accountId", posts, is_pinned as "isPinned", greatest(due_at, campanile_now()) as from, due_at as "dueAt"
    from waiting order by due_at, run_id`;
  const others = new Map<AccountId, Waiting[]>();
  for (const { accountId, posts, isPinned, from, dueAt } of rows)
    others
      .getOrInsertComputed(accountId, () => [])
      .push({ posts, pins: isPinned ? posts : 0, from: from.toTemporalInstant(), dueAt: dueAt.toTemporalInstant() });
  return others;
}
