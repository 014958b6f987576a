import type { Database } from '../../../platform/database/connect.ts';
import { selectDrafts, type DraftHead } from '../../../sending/drafts/draft-store.ts';
import { readDraft } from '../../../sending/drafts/read-draft.ts';
import { listDraftsBody, listDraftsData } from '../../contract/drafts.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function listDraftsOperation(deps: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/venom/list-drafts',
    access: 'bearer',
    scope: 'read',
    tag: 'Campaigns',
    summary: 'List your drafts',
    description: 'What was changed last comes first. With `draft_id` only that one, with everything in it.',
    body: listDraftsBody,
    data: listDraftsData,
    errors: [404],
    async handle({ body, actor }) {
      if (body.draft_id === undefined)
        return { drafts: (await selectDrafts(deps.db, actor.workspaceId, undefined)).map(toHead) };
      const draft = await readDraft(deps, actor, body.draft_id);
      const groups = draft.groups.map((group) => ({
        group_metadata_id: group.groupId,
        group_name: group.name,
        kind: group.kind,
        participants: group.participants,
      }));
      return { drafts: [{ ...toHead(draft), content: { ...draft.content, groups } }] };
    },
  });
}

function toHead(draft: DraftHead) {
  return {
    draft_id: draft.draftId,
    name: draft.name,
    html_start: draft.htmlStart,
    group_count: draft.groupCount,
    version: draft.version,
    updated_at: draft.updatedAt.toISOString(),
    media: draft.media && { ...draft.media, sha256: draft.media.sha256.toString('hex') },
  };
}
