import { sql } from '../../platform/database/statements.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { isolateStatement } from '../../platform/database/isolate-statement.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import { servePolled, startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import { assignPositions, BATCH } from '../../workspaces/events/assign-positions.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { claimLanes, findDueWorkspaces, IS_DUE, type Lane, type LaneLimits } from './lane-store.ts';
import { deliverBatch, type DeliveryDeps, type DisabledReason } from './deliver-batch.ts';

const POLL_MS = 500;
/** An endpoint is slow when its last answer took longer. */
export const SLOW_AFTER_MS = 2_000;
/** Slow endpoints have permits of their own, so that they take none from fast ones. */
export const FAST: LaneLimits = { isSlow: false, permits: 128, perWorkspace: 8 };
export const SLOW: LaneLimits = { isSlow: true, permits: 64, perWorkspace: 4 };

export interface SendWebhooksOptions
  extends PolledLoopDeps, Pick<DeliveryDeps, 'db' | 'egress' | 'vault' | 'onAttempt'> {
  /** Default is `SLOW_AFTER_MS`. */
  slowAfterMs?: number;
  onDisabled?: (reason: DisabledReason) => void;
}

/**
 * Assigns positions to new events, and delivers them to the webhooks that want them, until stopped: in order within a webhook, webhooks
 * concurrently. Any number of processes may run it at once.
 */
export function sendWebhooks(deps: SendWebhooksOptions): { stop(): Promise<void> } {
  const { db, log, slowAfterMs = SLOW_AFTER_MS } = deps;
  const stopping = new AbortController();
  const lanesOf = (limits: LaneLimits) => ({
    isDue: () => sql<boolean>`exists (select from webhooks w where w.is_slow = ${limits.isSlow} and ${IS_DUE})`,
    permits: limits.permits,
    pollMs: POLL_MS,
    claim: (busy: readonly WorkspaceId[], room: number) => claim(deps, limits, { busy, room }),
    keyOf: ({ workspaceId }: Lane) => workspaceId,
    // A lane whose result could not be written stays in hand until its claim is over, and is taken again then.
    serve: (lane: Lane) => deliver(deps, lane, stopping.signal),
    holdMs: limits.isSlow ? Infinity : slowAfterMs,
    freesKeys: true,
  });
  const lanes = [
    servePolled<Lane, WorkspaceId>(deps, { name: 'webhooks', ...lanesOf(FAST) }),
    servePolled<Lane, WorkspaceId>(deps, { name: 'slow webhooks', ...lanesOf(SLOW) }),
  ];
  const events = startPolledLoop(deps, {
    name: 'events',
    isDue: () => sql<boolean>`exists (select from events where position is null)`,
    pollMs: POLL_MS,
    async step(restMs) {
      const count = await assignPositions({ db, log });
      if (count === 0) return restMs;
      for (const loop of lanes) loop.wake();
      return count >= BATCH ? 0 : POLL_MS;
    },
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all([events, ...lanes].map((loop) => loop.stop()));
    },
  };
}

/** Claims for all workspaces but those in quarantine. */
async function claim(
  { db, log }: SendWebhooksOptions,
  limits: LaneLimits,
  { busy, room }: { busy: readonly WorkspaceId[]; room: number },
): Promise<Lane[]> {
  const held = await readHeld(db, 'webhook outcomes');
  const claimed = await isolateStatement({ db, log }, 'webhooks', {
    findOwners: () => findDueWorkspaces(db),
    run: ({ skipped, wanted }) =>
      claimLanes(db, limits, { busy, room, owners: { skipped: [...skipped, ...held], wanted } }),
  });
  return claimed.flat();
}

async function deliver(options: SendWebhooksOptions, lane: Lane, signal: AbortSignal): Promise<void> {
  const { db, log, egress, vault, slowAfterMs = SLOW_AFTER_MS, onAttempt, onDisabled } = options;
  const { webhookId, workspaceId } = lane;
  const { results } = await isolateEach({ db, log }, 'webhook outcomes', [lane], {
    idOf: () => workspaceId,
    run: () => deliverBatch({ db, egress, vault, signal, slowAfterMs, ...(onAttempt && { onAttempt }) }, lane),
  });
  const [reason] = results;
  if (!reason) return;
  onDisabled?.(reason);
  log.warn({ webhookId, workspaceId, reason }, 'a webhook was switched off');
}
