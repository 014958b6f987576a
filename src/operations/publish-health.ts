/** Writes what keeps this process from being ready into the database, for `campanile doctor`, which is a process of its own. */
import { hostname } from 'node:os';
import { execute, sql, type Database } from '../platform/database/statements.ts';
import type { OnLoopError } from '../platform/concurrency/failure-streak.ts';
import type { Health } from '../platform/concurrency/health.ts';
import type { Log } from '../platform/log/log.ts';
import { startLoop } from '../platform/concurrency/loop.ts';

const EVERY_MS = 5_000;
/** Older entries belong to a process that has ended, or has lost the database. */
const FORGOTTEN = sql`interval '1 day'`;

/** Until stopped; then this process has no problems any more. */
export function publishHealth({
  healthDb: db,
  health,
  log,
  onLoopError,
}: {
  healthDb: Database;
  health: Pick<Health, 'problems'>;
  log: Log;
  onLoopError: OnLoopError;
}): { stop(): Promise<void> } {
  const name = `${hostname()}:${process.pid}`;
  let hasWritten = false;

  async function step(): Promise<number> {
    const problems = health.problems();
    // Nothing is written for as long as all is well.
    if (problems.length === 0 && !hasWritten) return EVERY_MS;
    hasWritten = true;
    await writeProblems(db, name, problems);
    hasWritten = problems.length > 0;
    return EVERY_MS;
  }

  const loop = startLoop('health', step, { log, onLoopError });
  return {
    async stop() {
      await loop.stop();
      if (!hasWritten) return;
      await writeProblems(db, name, []).catch((error: unknown) =>
        log.warn({ err: error }, 'that this process has no problems any more could not be written down'),
      );
    },
  };
}

async function writeProblems(db: Database, process: string, problems: ReturnType<Health['problems']>): Promise<void> {
  const names = problems.map((problem) => problem.name);
  await execute(db)`
    with written as (
      insert into health_problems (process, name, message, since)
      select ${process}, p.* from unnest(${names}::text[], ${problems.map(toText)}::text[],
                                         ${problems.map((problem) => problem.since)}::timestamptz[]) p (name, message, since)
      on conflict (process, name) do update set message = excluded.message, seen_at = campanile_now()
    )
    delete from health_problems
    where process = ${process} and name <> all(${names}::text[]) or seen_at < campanile_now() - ${FORGOTTEN}`;
}

function toText({ message, detail }: ReturnType<Health['problems']>[number]): string {
  return (detail === undefined ? message : `${message}: ${detail}`).replaceAll('\0', '').toWellFormed();
}
