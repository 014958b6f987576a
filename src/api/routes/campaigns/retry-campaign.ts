import { retryCampaign, type RetryDeps } from '../../../sending/campaigns/change/retry-campaign.ts';
import type { Operation } from '../../operation.ts';
import { controlOperation } from './control-campaign.ts';

export function retryCampaignOperation(deps: RetryDeps): Operation {
  return controlOperation({
    path: '/api/v1/venom/retry-campaign',
    summary: 'Queue the failed deliveries of a campaign again',
    description:
      'Each keeps its message id and text. Runs that had ended are under way again and expire 24 hours after this at the earliest, or when the next run of the campaign falls due. What may have arrived already is looked for where the messaging application would show it twice.',
    act: (actor, id) => retryCampaign(deps, actor, id),
  });
}
