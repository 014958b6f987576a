import { resumeCampaign, type ControlDeps } from '../../../sending/campaigns/change/control.ts';
import type { Operation } from '../../operation.ts';
import { controlOperation } from './control-campaign.ts';

export function resumeCampaignOperation(deps: ControlDeps): Operation {
  return controlOperation({
    path: '/api/v1/venom/resume-campaign',
    summary: 'Go on with a paused campaign',
    description: 'Runs that fell due meanwhile begin now, unless that was more than 6 hours ago: then they are missed.',
    act: (actor, id) => resumeCampaign(deps, actor, id),
  });
}
