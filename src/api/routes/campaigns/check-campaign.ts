import { checkCampaign, type CampaignDraft, type CheckDeps } from '../../../sending/campaigns/accept/check-campaign.ts';
import * as wire from '../../contract/check-campaign.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { findProblemsOfPost, POST_LIMIT_BYTES, toPost, toSchedule, toSendNow } from './campaign-post.ts';

export function checkCampaignOperation(deps: CheckDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/check-campaign',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    isPreview: true,
    summary: 'See what would come of a campaign, without creating it',
    description:
      'Takes the body of either operation that adds a campaign, and refuses what they refuse. Problems of groups, such as one where only admins may post, keep a campaign from nobody else: adding it is still possible.',
    body: wire.checkCampaignBody,
    data: wire.checkCampaignData,
    bodyLimitBytes: POST_LIMIT_BYTES,
    shedFirst: true,
    errors: [404],
    validateSemantics: findProblemsOfPost(deps),
    async handle({ body, actor, warnings }) {
      const post = toPost(body);
      const draft: CampaignDraft = body.is_schedule
        ? { when: 'scheduled', post: { ...post, ...toSchedule(body) } }
        : { when: 'now', post: { ...post, ...toSendNow(body) } };
      const found = await checkCampaign(deps, actor, draft, body.campaign_id);
      return {
        text: found.text,
        warnings: [...found.warnings, ...warnings.map((message) => ({ code: 'means_nothing', message }))],
        media: found.media,
        runs: found.runs.map(({ dueAt, local }) => ({ due_at: dueAt.toISOString(), local })),
        groups: {
          ok: found.groups.ok,
          problems: found.groups.problems.map(({ groupId, issue }) => ({ group_metadata_id: groupId, issue })),
        },
        expected_seconds: found.expectedSeconds,
      };
    },
  });
}
