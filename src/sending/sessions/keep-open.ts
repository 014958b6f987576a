import { readColumn, type Database } from '../../platform/database/statements.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readQuarantined } from '../../platform/database/quarantine.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { startLoop, type Loop, type LoopDeps } from '../../platform/concurrency/loop.ts';
import type { Messenger } from '../../messengers/messenger.ts';
import type { Leases } from '../leases/leases.ts';
import type { Sessions } from './sessions.ts';
import type { AccountId } from '../../platform/database/schema.ts';

const POLL_MS = 2_000;
/** While as many sessions are open as at the last poll, with none missing. */
const COMPLETE_POLL_MS = 10_000;
/** More are opened at the next step; how many connect at once is the messenger's own business. */
const OPENED_PER_STEP = 200;

/**
 * Keeps the sessions of this worker's linked accounts open until stopped, where the messenger needs that. It also finds accounts whose
 * linking ended with a worker, and reports their state.
 */
export function keepSessionsOpen({
  db,
  log,
  leases,
  sessions,
  messengers,
  onLoopError,
}: LoopDeps & {
  db: Database;
  leases: Pick<Leases, 'shards' | 'isGood'>;
  sessions: Pick<Sessions, 'get' | 'has' | 'count'>;
  messengers: ReadonlyMap<string, Messenger>;
}): Loop {
  const names = [...messengers.values()].flatMap(({ name, staysOpen }) => (staysOpen ? [name] : []));
  let complete: { count: number; untilMs: number; shards: string } | undefined;
  return startLoop(
    'sessions',
    async () => {
      const shards = leases.shards();
      if (names.length === 0 || shards.length === 0 || !leases.isGood()) return POLL_MS;
      const held = shards.join(' ');
      const isUnchanged = complete?.count === sessions.count() && complete.shards === held;
      if (complete && isUnchanged && performance.now() < complete.untilMs) return POLL_MS;
      const accountIds = await readColumn<AccountId>(db)`
        select a.account_id from accounts a join lanes l using (account_id)
        where a.messenger = any(${names}::text[]) and campanile_shard(a.account_id) = any(${shards}::smallint[])
          and a.status not in ('unlinked', 'logged_out')`;
      const closed = accountIds.filter((accountId) => !sessions.has(accountId));
      complete =
        closed.length === 0
          ? { count: sessions.count(), untilMs: performance.now() + COMPLETE_POLL_MS, shards: held }
          : undefined;
      if (closed.length === 0) return POLL_MS;
      const quarantined = await readQuarantined(db, 'sessions');
      const missing = closed.filter((accountId) => !quarantined.held.has(accountId));
      const work = { idOf: (accountId: AccountId) => accountId, run: openOne, isParallel: true };
      await isolateEach({ db, log }, 'sessions', missing.slice(0, OPENED_PER_STEP), work);
      return missing.length > OPENED_PER_STEP ? 0 : POLL_MS;
    },
    { log, onLoopError },
  );

  async function openOne(accountId: AccountId): Promise<void> {
    try {
      await sessions.get(accountId);
    } catch (error) {
      if (isDataError(error)) throw error;
      log.warn({ err: error, accountId }, 'the session of an account could not be opened yet');
    }
  }
}
