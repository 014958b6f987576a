import { pauseCampaign } from '../../../campaigns/control.ts';
import type { Database } from '../../../database/connect.ts';
import type { Operation } from '../../operation.ts';
import { AT_MOST_A_TURN, controlOperation } from './control-campaign.ts';

export function pauseCampaignOperation(deps: { db: Database }): Operation {
  return controlOperation({
    path: '/api/v1/venom/pause-campaign',
    summary: 'Pause a campaign',
    description: AT_MOST_A_TURN,
    act: (actor, id) => pauseCampaign(deps, actor, id),
  });
}
