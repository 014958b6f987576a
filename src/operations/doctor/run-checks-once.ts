import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/database/statements.ts';
import { requireAdmin } from '../../identity/manage-users.ts';
import { runChecks } from './run-checks.ts';
import type { Finding } from './finding.ts';

export interface DoctorReport {
  at: Date;
  findings: Finding[];
}

/** The checks run at most once in this time, for any number of callers. */
const CACHE_MS = 5_000;

/** Single flight: callers within five seconds share one run of the checks. For administrators; throws `forbidden` for others. */
export type RunChecks = (actor: Actor) => Promise<DoctorReport>;

export function runChecksOnce({ config, db }: { config: Config; db: Database }): RunChecks {
  let last: { atMs: number; found: Promise<DoctorReport> } | undefined;
  return async (actor) => {
    await requireAdmin(db, actor);
    const nowMs = performance.now();
    if (!last || nowMs - last.atMs >= CACHE_MS) {
      const at = new Date();
      last = { atMs: nowMs, found: runChecks({ config, db }).then((findings) => ({ at, findings })) };
    }
    return last.found;
  };
}
