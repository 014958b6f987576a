import { sql } from 'kysely';
import { readRests } from '../accounts/rest-rules.ts';
import type { Connection } from '../database/connect.ts';
import { readNow } from './store.ts';
import { findLastPost } from './wait-for-rests.ts';

/** The random gap between two sends of an account, in milliseconds. */
export interface Pace {
  minMs: number;
  maxMs: number;
}

/** What a send without a gap takes at least. */
const SEND_MS = 1;
const NEVER_RESTS = { quietHours: null, dailyCap: null, sentToday: null };

/**
 * How many seconds a run to so many groups will take from `at`, when it falls due, to its last post: at the account's pace, and
 * sharing its turns with what the account will still have to send then. Runs take turns, so of a longer one only as many turns count
 * as the run itself has. What it has to send of the campaign `except` does not count: that is where the run belongs. Quiet hours and
 * the daily cap are waited for; `timeZone` is the installation's. Rounded up; an expectation, not a promise.
 */
export async function estimateSeconds(
  db: Connection,
  accountId: number,
  {
    groups,
    at,
    pace,
    timeZone,
    except,
  }: { groups: number; at: Date; pace: Pace | undefined; timeZone: string; except?: number | undefined },
): Promise<number> {
  const gapMs = Math.max(SEND_MS, pace ? (pace.minMs + pace.maxMs) / 2 : 0);
  const { rows } = await sql<{ turns: number; wait_ms: number }>`
    with other as (
      select case r.status when 'running' then r.queued else cardinality(t.group_ids) end as queued,
             greatest(r.due_at, campanile_now()) as from_at
      from runs r
      join campaigns c on c.campaign_id = r.campaign_id
      join contents t on t.content_id = coalesce(r.content_id, c.content_id)
      where r.account_id = ${accountId} and r.status in ('planned', 'running') and not r.paused and r.due_at <= ${at}
        and r.campaign_id is distinct from ${except ?? null}::bigint
    )
    select coalesce(sum(least(${groups}::float8,
             greatest(0, queued - greatest(0, extract(epoch from ${at}::timestamptz - from_at)::float8 * 1000 / ${gapMs}::float8)))), 0)::float8 as turns,
           (select greatest(0, extract(epoch from greatest(nullif(next_send_at, '-infinity'), case when isfinite(held_until) then held_until end) - ${at}) * 1000)::float8
            from lanes where account_id = ${accountId}) as wait_ms
    from other`.execute(db);
  const { turns = 0, wait_ms = 0 } = rows[0] ?? {};
  const [rest] = await readRests(db, [accountId], timeZone);
  const from = Temporal.Instant.fromEpochMilliseconds(at.getTime() + Math.round(wait_ms ?? 0));
  const now = Temporal.Instant.fromEpochMilliseconds((await readNow(db)).getTime());
  const posts = Math.ceil(groups + turns);
  const last = findLastPost({ from, posts, gapMs }, rest ?? { ...NEVER_RESTS, timeZone }, now);
  return Math.ceil((last.epochMilliseconds + SEND_MS - at.getTime()) / 1_000);
}
