import { cancelCampaign, type ControlDeps } from '../../../sending/campaigns/change/control.ts';
import type { Operation } from '../../operation.ts';
import { AT_MOST_A_TURN, controlOperation } from './control-campaign.ts';

export function cancelCampaignOperation(deps: ControlDeps): Operation {
  return controlOperation({
    path: '/api/v1/venom/cancel-campaign',
    summary: 'Cancel a campaign',
    description: AT_MOST_A_TURN,
    act: (actor, id) => cancelCampaign(deps, actor, id),
  });
}
