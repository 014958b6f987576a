import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Config } from '../../platform/config/config.ts';
import type { Database } from '../../platform/database/connect.ts';
import { requireAdmin } from '../../identity/manage-users.ts';
import { examine } from './run-checks.ts';
import type { Finding } from './finding.ts';

export interface Examination {
  at: Date;
  findings: Finding[];
}

/** However many ask, and however often, it is looked once in so long. */
const CACHE_MS = 5_000;

/** Single flight: callers within five seconds share one examination. For administrators, to others it throws `forbidden`: what `examine` finds. */
export type Examine = (actor: Actor) => Promise<Examination>;

export function runChecksOnce({ config, db }: { config: Config; db: Database }): Examine {
  let last: { atMs: number; found: Promise<Examination> } | undefined;
  return async (actor) => {
    await requireAdmin(db, actor);
    const nowMs = performance.now();
    if (!last || nowMs - last.atMs >= CACHE_MS) {
      const at = new Date();
      last = { atMs: nowMs, found: examine({ config, db }).then((findings) => ({ at, findings })) };
    }
    return last.found;
  };
}
