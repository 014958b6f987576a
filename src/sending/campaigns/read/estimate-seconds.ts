import { sql } from 'kysely';
import { readSendWindows } from '../../accounts/send-window-rules.ts';
import { userGoneError } from '../../accounts/store.ts';
import type { Connection } from '../../../platform/database/connect.ts';
import { waitingRuns } from './waiting-runs.ts';
import { findLastPost, type Waiting } from '../begin/wait-for-send-windows.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

/** The random gap between two sends of an account, in milliseconds. */
export interface Pace {
  minMs: number;
  maxMs: number;
  /** During a warm-up, unless the usual gap is longer. Default is the usual gap. */
  warmUp?: { minMs: number; maxMs: number } | undefined;
}

/** What a send without a gap takes at least. */
const SEND_MS = 1;
const NO_SEND_LIMITS = { quietHours: null, dailyCap: null, sentToday: null };

/** So many other runs of the workspace are looked at, the latest that come before. */
const MOST_OTHERS = 2_000;

/**
 * Estimates the seconds from `at`, when a run is due, to its last post, or to the pin of that: at the account's pace, in turns with the
 * account's other unsent posts (`others`) and pending pins, recalls and corrections, and with quiet hours, daily cap, warm-up and the rest
 * after a new link. Runs take turns, so a longer run counts for as many turns as this one has. `timeZone` is the installation's. Rounded up.
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
  }: {
    groups: number;
    isPinned: boolean;
    at: Date;
    pace: Pace | undefined;
    timeZone: string;
    others?: readonly Waiting[] | undefined;
  },
): Promise<number> {
  const gapMs = averageMs(pace);
  const warmUpGapMs = Math.max(gapMs, averageMs(pace?.warmUp));
  const [rest] = await readSendWindows(db, [accountId], timeZone);
  const { now, readyAt: laneReadyAt, changes } = await readReadiness(db, accountId);
  const readyAt = laterOf(laneReadyAt, rest?.linkRestUntil);
  const pins = isPinned ? posts : 0;
  const last = findLastPost(
    { from: at.toTemporalInstant(), posts, pins, gapMs, warmUpGapMs, others, changes, readyAt },
    rest ?? { ...NO_SEND_LIMITS, timeZone },
    now.toTemporalInstant(),
  );
  return Math.ceil((last.epochMilliseconds + SEND_MS - at.getTime()) / 1_000);
}

function averageMs(gap: { minMs: number; maxMs: number } | undefined): number {
  return Math.max(SEND_MS, gap ? (gap.minMs + gap.maxMs) / 2 : 0);
}

function laterOf(one: Date, other: Temporal.Instant | null | undefined): Temporal.Instant {
  const instant = one.toTemporalInstant();
  return other && Temporal.Instant.compare(instant, other) < 0 ? other : instant;
}

/**
 * The present; from when on the account's pace, and the rest it may have been asked for, let a post leave; and the pins, recalls and
 * corrections that it has to carry out.
 */
async function readReadiness(
  db: Connection,
  accountId: AccountId,
): Promise<{ now: Date; readyAt: Date; changes: number }> {
  const { rows } = await sql<{ now: Date; readyAt: Date; changes: number }>`
    select campanile_now() as now,
           greatest(campanile_now(), nullif(next_send_at, '-infinity'), case when isfinite(held_until) then held_until end) as "readyAt",
           (select count(*) from pins p where p.workspace_id = l.workspace_id and p.account_id = l.account_id and p.wanted is not null)::int
             + (select count(*) from revisions v
                where v.workspace_id = l.workspace_id and v.account_id = l.account_id and v.wanted is not null)::int as changes
    from lanes l where l.account_id = ${accountId}`.execute(db);
  if (!rows[0]) throw userGoneError();
  return rows[0];
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
  const { rows } = await sql<{ accountId: AccountId; posts: number; isPinned: boolean; from: Date }>`
    with ${waitingRuns({ workspaceId, which, except, most: MOST_OTHERS, resting })}
    select account_id as "accountId", posts, is_pinned as "isPinned", greatest(due_at, campanile_now()) as from
    from waiting order by due_at, run_id`.execute(db);
  const others = new Map<AccountId, Waiting[]>();
  for (const { accountId, posts, isPinned, from } of rows)
    others
      .getOrInsertComputed(accountId, () => [])
      .push({ posts, pins: isPinned ? posts : 0, from: from.toTemporalInstant() });
  return others;
}
