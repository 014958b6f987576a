import type { Database } from '../database/connect.ts';
import { isolateEach } from '../database/isolate-failures.ts';
import { isolateStatement } from '../database/isolate-statement.ts';
import type { Egress } from '../egress/open-egress.ts';
import { sequenceEvents } from '../events/sequence-events.ts';
import type { OnLoopError } from '../lib/failure-streak.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import type { Vault } from '../lib/vault.ts';
import { claimLanes, findDueOwners, type Lane } from './lane-store.ts';
import { tellLane, type SwitchedOff, type WebhookOutcome } from './tell-lane.ts';

const POLL_MS = 500;
/** Told at the same moment by one process. */
const SLOTS = 16;

/**
 * Gives events their place, and tells webhooks what they want to hear, each its own in order and beside the others, until stopped. Any
 * number of processes may do so at once.
 */
export function sendWebhooks(deps: {
  db: Database;
  log: Log;
  egress: Egress;
  vault: Vault;
  onTry?: (outcome: WebhookOutcome) => void;
  onSwitchedOff?: (reason: SwitchedOff) => void;
  onLoopError?: OnLoopError;
}): { stop(): Promise<void> } {
  const { db, log, egress, vault, onTry, onSwitchedOff, onLoopError } = deps;
  const stopping = new AbortController();
  const inHand = new Set<Promise<void>>();
  const options = { log, ...(onLoopError && { onError: onLoopError }) };

  async function tell(lane: Lane): Promise<void> {
    const { webhookId, workspaceId } = lane;
    try {
      const { results } = await isolateEach({ db, log }, 'told webhooks', [lane], {
        idOf: () => workspaceId,
        run: () => tellLane({ db, egress, vault, signal: stopping.signal, ...(onTry && { onTry }) }, lane),
      });
      const [reason] = results;
      if (!reason) return;
      onSwitchedOff?.(reason);
      log.warn({ webhookId, workspaceId, reason }, 'a webhook was switched off');
    } catch (error) {
      // It stays in hand until its claim is over, and is taken again then.
      onLoopError?.('webhooks');
      log.error({ err: error, webhookId, workspaceId }, 'what a webhook was told could not be written down');
    }
  }

  const events = startLoop('events', async () => ((await sequenceEvents({ db, log })) ? 0 : POLL_MS), options);
  const lanes = startLoop(
    'webhooks',
    async () => {
      const free = SLOTS - inHand.size;
      const due =
        free > 0
          ? await isolateStatement({ db, log }, 'webhooks', {
              findOwners: () => findDueOwners(db),
              run: (owners) => claimLanes(db, free, owners),
            })
          : [];
      for (const lane of due.flat()) {
        const told = tell(lane).then(() => {
          inHand.delete(told);
          lanes.wake();
        });
        inHand.add(told);
      }
      return POLL_MS;
    },
    options,
  );
  return {
    async stop() {
      stopping.abort();
      await Promise.all([events.stop(), lanes.stop()]);
      await Promise.all(inHand);
    },
  };
}
