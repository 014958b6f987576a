import { clearOldEntries } from '../workspaces/audit/clear-old-entries.ts';
import { compactOldCampaigns } from '../sending/campaigns/roll-up/compact-old-campaigns.ts';
import { removeDeleted } from '../sending/campaigns/change/remove-deleted.ts';
import { sumMinutes, type SummedRun } from '../sending/campaigns/roll-up/roll-up-minutes.ts';
import { rollUpRuns } from '../sending/campaigns/roll-up/roll-up-runs.ts';
import { updateActivity } from '../sending/groups/update-activity.ts';
import type { Database } from '../platform/database/connect.ts';
import { clearIdleQuarantine, type QuarantineDeps } from '../platform/database/quarantine.ts';
import { clearOldEvents } from '../workspaces/events/clear-old-events.ts';
import { clearOldKeys } from '../workspaces/idempotency/once.ts';
import type { OnLoopError } from '../platform/concurrency/failure-streak.ts';
import type { Log } from '../platform/log/log.ts';
import { startLoop } from '../platform/concurrency/loop.ts';
import { dropUnusedMedia } from '../content/media/drop-unused.ts';
import { clearOldNotices } from '../notifications/notices/notice-store.ts';
import { foldReceipts } from '../sending/receipts/fold-receipts.ts';
import { clearOldAttempts } from '../identity/sign-in/brute-force-limit.ts';
import { clearSpentChallenges } from '../identity/factors/factor-store.ts';
import { clearOldSessions } from '../identity/sessions/session-store.ts';
import { clearOldNetworks } from '../identity/sign-in/known-networks.ts';
import { clearExpiredTokens } from '../identity/store.ts';
import { clearOldWebhookAttempts } from '../notifications/webhooks/attempt-store.ts';
import { clearOldStates } from '../sending/accounts/account-history.ts';
import { clearExpiredInvitations } from '../identity/members/invitation-store.ts';
import { clearExpiredLinks } from '../sending/analytics/report/link-store.ts';
import { clearOldApprovals } from '../sending/approvals/approval-store.ts';
import { giveBackLate } from '../sending/approvals/write-events.ts';
import { clearOldSlots } from '../sending/accounts/send-window-rules.ts';

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
  const options = { log, ...(deps.onLoopError && { onError: deps.onLoopError }) };
  const loops = [
    startLoop('housekeeping', () => clearOld({ db, log }).then(() => everyMs), options),
    startLoop('late approvals', async () => ((await giveBackLate(db)) ? STEP_PAUSE_MS : LATE_MS), options),
    startLoop('old receipts', async () => ((await foldReceipts(db, log)) ? STEP_PAUSE_MS : everyMs), options),
    startLoop(
      'old campaigns',
      async () => ((await compactOldCampaigns(db, retentionDays, log)) ? STEP_PAUSE_MS : everyMs),
      options,
    ),
    startLoop('deleted campaigns', async () => ((await removeDeleted(db, log)) ? STEP_PAUSE_MS : everyMs), options),
    startLoop('sums', async () => ((await rollUpRuns(db, undefined, log)) ? STEP_PAUSE_MS : everyMs), options),
    startLoop('activity', async () => ((await updateActivity(db, undefined, log)) ? STEP_PAUSE_MS : everyMs), options),
    startLoop(
      'sums of minutes',
      walk(everyMs, (after?: SummedRun) => sumMinutes(db, after, log)),
      options,
    ),
    startLoop(
      'unused media',
      walk(everyMs, (after?: number) => dropUnusedMedia(db, after ?? 0, mediaDays, log)),
      options,
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
  clearOldKeys,
  clearOldEntries,
  clearExpiredTokens,
  clearOldNetworks,
  clearOldSessions,
  ({ db }) => clearSpentChallenges(db),
  clearOldStates,
  clearOldSlots,
  clearExpiredLinks,
  clearExpiredInvitations,
  clearOldApprovals,
  clearOldWebhookAttempts,
  clearOldNotices,
  clearOldEvents,
  ({ db }) => clearIdleQuarantine(db),
];

/** Runs every cleanup, even if others fail; then throws the first error. */
async function clearOld(deps: QuarantineDeps): Promise<void> {
  const failures: unknown[] = [];
  for (const clear of CLEARINGS) await clear(deps).catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Goes through all rows in batches, and then starts again. `step` resolves to the last row that it has checked. */
function walk<Place>(everyMs: number, step: (after?: Place) => Promise<Place | undefined>): () => Promise<number> {
  let last: Place | undefined;
  return async () => {
    last = await step(last);
    return last === undefined ? everyMs : STEP_PAUSE_MS;
  };
}
