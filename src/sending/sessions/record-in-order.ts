import type { Database } from '../../platform/database/connect.ts';
import type { Log } from '../../platform/log/log.ts';
import { sleep } from '../../platform/time/time.ts';
import type { SessionState } from '../../messengers/messenger.ts';
import { recordState } from './record-state.ts';
import type { AccountId } from '../../platform/database/schema.ts';

/** Writes down in order what sessions tell of themselves, of each account the newest state: one that is outdated by then is passed over. */
export interface StateRecorder {
  record(accountId: AccountId, state: SessionState): void;
  /** Resolves when what was told of the account last has been written down. */
  written(accountId: AccountId): Promise<void>;
}

const PAUSE_MS = 500;

export function createStateRecorder({
  db,
  log,
  workerId,
}: {
  db: Database;
  log: Log;
  workerId: () => number;
}): StateRecorder {
  const latest = new Map<number, { state: SessionState; written: Promise<void> }>();

  async function write(accountId: AccountId): Promise<void> {
    for (;;) {
      const state = latest.get(accountId)?.state;
      if (!state) return;
      try {
        await recordState(db, { accountId, workerId: workerId(), state });
      } catch (error) {
        log.warn({ err: error, accountId }, 'the state of an account could not be written down yet');
        await sleep(PAUSE_MS);
        continue;
      }
      if (latest.get(accountId)?.state !== state) continue;
      latest.delete(accountId);
      return;
    }
  }

  return {
    record(accountId, state) {
      const pending = latest.get(accountId);
      if (pending) pending.state = state;
      else {
        const entry = { state, written: Promise.resolve() };
        latest.set(accountId, entry);
        entry.written = write(accountId);
      }
    },
    written: (accountId) => latest.get(accountId)?.written ?? Promise.resolve(),
  };
}
