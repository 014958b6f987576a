import { deleteDraft } from '../../sending/drafts/delete-draft.ts';
import { selectDrafts, type DraftHead } from '../../sending/drafts/draft-store.ts';
import { readDraft } from '../../sending/drafts/read-draft.ts';
import { saveDraft, type DraftDeps } from '../../sending/drafts/save-draft.ts';
import type { drafts } from '../contract/drafts.ts';
import type { Handlers } from '../operation.ts';
import { toCopiedExtras, toExtras } from './post-extras.ts';
import { toShownFiles } from './post-files.ts';
import { toDraftBallot } from './ballot-fields.ts';

/** Drafts of earlier versions have none of these. */
const NO_DRAFT_EXTRAS = { ...toCopiedExtras({}), link_preview: null };

export const draftHandlers: Handlers<typeof drafts, DraftDeps> = {
  async saveDraft(deps, { body, actor }) {
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
        skip_dates: body.skip_dates ?? null,
        idempotency_key: body.idempotency_key ?? null,
        ...toCopiedExtras(toExtras({ ...body, poll: undefined, event: undefined })),
        // As they were typed: the draft may be unfinished.
        file_name: body.file_name ?? null,
        ...toDraftBallot(body),
        link_preview: body.link_preview ? { ...body.link_preview, image: body.link_preview.image ?? null } : null,
      },
      groupIds: body.group_metadata_ids,
      image: body.image,
      removeImage: body.remove_image,
    });
    return { draft_id: body.draft_id, version };
  },

  async listDrafts(deps, { body, actor }) {
    if (body.draft_id === undefined)
      return { drafts: (await selectDrafts(deps.db, actor.workspaceId, undefined)).map(toHead) };
    const draft = await readDraft(deps, actor, body.draft_id);
    const groups = draft.groups.map((group) => ({
      group_metadata_id: group.groupId,
      group_name: group.name,
      kind: group.kind,
      participants: group.participants,
    }));
    const content = {
      ...NO_DRAFT_EXTRAS,
      ...draft.content,
      skip_dates: draft.content.skip_dates ?? null,
      files: toShownFiles(draft.files),
      groups,
    };
    return { drafts: [{ ...toHead(draft), content }] };
  },

  async deleteDraft(deps, { body, actor }) {
    await deleteDraft(deps, actor, body.draft_id);
    return {};
  },
};

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
