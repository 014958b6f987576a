/** Finds accounts with pending revisions, and decides whether the next turn goes to a revision or to a send. */
import { readColumn, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Leases } from '../leases/leases.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { isolateFailures } from '../../platform/database/isolate-failures.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import type { Log } from '../../platform/log/log.ts';
import { claimRevisions, isRetryDue, type RevisionTurn } from './claim-revisions.ts';
import { limitFutureInstants } from './limit-future-instants.ts';
import type { Gaps } from './pace.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export type RevisionWatch = ReturnType<typeof watchRevisions>;

/** Less than between two polls for all loops, so that none of those comes too soon. */
const POLL_INTERVAL_MS = 500;
const LONGEST_WAIT_MS = 1_000;
/** What there is to send has its turn first: when to look again. */
const YIELDED_MS = 20;
const ACCOUNTS_PER_CLAIM = 40;
/** At most so many are changed in one turn, of an account whose messenger has no gap. */
const POSTS_PER_TURN = 500;

export function watchRevisions(deps: {
  db: Database;
  log: Log;
  leases: Pick<Leases, 'workerId'>;
  gaps: Gaps;
  paced: readonly string[];
}) {
  const { db, leases, gaps, paced } = deps;
  let polledAtMs = -Infinity;
  /** Of each account that wants something, the last of its turns that changed anything. */
  let wanting = new Map<AccountId, number | null>();

  async function poll(shards: readonly number[]): Promise<void> {
    if (performance.now() < polledAtMs + POLL_INTERVAL_MS) return;
    polledAtMs = performance.now();
    const found = await findWanting(db, shards, await readHeld(db, 'revisions'));
    // A lane without posts to send has no `wake_at`, by which the send loop would find it.
    if (found.length > 0) await limitFutureInstants(db, { accountIds: found }, gaps);
    wanting = new Map(found.map((accountId) => [accountId, wanting.get(accountId) ?? null]));
  }

  return {
    /** Somebody may want more. */
    pollNow: () => void (polledAtMs = -Infinity),
    /** Takes the turns that are due, of so many accounts at most; and in how many milliseconds the next may be: Infinity if no account wants anything. */
    async claim(shards: readonly number[], accounts: number): Promise<{ turns: RevisionTurn[]; waitMs: number }> {
      await poll(shards);
      if (wanting.size === 0) return { turns: [], waitMs: Infinity };
      const { due, waitMs } = await findDue(db, wanting);
      if (due.length === 0) return { turns: [], waitMs };
      const asked = due.slice(0, Math.min(accounts, ACCOUNTS_PER_CLAIM));
      const claim = { workerId: leases.workerId(), batch: POSTS_PER_TURN, paced };
      const { results, left } = await isolateFailures(deps, 'revisions', asked, {
        idOf: (accountId) => accountId,
        run: (some) => claimRevisions(db, some, claim),
      });
      const turns = results.flatMap((result) => result.turns);
      for (const accountId of [...left, ...results.flatMap((result) => result.free)]) wanting.delete(accountId);
      for (const { accountId, turn } of turns) wanting.set(accountId, turn);
      return { turns, waitMs: YIELDED_MS };
    },
  };
}

/** The condition that a revision or a pin is pending, in whichever shard. */
export function hasRevisions(): RawBuilder<boolean> {
  return sql`(exists (select from revisions where wanted is not null) or exists (select from pins where wanted is not null))`;
}

/** Returns the accounts in these shards that can carry out a revision or pin of a post of theirs now, without `skipped` ones. */
export async function findWanting(db: Connection, shards: readonly number[], skipped: readonly number[] = []) {
  return readColumn<AccountId>(db)`
    ${selectWanting('revisions', shards, skipped)} union ${selectWanting('pins', shards, skipped)}`;
}

/** The accounts by the index of what is wanted, one step for each workspace. */
function selectWanting(table: 'revisions' | 'pins', shards: readonly number[], skipped: readonly number[]) {
  const wanted = sql.table(table);
  return sql`
    (with recursive owner as (
      (select workspace_id from ${wanted} where wanted is not null order by workspace_id limit 1)
      union all
      select (select r.workspace_id from ${wanted} r where r.wanted is not null and r.workspace_id > o.workspace_id
              order by r.workspace_id limit 1)
      from owner o where o.workspace_id is not null
    )
    select l.account_id from owner o
    join lanes l on l.workspace_id = o.workspace_id
    where l.shard = any(${[...shards]}::smallint[]) and l.account_id <> all(${[...skipped]}::bigint[])
      and (exists (select from ${wanted} r where r.workspace_id = o.workspace_id and r.account_id = l.account_id
                     and r.wanted is not null and r.not_before is null)
           or exists (select from ${wanted} r where r.workspace_id = o.workspace_id and r.account_id = l.account_id
                        and ${isRetryDue('r')})))`;
}

/**
 * Returns the accounts whose lane is free now, longest wait first, and the milliseconds until the next of the others is. An account whose
 * last turn was a revision yields if it has something to send.
 */
async function findDue(db: Connection, wanting: ReadonlyMap<AccountId, number | null>) {
  const rows = await readRows<{ account_id: AccountId; wait_ms: number; yields: boolean }>(db)`
    select l.account_id, l.turn is not distinct from i.revised and coalesce(l.wake_at <= campanile_now(), false) as yields,
           (extract(epoch from least(greatest(l.next_send_at, l.held_until, campanile_now()), campanile_now() + interval '1 second')
                               - campanile_now()) * 1000)::float8 as wait_ms
    from unnest(${[...wanting.keys()]}::bigint[], ${[...wanting.values()]}::bigint[]) i (account_id, revised)
    join lanes l on l.account_id = i.account_id
    where l.in_hand_run_id is null
    order by l.next_send_at`;
  const due = rows.filter((row) => row.wait_ms === 0 && !row.yields).map((row) => row.account_id);
  const waitMs = rows.reduce((least, row) => Math.min(least, row.yields ? YIELDED_MS : row.wait_ms), LONGEST_WAIT_MS);
  return { due, waitMs: Math.max(waitMs, 2) };
}
