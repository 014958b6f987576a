import { readValue, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';
import {
  selectDraftGroups,
  selectDrafts,
  filesOf,
  noSuchDraft,
  type DraftContent,
  type DraftGroup,
  type DraftHead,
} from './draft-store.ts';
import { readFiles, type ShownFile } from '../../content/post/post-files.ts';

export interface FullDraft extends DraftHead {
  content: DraftContent;
  /** Without those that are gone from the messaging application. */
  groups: DraftGroup[];
  /** Those that are still there. */
  files: ShownFile[];
}

/** Returns a draft of the workspace with all its parts, read in one snapshot (contract §4, list-drafts). Throws 404. */
export function readDraft({ db }: { db: Database }, { workspaceId }: Actor, draftId: string): Promise<FullDraft> {
  return inSnapshot(db, async (trx) => {
    const [head] = await selectDrafts(trx, workspaceId, draftId);
    const content = await readValue<DraftContent>(trx)`
      select content from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}`;
    if (!head || !content) throw noSuchDraft();
    const files = await readFiles(trx, filesOf(content));
    return { ...head, content, files, groups: await selectDraftGroups(trx, workspaceId, draftId) };
  });
}
