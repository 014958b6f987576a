import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Database } from '../../platform/database/connect.ts';
import {
  selectContent,
  selectDraftGroups,
  selectDrafts,
  type DraftContent,
  type DraftGroup,
  type DraftHead,
} from './draft-store.ts';
import { readFiles, type ShownFile } from '../../content/post/post-files.ts';
import { filesOf } from './draft-files.ts';
import { noSuchDraft } from './no-such-draft.ts';

export interface FullDraft extends DraftHead {
  content: DraftContent;
  /** Without those that are gone from the messaging application. */
  groups: DraftGroup[];
  /** Those that are still there. */
  files: ShownFile[];
}

/** Returns a draft of the workspace with all its parts, read in one snapshot (contract §4, list-drafts). Throws 404. */
export function readDraft({ db }: { db: Database }, { workspaceId }: Actor, draftId: string): Promise<FullDraft> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      const [head] = await selectDrafts(trx, workspaceId, draftId);
      const content = await selectContent(trx, workspaceId, draftId);
      if (!head || !content) throw noSuchDraft();
      const files = await readFiles(trx, filesOf(content));
      return { ...head, content, files, groups: await selectDraftGroups(trx, workspaceId, draftId) };
    });
}
