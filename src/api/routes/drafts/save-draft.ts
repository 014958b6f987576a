import { saveDraft, type DraftDeps } from '../../../sending/drafts/save-draft.ts';
import { saveDraftBody, saveDraftData } from '../../contract/drafts.ts';
import { defineOperation, type Operation } from '../../operation.ts';
import { POST_LIMIT_BYTES } from '../campaigns/campaign-post.ts';

export function saveDraftOperation(deps: DraftDeps): Operation {
  return defineOperation({
    path: '/api/v1/venom/save-draft',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Keep a draft of a campaign',
    description:
      'Up to 100 drafts are kept, each with one file, until they are deleted. A draft that was changed since the `version` given stays as it is: 409. To save the same again changes nothing.',
    body: saveDraftBody,
    data: saveDraftData,
    bodyLimitBytes: POST_LIMIT_BYTES,
    errors: [404, 409, 503, 507],
    requiresDiskSpace: true,
    async handle({ body, actor }) {
      const version = await saveDraft(deps, actor, {
        draftId: body.draft_id,
        version: body.version,
        name: body.name,
        content: {
          html: body.html,
          is_schedule: body.is_schedule,
          start_date: body.start_date ?? null,
          end_date: body.end_date ?? null,
          schedule_time: body.schedule_time ?? null,
          time_zone: body.time_zone ?? null,
          weekdays: body.weekdays ?? null,
          idempotency_key: body.idempotency_key ?? null,
        },
        groupIds: body.group_metadata_ids,
        image: body.image,
        removeImage: body.remove_image,
      });
      return { draft_id: body.draft_id, version };
    },
  });
}
