import { readDefaultWindow, type RestReason } from '../../accounts/send-window-rules.ts';
import type { Database } from '../../../platform/database/connect.ts';
import type { CampaignDetails } from './get-campaign.ts';

/** Why posts that are due do not leave at once. */
export interface Wait {
  reason: RestReason;
  /** Null: they leave, slowly. */
  until: Temporal.Instant | null;
}

/**
 * Returns why the queued posts of a running campaign wait because of a rule of its account; undefined if they do not. `timeZone` is the
 * installation's.
 */
export async function findWait(
  { db, timeZone }: { db: Database; timeZone: string },
  { workspaceId, status, runs }: Pick<CampaignDetails, 'workspaceId' | 'status' | 'runs'>,
): Promise<Wait | undefined> {
  const isWaiting = status === 'running' && runs.some((run) => run.status === 'running' && run.queued > 0);
  if (!isWaiting) return undefined;
  const window = await readDefaultWindow(db, workspaceId, timeZone);
  if (window?.reason) return { reason: window.reason, until: window.until };
  return window?.warmUpFrom ? { reason: 'warm_up', until: null } : undefined;
}
