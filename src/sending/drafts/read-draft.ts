import { readRow, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';
import { selectNamedGroups, type NamedGroup } from '../groups/store.ts';
import { selectDrafts, filesOf, noSuchDraft, type DraftContent, type DraftHead, type DraftRow } from './draft-store.ts';
import { readFiles, type ShownFile } from '../../content/post/post-files.ts';

export interface FullDraft extends DraftHead {
  content: DraftContent;
  /** Without those that are gone from the messaging application, in the order given. */
  groups: NamedGroup[];
  /** Those that are still there. */
  files: ShownFile[];
}

/** Returns a draft of the workspace with all its parts, read in one snapshot (contract §4, list-drafts). Throws 404. */
export function readDraft({ db }: { db: Database }, { workspaceId }: Actor, draftId: string): Promise<FullDraft> {
  return inSnapshot(db, async (trx) => {
    const [head] = await selectDrafts(trx, workspaceId, draftId);
    const draft = await readRow<Pick<DraftRow, 'content' | 'groupIds'>>(trx)`
      select content, group_ids as "groupIds" from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}`;
    if (!head || !draft) throw noSuchDraft();
    const { content, groupIds } = draft;
    const groups = await selectNamedGroups(trx, workspaceId, groupIds, { withGone: false });
    return { ...head, content, groups, files: await readFiles(trx, filesOf(content)) };
  });
}
