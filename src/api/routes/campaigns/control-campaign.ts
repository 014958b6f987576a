import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Controlled } from '../../../sending/campaigns/change/control.ts';
import { campaignBody, controlledData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export const AT_MOST_A_TURN = 'After the answer at most the turn in hand still leaves.';

interface Control {
  path: string;
  summary: string;
  description: string;
  act: (actor: Actor, campaignId: string) => Promise<Controlled>;
}

/** What the operations have in common that take a campaign's id and answer how it stands then. */
export function controlOperation({ act, ...told }: Control): Operation {
  return defineOperation({
    ...told,
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    body: campaignBody,
    data: controlledData,
    errors: [404, 409],
    async handle({ body, actor }) {
      const { campaignId, status } = await act(actor, body.campaign_id);
      return { campaign_id: campaignId, status };
    },
  });
}
