/** Measures attempts for the operator: how late runs begin, and how many attempts are retries. */
import { readRows, type Database } from '../../platform/database/statements.ts';
import type { Log } from '../../platform/log/log.ts';
import type { SendResult } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';

export interface AttemptHooks {
  /** Called for each attempt that is a retry. */
  onRetry?: () => void;
  /** Called for the first attempt of a run, with the seconds since the run was due. */
  onFirstAttempt?: (lateSeconds: number) => void;
}

/** Of the turns of one claim. */
export interface AttemptMetrics {
  /** Call it when a turn was sent, before it is finished; `begunMs` is of the monotonic clock. */
  record(turn: Turn, results: readonly SendResult[], begunMs: number): Promise<void>;
}

/** Reads how long the runs of these turns have been due, in parallel with their sends. */
export function createAttemptMetrics(
  deps: { db: Database; log: Log } & AttemptHooks,
  turns: readonly Turn[],
): AttemptMetrics {
  const { db, log, onRetry, onFirstAttempt } = deps;
  const first = onFirstAttempt ? turns.filter(mayBeFirst) : [];
  const askedMs = performance.now();
  const lateness = first.length === 0 ? Promise.resolve(new Map<number, number>()) : ask();

  async function ask(): Promise<Map<number, number>> {
    try {
      return await readLateness(db, first);
    } catch (error) {
      log.debug({ err: error }, 'how late runs began could not be measured');
      return new Map();
    }
  }

  return {
    async record(turn, results, begunMs) {
      turn.deliveries.forEach(({ attempts, uncertain }, index) => {
        if ((attempts > 0 || uncertain) && results[index]?.kind !== 'offline') onRetry?.();
      });
      if (!first.includes(turn) || results[0]?.kind === 'offline') return;
      const seconds = (await lateness).get(turn.runId);
      if (seconds !== undefined) onFirstAttempt?.(seconds + (begunMs - askedMs) / 1_000);
    },
  };
}

function mayBeFirst({ deliveries: [first] }: Turn): boolean {
  return first?.position === 1 && first.attempts === 0 && !first.uncertain;
}

/** Returns for each run of which a turn is the first the seconds since it was due. */
async function readLateness(db: Database, turns: readonly Turn[]): Promise<Map<number, number>> {
  const rows = await readRows<{ run_id: number; seconds: number }>(db)`
    select r.run_id, extract(epoch from campanile_now() - r.due_at)::float8 as seconds
    from unnest(${turns.map((turn) => turn.workspaceId)}::bigint[], ${turns.map((turn) => turn.runId)}::bigint[]) i (workspace_id, run_id)
    join runs r on r.workspace_id = i.workspace_id and r.run_id = i.run_id
    where r.next_position = 1`;
  return new Map(rows.map((row) => [row.run_id, row.seconds]));
}
