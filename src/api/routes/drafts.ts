import type { z } from 'zod';
import { selectDrafts, type DraftContent, type DraftHead } from '../../sending/drafts/draft-store.ts';
import { readDraft } from '../../sending/drafts/read-draft.ts';
import { deleteDraft, saveDraft, type DraftDeps } from '../../sending/drafts/save-draft.ts';
import { storedContent, type drafts, type saveDraftBody } from '../contract/drafts.ts';
import type { Handlers } from '../operation.ts';
import { fromWire, toWire, type FromWire } from '../wire.ts';
import { nameGroup } from './groups.ts';
import { copyExtras, toExtras } from './post-extras.ts';
import { describeFiles } from './post-files.ts';

type SavedDraft = FromWire<z.output<typeof saveDraftBody>>;
type Optional = 'idempotencyKey' | 'fromTemplate';
type SavedPost = Omit<SavedDraft, 'draftId' | 'version' | 'name' | 'removeImage' | Optional> &
  Partial<Pick<SavedDraft, Optional>>;

export const draftHandlers: Handlers<typeof drafts, DraftDeps> = {
  async saveDraft(deps, { body, actor }) {
    const { draftId, groupMetadataIds: groupIds } = body;
    const content = toContent(body);
    return { draftId, version: await saveDraft(deps, actor, { ...body, kind: 'draft', content, groupIds }) };
  },

  async listDrafts(deps, { body, actor }) {
    if (body.draftId === undefined)
      return { drafts: (await selectDrafts(deps.db, actor.workspaceId, 'draft', undefined)).map(describeHead) };
    const draft = await readDraft(deps, actor, 'draft', body.draftId);
    const groups = { groups: draft.groups.map(nameGroup), ownGroupMetadataIds: draft.ownGroupIds };
    const { groupListIds: ids } = draft;
    const shown = { ...groups, files: describeFiles(draft.files), groupListIds: ids.length > 0 ? ids : undefined };
    return { drafts: [{ ...describeHead(draft), content: { ...fromContent(draft), ...shown } }] };
  },

  deleteDraft: (deps, { body, actor }) => deleteDraft(deps, actor, { ...body, kind: 'draft' }),
};

/** Returns the content of a draft or template as it is stored. */
export function toContent(body: SavedPost): DraftContent {
  const { poll, event, fileName, linkPreview } = body;
  const content = {
    ...body,
    idempotencyKey: body.idempotencyKey,
    ...copyExtras(toExtras({ ...body, poll: undefined, event: undefined })),
    // As they were typed: the draft may be unfinished.
    fileName,
    poll,
    event,
    linkPreview,
  };
  return toWire(storedContent, content) as DraftContent;
}

/** Returns it as answers have it. What was stored by earlier versions lacks what was added since. */
export function fromContent({ content }: { content: DraftContent }) {
  const stored = fromWire(storedContent, content as z.output<typeof storedContent>);
  return { ...stored, mentionAll: stored.mentionAll ?? false };
}

function describeHead(draft: DraftHead) {
  return { ...draft, media: draft.media && { ...draft.media, sha256: draft.media.sha256.toString('hex') } };
}
