import type { Database } from '../../../platform/database/connect.ts';
import { deleteDraft } from '../../../sending/drafts/delete-draft.ts';
import { draftBody } from '../../contract/drafts.ts';
import { nothingData } from '../../contract/users.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function deleteDraftOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/delete-draft',
    access: 'bearer',
    scope: 'send',
    tag: 'Campaigns',
    summary: 'Delete a draft',
    body: draftBody,
    data: nothingData,
    errors: [404],
    async handle({ body, actor }) {
      await deleteDraft(deps, actor, body.draft_id);
      return {};
    },
  });
}
