import type { z } from 'zod';
import { selectDrafts, type DraftContent, type DraftHead } from '../../sending/drafts/draft-store.ts';
import { readDraft } from '../../sending/drafts/read-draft.ts';
import { deleteDraft, saveDraft, type DraftDeps } from '../../sending/drafts/save-draft.ts';
import { storedContent, type drafts } from '../contract/drafts.ts';
import type { Handlers } from '../operation.ts';
import { fromWire, toWire } from '../wire.ts';
import { nameGroup } from './groups.ts';
import { copyExtras, toExtras } from './post-extras.ts';
import { describeFiles } from './post-files.ts';

export const draftHandlers: Handlers<typeof drafts, DraftDeps> = {
  async saveDraft(deps, { body, actor }) {
    const { draftId, poll, event, fileName, linkPreview } = body;
    const content = {
      ...body,
      ...copyExtras(toExtras({ ...body, poll: undefined, event: undefined })),
      // As they were typed: the draft may be unfinished.
      fileName,
      poll,
      event,
      linkPreview,
    };
    const version = await saveDraft(deps, actor, {
      ...body,
      content: toWire(storedContent, content) as DraftContent,
      groupIds: body.groupMetadataIds,
    });
    return { draftId, version };
  },

  async listDrafts(deps, { body, actor }) {
    if (body.draftId === undefined)
      return { drafts: (await selectDrafts(deps.db, actor.workspaceId, undefined)).map(describeHead) };
    const draft = await readDraft(deps, actor, body.draftId);
    // Drafts of earlier versions lack what was added since.
    const stored = fromWire(storedContent, draft.content as z.output<typeof storedContent>);
    const content = {
      ...stored,
      mentionAll: stored.mentionAll ?? false,
      files: describeFiles(draft.files),
      groups: draft.groups.map(nameGroup),
    };
    return { drafts: [{ ...describeHead(draft), content }] };
  },

  deleteDraft: (deps, { body, actor }) => deleteDraft(deps, actor, body.draftId),
};

function describeHead(draft: DraftHead) {
  return { ...draft, media: draft.media && { ...draft.media, sha256: draft.media.sha256.toString('hex') } };
}
