import { compactOldCampaigns } from '../sending/campaigns/roll-up/compact-old-campaigns.ts';
import { removeDeleted } from '../sending/campaigns/change/remove-deleted.ts';
import { sumMinutes } from '../sending/campaigns/roll-up/roll-up-minutes.ts';
import type { RunKey } from '../sending/deliveries/settle-runs.ts';
import { rollUpRuns } from '../sending/campaigns/roll-up/roll-up-runs.ts';
import { updateActivity } from '../sending/groups/update-activity.ts';
import { clearOldRows } from '../platform/database/clear-old-rows.ts';
import type { Database } from '../platform/database/statements.ts';
import { clearIdleQuarantine, type QuarantineDeps } from '../platform/database/quarantine.ts';
import type { OnLoopError } from '../platform/concurrency/failure-streak.ts';
import type { Log } from '../platform/log/log.ts';
import { startLoop } from '../platform/concurrency/loop.ts';
import { dropUnusedMedia } from '../content/media/drop-unused.ts';
import { foldReceipts } from '../sending/receipts/fold-receipts.ts';
import { clearOldAttempts } from '../identity/sign-in/brute-force-limit.ts';
import { clearSpentChallenges } from '../identity/factors/factor-store.ts';
import { clearOldSessions } from '../identity/sessions/session-store.ts';
import { clearOldNetworks } from '../identity/sign-in/known-networks.ts';
import { clearExpiredTokens } from '../identity/store.ts';
import { clearExpiredInvitations } from '../identity/members/invitation-store.ts';
import { giveBackLate } from '../sending/approvals/write-events.ts';
import { OLD_ROWS } from './old-rows.ts';

const EVERY_MS = 10 * 60_000;
/** After the time of a post that nobody approved, its author is told within a minute. */
const LATE_MS = 60_000;
/** Pause between two batches of a large cleanup, so that sending gets the rest of the time. */
const STEP_PAUSE_MS = 100;

/** Deletes expired data, now and every ten minutes, until stopped. Any number of processes may run it at once. */
export function startHousekeeping(deps: {
  db: Database;
  log: Log;
  onLoopError?: OnLoopError;
  /** As RETENTION_DAYS; 400 unless given. */
  retentionDays?: number | undefined;
  /** As MEDIA_RETENTION_DAYS; 90 unless given. */
  mediaDays?: number | undefined;
  /** Milliseconds between two rounds. */
  everyMs?: number;
}): {
  stop(): Promise<void>;
} {
  const { db, log, retentionDays = 400, mediaDays, everyMs = EVERY_MS } = deps;
  const options = { log, onLoopError: deps.onLoopError };
  /** `step` returns whether there may be more to do at once. */
  const repeat = (name: string, step: () => Promise<boolean>, restMs = everyMs) =>
    startLoop(name, async () => ((await step()) ? STEP_PAUSE_MS : restMs), options);
  const loops = [
    startLoop('housekeeping', () => clearOld({ db, log }).then(() => everyMs), options),
    repeat('late approvals', () => giveBackLate(db), LATE_MS),
    repeat('old receipts', () => foldReceipts(db, log)),
    repeat('old campaigns', () => compactOldCampaigns(db, retentionDays, log)),
    repeat('deleted campaigns', () => removeDeleted(db, log)),
    repeat('sums', () => rollUpRuns(db, undefined, log)),
    repeat('activity', () => updateActivity(db, undefined, log)),
    repeat(
      'sums of minutes',
      walk((after?: RunKey) => sumMinutes(db, after, log)),
    ),
    repeat(
      'unused media',
      walk((after?: number) => dropUnusedMedia(db, after ?? 0, mediaDays, log)),
    ),
  ];
  return {
    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()));
    },
  };
}

const CLEARINGS: ReadonlyArray<(deps: QuarantineDeps) => Promise<void>> = [
  ({ db }) => clearOldAttempts(db),
  clearExpiredTokens,
  clearOldNetworks,
  clearOldSessions,
  ({ db }) => clearSpentChallenges(db),
  clearExpiredInvitations,
  ...OLD_ROWS.map((old) => (deps: QuarantineDeps) => clearOldRows(deps, old)),
  ({ db }) => clearIdleQuarantine(db),
];

/** Runs every cleanup, even if others fail; then throws the first error. */
async function clearOld(deps: QuarantineDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const clear of CLEARINGS) await clear(deps).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Goes through all rows in batches, and then starts again. `step` resolves to the last row that it has checked. */
function walk<Place>(step: (after?: Place) => Promise<Place | undefined>): () => Promise<boolean> {
  let last: Place | undefined;
  return async () => (last = await step(last)) !== undefined;
}
