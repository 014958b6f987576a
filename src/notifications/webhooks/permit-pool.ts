import type { WorkspaceId } from '../../platform/database/schema.ts';
import { createFairSemaphore } from '../../platform/concurrency/fair-semaphore.ts';
import type { DueFilter, DueWebhook } from './lane-store.ts';

/** An endpoint is slow when its last answer took longer. */
export const SLOW_AFTER_MS = 2_000;

/**
 * How many endpoints one process serves at a time, in all and of one workspace. Slow endpoints have permits of their own, so that they
 * take none from fast ones.
 */
export const FAST = { isSlow: false, permits: 128, perWorkspace: 8 };
export const SLOW = { isSlow: true, permits: 64, perWorkspace: 4 };

/** Due webhooks that are read at once, and those that may wait for a permit or hold one. */
const READ_LIMIT = 200;
const QUEUE_LIMIT = 2_000;

export interface PermitPool {
  /** The filter for due webhooks: excludes those in work here, and workspaces that hold their share here. */
  filter(): DueFilter;
  /**
   * Serves a webhook once it is its workspace's turn; not at all where the workspace has its share here already. `serve` resolves to
   * whether it was still due. Rejects with the reason of `signal` once that is aborted, and as `serve` does.
   */
  run(due: DueWebhook, serve: () => Promise<boolean>): Promise<void>;
}

export interface PermitPoolOptions {
  isSlow: boolean;
  permits: number;
  perWorkspace: number;
  /** A permit is given back after so long although its webhook is still being served; unless given, when that has ended. */
  holdMs?: number;
  signal: AbortSignal;
  /** A webhook was served, or has given its permit back: more may be due. */
  onFree: () => void;
}

export function createPermitPool(options: PermitPoolOptions): PermitPool {
  const { isSlow, permits, perWorkspace, holdMs, signal, onFree } = options;
  const semaphore = createFairSemaphore({ name: 'webhooks', size: permits, perKey: perWorkspace });
  /** The webhooks that wait for a permit or hold one. */
  const entered = new Map<WorkspaceId, Set<string>>();
  let count = 0;

  /** Returns the function that leaves again (idempotent); undefined when the workspace has its share. */
  function enter({ workspaceId, webhookId }: DueWebhook): (() => void) | undefined {
    const own = entered.get(workspaceId) ?? new Set();
    if (own.size >= perWorkspace || own.has(webhookId)) return undefined;
    entered.set(workspaceId, own.add(webhookId));
    count += 1;
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      count -= 1;
      own.delete(webhookId);
      if (own.size === 0) entered.delete(workspaceId);
    };
  }

  return {
    filter: () => ({
      isSlow,
      exceptWebhooks: [...entered.values()].flatMap((own) => [...own]),
      exceptWorkspaces: [...entered].filter(([, own]) => own.size >= perWorkspace).map(([workspaceId]) => workspaceId),
      limit: Math.min(READ_LIMIT, QUEUE_LIMIT - count),
    }),
    async run(due, serve) {
      const leave = enter(due);
      if (!leave) return;
      let release: (() => void) | undefined;
      let timer: NodeJS.Timeout | undefined;
      const returnPermit = () => {
        leave();
        release?.();
      };
      const returnPermitEarly = () => {
        returnPermit();
        onFree();
      };
      let wasDue: boolean;
      try {
        release = await semaphore
          .acquire({ party: [`workspace ${due.workspaceId}`], signal })
          .catch((error: unknown) => {
            signal.throwIfAborted();
            throw error;
          });
        if (holdMs !== undefined) timer = setTimeout(returnPermitEarly, holdMs);
        wasDue = await serve();
      } finally {
        clearTimeout(timer);
        returnPermit();
      }
      // A row that another transaction has locked is left alone until the next poll.
      if (wasDue) onFree();
    },
  };
}
