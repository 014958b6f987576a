import { pauseCampaign, type ControlDeps } from '../../../sending/campaigns/change/control.ts';
import type { Operation } from '../../operation.ts';
import { AT_MOST_A_TURN, controlOperation } from './control-campaign.ts';

export function pauseCampaignOperation(deps: ControlDeps): Operation {
  return controlOperation({
    path: '/api/v1/venom/pause-campaign',
    summary: 'Pause a campaign',
    description: AT_MOST_A_TURN,
    act: (actor, id) => pauseCampaign(deps, actor, id),
  });
}
