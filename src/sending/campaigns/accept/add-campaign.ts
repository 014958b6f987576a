import { execute } from '../../../platform/database/statements.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import {
  acceptCampaign,
  type AcceptDeps,
  type AcceptedCampaign,
  type CampaignRequest,
  type Start,
} from './accept-campaign.ts';
import { beginRuns } from '../begin/begin-runs.ts';
import type { PostInput } from './prepare-post.ts';
import { GROUPS_LIMIT } from './resolve-lists.ts';
import type { Plan } from '../store.ts';

export interface SendNowInput extends PostInput {
  /** As it was sent; kept, delays nothing. */
  scheduleTime: string | null;
  /** It leaves in quiet hours, too. Default is `false`. */
  ignoresQuietHours?: boolean;
}

/**
 * Accepts a campaign that goes out at once (specification, add campaign): when this resolves, campaign and deliveries are
 * durable, and a crash of any process loses none of them. Throws as `acceptCampaign` does.
 */
export function addCampaign(
  deps: AcceptDeps,
  actor: Actor,
  input: SendNowInput,
  key?: IdempotencyKey,
): Promise<AcceptedCampaign> {
  return acceptCampaign(deps, { actor, input, plan: planOfNow(input), dueAt: dueNow, key }, startOf(input));
}

/** Returns the plan of a campaign that goes out at once. */
export function planOfNow({ scheduleTime }: Pick<SendNowInput, 'scheduleTime'>): Plan {
  const never = { startDate: null, endDate: null, timeZone: null, weekdays: null, skipDates: [] };
  return { isSchedule: false, scheduleTime, ...never };
}

export const dueNow: CampaignRequest['dueAt'] = (now) => [now];

export const startNow: Start = (trx, { workspaceId, campaignId, timeZone }) =>
  beginRuns(trx, [workspaceId], { first: GROUPS_LIMIT, campaignId, timeZone });

function startOf({ ignoresQuietHours = false }: SendNowInput): Start {
  if (!ignoresQuietHours) return startNow;
  return async (trx, stored) => {
    await startNow(trx, stored);
    await execute(trx)`update runs set ignores_quiet_hours = true where campaign_id = ${stored.campaignId}`;
  };
}
