import type { Convert } from '../../../content/text/convert-in-worker.ts';
import { previewCampaign } from '../../../sending/campaigns/accept/preview-campaign.ts';
import { previewBody, previewData } from '../../contract/campaigns.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { HTML_LIMIT_BYTES } from './campaign-post.ts';

export function previewCampaignOperation(deps: { convert: Convert }): Operation {
  return defineOperation({
    path: '/api/v1/venom/preview-campaign',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    isPreview: true,
    summary: 'See the very text that would be sent',
    body: previewBody,
    data: previewData,
    bodyLimitBytes: HTML_LIMIT_BYTES,
    description: 'Up to 600 previews and checks a minute and user, unless the operator says otherwise.',
    errors: [],
    handle: ({ body, actor }) => previewCampaign(deps, actor.userId, body.html),
  });
}
