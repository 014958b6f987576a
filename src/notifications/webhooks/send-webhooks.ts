import { sql } from '../../platform/database/statements.ts';
import type { Database } from '../../platform/database/connect.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { readHeld } from '../../platform/database/quarantine.ts';
import { startPolledLoop, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import type { Egress } from '../../platform/http-client/safe-http-client.ts';
import { assignPositions, BATCH } from '../../workspaces/events/assign-positions.ts';
import { failureLevel } from '../../platform/log/log.ts';
import type { Vault } from '../../platform/secrets/secret-box.ts';
import { claimLane, findDue, IS_DUE, type DueWebhook, type Lane } from './lane-store.ts';
import { createPermitPool, FAST, SLOW, SLOW_AFTER_MS, type PermitPool } from './permit-pool.ts';
import { deliverBatch, type DisabledReason, type WebhookOutcome } from './deliver-batch.ts';

const POLL_MS = 500;

export interface SendWebhooksOptions extends PolledLoopDeps {
  db: Database;
  egress: Egress;
  vault: Vault;
  /** Default is `SLOW_AFTER_MS`. */
  slowAfterMs?: number;
  onAttempt?: (outcome: WebhookOutcome) => void;
  onDisabled?: (reason: DisabledReason) => void;
}

/**
 * Assigns positions to new events, and delivers them to the webhooks that want them, until stopped: in order within a webhook, webhooks
 * concurrently. Any number of processes may run it at once.
 */
export function sendWebhooks(deps: SendWebhooksOptions): { stop(): Promise<void> } {
  const { db, log, slowAfterMs = SLOW_AFTER_MS, onLoopError } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const inHand = new Set<Promise<void>>();

  async function serve(pool: PermitPool, due: DueWebhook): Promise<void> {
    try {
      await pool.run(due, async () => {
        const lane = await claim(deps, due);
        if (lane) await deliver(deps, lane, signal);
        return lane !== undefined;
      });
    } catch (error) {
      if (error === signal.reason) return;
      // A lane stays in hand until its claim is over, and is taken again then.
      onLoopError?.('webhooks');
      log[failureLevel(error)]({ err: error, ...due }, 'what a webhook was told could not be written down');
    }
  }

  /** Returns whether more may be due. */
  async function serveDue(pool: PermitPool): Promise<boolean> {
    const filter = pool.filter();
    const held = [...(await readHeld(db, 'webhooks')), ...(await readHeld(db, 'webhook outcomes'))];
    const exceptWorkspaces = [...filter.exceptWorkspaces, ...held];
    const due = filter.limit > 0 ? await findDue(db, { ...filter, exceptWorkspaces }) : [];
    for (const one of due) {
      const served = serve(pool, one).finally(() => inHand.delete(served));
      inHand.add(served);
    }
    return due.length > 0 && due.length === filter.limit;
  }

  const events = startPolledLoop(deps, {
    name: 'events',
    isDue: () => sql<boolean>`exists (select from events where position is null)`,
    pollMs: POLL_MS,
    async step(restMs) {
      const count = await assignPositions({ db, log });
      if (count === 0) return restMs;
      lanes.wake();
      return count >= BATCH ? 0 : POLL_MS;
    },
  });
  const onFree = () => lanes.wake();
  const fast = createPermitPool({ ...FAST, holdMs: slowAfterMs, signal, onFree });
  const slow = createPermitPool({ ...SLOW, signal, onFree });
  const lanes = startPolledLoop(deps, {
    name: 'webhooks',
    isDue: () => sql<boolean>`exists (select from webhooks w where ${IS_DUE})`,
    pollMs: POLL_MS,
    async step(restMs) {
      const more = [await serveDue(fast), await serveDue(slow)];
      return more.includes(true) ? 0 : restMs;
    },
  });
  return {
    async stop() {
      stopping.abort();
      await Promise.all([events.stop(), lanes.stop()]);
      await Promise.all(inHand);
    },
  };
}

/** Undefined: it is no longer due, or its workspace is in quarantine. */
async function claim({ db, log }: SendWebhooksOptions, due: DueWebhook): Promise<Lane | undefined> {
  const { results } = await isolateEach({ db, log }, 'webhooks', [due], {
    idOf: ({ workspaceId }) => workspaceId,
    run: () => claimLane(db, due),
  });
  return results[0];
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
