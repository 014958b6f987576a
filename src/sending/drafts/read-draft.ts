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
import { noSuchDraft } from './no-such-draft.ts';

export interface FullDraft extends DraftHead {
  content: DraftContent;
  /** Without those that are gone from the messaging application. */
  groups: DraftGroup[];
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
      return { ...head, content, groups: await selectDraftGroups(trx, workspaceId, draftId) };
    });
}
